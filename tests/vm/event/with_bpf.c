// SPDX-License-Identifier: GPL-2.0-only
/*
 * with_bpf STOP SYSTEM/EVENT... attaches a BPF program to each event and detaches it, in
 * rounds, until the file STOP exists. It prints how often it attached one. The program lets
 * each event through. Status 2: this kernel has no BPF.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/perf_event.h>

#define EVENTS_MAX	16

static int load_program(void)
{
	/* r0 = 1; exit */
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type	= BPF_PROG_TYPE_TRACEPOINT,
		.insns		= (unsigned long)code,
		.insn_cnt	= sizeof(code) / sizeof(code[0]),
		.license	= (unsigned long)"GPL",
	};

	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

/* Return the number of the event, or -1: its module is away. */
static long event_id(const char *event)
{
	char path[256];
	long id = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", event);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%ld", &id) != 1)
		id = -1;
	fclose(file);
	return id;
}

/* Return a descriptor that keeps the program attached, or -1. */
static int attach(const char *event, int program)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .sample_period = 1,
	};
	long id = event_id(event);
	int fd;

	if (id < 0)
		return -1;
	attr.config = id;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) && !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return fd;
	close(fd);
	return -1;
}

/* Return the number of events that had the program. */
static int attach_all(char **events, int nr, int program)
{
	int fds[EVENTS_MAX], attached = 0;

	for (int i = 0; i < nr; i++) {
		fds[i] = attach(events[i], program);
		attached += fds[i] >= 0;
	}
	usleep(10000);
	for (int i = 0; i < nr; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return attached;
}

int main(int argc, char **argv)
{
	int program = load_program();
	long attached = 0;

	if (program < 0) {
		int error = errno;

		perror("BPF_PROG_LOAD");
		return error == ENOSYS ? 2 : 1;
	}
	if (argc < 3 || argc > EVENTS_MAX + 2)
		return 1;
	while (access(argv[1], F_OK))
		attached += attach_all(argv + 2, argc - 2, program);
	printf("%ld\n", attached);
	return !attached;
}
