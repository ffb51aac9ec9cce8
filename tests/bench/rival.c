// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records a tracepoint with another tracer while standard input is open:
 *
 *	rival perf ID [FILTER]		perf's ring buffer of CPU 0, which overwrites
 *	rival bpf NAME			a BPF program that writes two arguments to a ringbuf
 *	rival bpf NAME SIZE		writes SIZE bytes that the only argument points to
 *	rival bpf-refused NAME		writes two arguments if the first is 0
 *
 * Prints "ready", and at the end the number of bytes written to the ring.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PERF_PAGES	256
/* A ringbuf drops events that do not fit: make room for all. */
#define RINGBUF_SIZE	(64 << 20)

static void fail(const char *what)
{
	fprintf(stderr, "rival: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void wait_for_end(void)
{
	char byte;

	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

static void perf(const char *id, const char *filter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = strtoull(id, NULL, 10),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.write_backward = 1,
		/* No reader is woken. */
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
	};
	size_t page = sysconf(_SC_PAGESIZE);
	const struct perf_event_mmap_page *meta;
	int fd;

	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		fail("perf_event_open");
	if (filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		fail("perf's filter");
	/* A read-only map makes perf overwrite. */
	meta = mmap(NULL, (PERF_PAGES + 1) * page, PROT_READ, MAP_SHARED, fd, 0);
	if (meta == MAP_FAILED)
		fail("mmap of the perf event");
	wait_for_end();
	printf("%llu\n", (unsigned long long)-meta->data_head);
}

static int bpf(int command, union bpf_attr *attr)
{
	int fd = syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (fd < 0)
		fail("bpf");
	return fd;
}

#define INSN(op, to, from, offset, value) \
	{ .code = (op), .dst_reg = (to), .src_reg = (from), .off = (offset), .imm = (value) }
#define MOV(to, from)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define MOV_VALUE(to, value)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value)
#define LOAD(to, from, offset)	INSN(BPF_LDX | BPF_MEM | BPF_DW, to, from, offset, 0)
#define STORE(to, offset, from)	INSN(BPF_STX | BPF_MEM | BPF_DW, to, from, offset, 0)
#define CALL(function)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, function)
#define SKIP(op, reg, value, n)	INSN(BPF_JMP | (op) | BPF_K, reg, 0, n, value)
#define EXIT()			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

#define MAX_INSNS	32

/* A BPF program under construction */
struct program {
	struct bpf_insn insn[MAX_INSNS];
	unsigned int	nr;
};

static void append(struct program *program, const struct bpf_insn *insns,
		   unsigned int nr)
{
	memcpy(&program->insn[program->nr], insns, nr * sizeof(*insns));
	program->nr += nr;
}

#define APPEND(program, ...)						\
	do {								\
		const struct bpf_insn insns[] = { __VA_ARGS__ };	\
		append(program, insns, sizeof(insns) / sizeof(insns[0]));	\
	} while (0)

/**
 * struct record - the record that a BPF program writes
 * @size: bytes of the record
 * @pointer: the first argument points to the bytes; else write two arguments
 * @refused: write nothing if the first argument is not 0
 */
struct record {
	unsigned int	size;
	int		pointer;
	int		refused;
};

static void write_program(struct program *program, int map_fd,
			  const struct record *record)
{
	APPEND(program, LOAD(BPF_REG_6, BPF_REG_1, 0));
	if (!record->pointer)
		APPEND(program, LOAD(BPF_REG_7, BPF_REG_1, 8));
	if (record->refused)
		APPEND(program, SKIP(BPF_JEQ, BPF_REG_6, 0, 2),
		       MOV_VALUE(BPF_REG_0, 0), EXIT());
	APPEND(program,
	       INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0,
		    map_fd),
	       INSN(0, 0, 0, 0, 0), MOV_VALUE(BPF_REG_2, record->size),
	       MOV_VALUE(BPF_REG_3, 0), CALL(BPF_FUNC_ringbuf_reserve),
	       SKIP(BPF_JNE, BPF_REG_0, 0, 2), MOV_VALUE(BPF_REG_0, 0), EXIT());
	if (!record->pointer)
		APPEND(program, STORE(BPF_REG_0, 0, BPF_REG_6),
		       STORE(BPF_REG_0, 8, BPF_REG_7),
		       MOV(BPF_REG_1, BPF_REG_0));
	else if (!record->size)
		APPEND(program, MOV(BPF_REG_1, BPF_REG_0));
	else
		APPEND(program, MOV(BPF_REG_7, BPF_REG_0),
		       MOV(BPF_REG_1, BPF_REG_0),
		       MOV_VALUE(BPF_REG_2, record->size),
		       MOV(BPF_REG_3, BPF_REG_6),
		       CALL(BPF_FUNC_probe_read_kernel),
		       MOV(BPF_REG_1, BPF_REG_7));
	APPEND(program,
	       MOV_VALUE(BPF_REG_2, BPF_RB_NO_WAKEUP),
	       CALL(BPF_FUNC_ringbuf_submit), MOV_VALUE(BPF_REG_0, 0), EXIT());
}

static void bpf_ringbuf(const char *tracepoint, const struct record *record)
{
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_RINGBUF,
		.max_entries = RINGBUF_SIZE,
	};
	int map_fd = bpf(BPF_MAP_CREATE, &map);
	struct program program = { .nr = 0 };
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = (uintptr_t)program.insn,
		.license = (uintptr_t)"GPL",
	};
	union bpf_attr attach = { .raw_tracepoint.name = (uintptr_t)tracepoint };
	size_t page = sysconf(_SC_PAGESIZE);
	const uint64_t *written;

	write_program(&program, map_fd, record);
	load.insn_cnt = program.nr;
	attach.raw_tracepoint.prog_fd = bpf(BPF_PROG_LOAD, &load);
	bpf(BPF_RAW_TRACEPOINT_OPEN, &attach);
	written = mmap(NULL, page, PROT_READ, MAP_SHARED, map_fd, page);
	if (written == MAP_FAILED)
		fail("mmap of the ringbuf");
	wait_for_end();
	printf("%llu\n", (unsigned long long)*written);
}

int main(int argc, char **argv)
{
	struct record record = { .size = 16 };

	if (argc >= 3 && argc <= 4 && !strcmp(argv[1], "perf")) {
		perf(argv[2], argv[3]);
	} else if (argc == 3 && !strcmp(argv[1], "bpf")) {
		bpf_ringbuf(argv[2], &record);
	} else if (argc == 3 && !strcmp(argv[1], "bpf-refused")) {
		record.refused = 1;
		bpf_ringbuf(argv[2], &record);
	} else if (argc == 4 && !strcmp(argv[1], "bpf")) {
		record.pointer = 1;
		record.size = strtoul(argv[3], NULL, 10);
		bpf_ringbuf(argv[2], &record);
	} else {
		fputs("usage: rival perf ID [FILTER] | rival bpf NAME [SIZE] | rival bpf-refused NAME\n",
		      stderr);
		return 2;
	}
	return 0;
}
