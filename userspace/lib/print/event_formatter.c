// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "base/colour.h"
#include "base/printable.h"
#include "base/process.h"
#include "columns.h"
#include "crash_notes.h"
#include "event_formatter.h"
#include "event_label.h"
#include "json_layout.h"
#include "print/fields/constants.h"
#include "print/fields/fields.h"
#include "print/fields/format_check.h"
#include "print/fields/printer.h"
#include "print/fields/syscalls.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"
#include "symbols/symbols.h"
#include "task_names.h"
#include "tracer_events.h"

#define MAX_NAMES	2		/* sched_switch names two threads */
#define COMM_SIZE	16
#define HOST_COMM_SIZE	(COMM_SIZE + DAT_HOST_NAME)	/* "HOST:" before it */
#define UNKNOWN_COMM	"<...>"
#define CGROUP_WIDTH	24
#define NR_TASKS	64		/* columns of threads that are kept: a power of two */
#define NR_ASKED	4096		/* a power of two */
#define ASK_AGAIN_NS	1000000000ULL

/*
 * A record is copied and zeros are added before libtraceevent prints it. So no offset
 * or length of 16 bits, and no unterminated string, leads out of the copy.
 */
#define COPY_TAIL	(4 * 65536)

/*
 * The fields that contain a thread's name. @before: the name that it had before the event, or
 * NULL. @is_path: the name is the last part of a path, and had another name before.
 */
struct name_fields {
	struct tep_format_field *comm;
	struct tep_format_field *before;
	struct tep_format_field *pid;
	bool is_path;
};

struct event_info {
	struct tep_event *event;
	struct printer *printer;	/* NULL: libtraceevent prints the event */
	struct syscalls_event *syscall;	/* instead, for events of system calls */
	struct tracer_event *tracer;	/* instead, for events of tracers */
	struct array_lengths *lengths;	/* for libtraceevent */
	struct json_layout *json;	/* NULL: JSON is not wanted */
	int size;			/* size of the fields that are always there */
	bool is_plain;			/* the text is one line without control characters */
	struct event_label label;
	uint64_t mark;			/* identifies the format */
	unsigned int nr_names;
	struct name_fields name[MAX_NAMES];
};

/* @ts: time of the event for which /proc was asked */
struct asked {
	int pid;
	uint64_t ts;
};

/* The name that a search for a pid has found, in that version of the names. */
struct found_comm {
	int pid;
	unsigned int version;
	const char *comm;
};

/*
 * Text of other threads has its own columns, copy and sequence, and uses the rest of the
 * text that it was made from.
 */
struct event_formatter {
	struct event_formatter *of;		/* itself, or the text of the first thread */
	struct tep_handle *tep;
	pthread_mutex_t library;	/* libtraceevent works for one thread at a time */
	struct trace_seq seq;
	struct event_info *event[NR_EVENT_IDS];
	unsigned int file;		/* for crash_guard() */
	char *copy;
	size_t copy_size;		/* size without the zeros at the end */
	size_t copy_used;
	struct constants *constants;
	struct syscalls_machine machine;
	struct syscall_states *syscalls;
	struct symbols *symbols;
	pthread_mutex_t symbols_lock;	/* for the thread that parses them */
	bool symbols_parsed;
	const struct dat_cgroups *cgroups;	/* NULL: they are not printed */
	const struct dat_hosts *hosts;		/* NULL: the recording is that of one host */
	struct task_names *names;
	unsigned int names_version;	/* changes with each name */
	struct columns columns;
	struct event_labels labels;
	struct task_column task[NR_TASKS];
	unsigned int task_version[NR_TASKS];	/* the version that a column is from */
	struct found_comm found[NR_TASKS];	/* indexed by the low bits of the pid */
	const char *unknown;		/* stands before the id of an unknown event */
	ask_format_fn *ask_format;
	void *ask_data;
	bool format_asked[NR_EVENT_IDS];	/* once for each id */
	struct tep_plugin_list *plugins;
	struct {
		const char *system, *name, *shown;
	} other;			/* the event that is shown by another name */
	bool comm_from_proc;
	bool asks_proc;			/* /proc has the numbers of events */
	ask_symbol_fn *ask_symbol;	/* NULL: there is nobody to ask */
	void *ask_symbol_data;
	const char *kallsyms;		/* NULL: none */
	size_t kallsyms_size;
	bool raw;
	bool stack_lines;
	bool with_json;
	uint64_t now;			/* ns, whatever the clock; for comm_from_proc */
	struct asked asked[NR_ASKED];	/* indexed by the low bits of the pid */
};

static void parse_symbols(struct event_formatter *t)
{
	pthread_mutex_lock(&t->symbols_lock);
	if (!t->symbols_parsed && t->kallsyms)
		symbols_add(t->symbols, t->kallsyms, t->kallsyms_size);
	/* Pairs with the acquire in find_symbol(): the symbols are complete. */
	__atomic_store_n(&t->symbols_parsed, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&t->symbols_lock);
}

static const struct symbol *find_symbol(void *data, uint64_t addr)
{
	struct event_formatter *t = data;

	if (t->ask_symbol)
		return t->ask_symbol(t->ask_symbol_data, addr);
	if (!__atomic_load_n(&t->symbols_parsed, __ATOMIC_ACQUIRE))
		parse_symbols(t);
	return symbols_find(t->symbols, addr);
}

static char *resolve(void *priv, unsigned long long *addr, char **module)
{
	const struct symbol *symbol = find_symbol(priv, *addr);

	if (!symbol)
		return NULL;
	*addr = symbol->addr;
	*module = symbol->module;
	return symbol->name;
}

/* Initialise what each thread has of its own. */
static void init_thread(struct event_formatter *t, struct event_formatter *of)
{
	t->of = of;
	t->columns.pid_width = of->columns.pid_width;
	t->columns.with_flags = of->columns.with_flags;
	t->columns.time = of->columns.time;
	t->unknown = of->unknown;
	columns_init(&t->columns);
	t->names_version = 1;
	trace_seq_init(&t->seq);
}

struct event_formatter *formatter_for_thread(struct event_formatter *of)
{
	struct event_formatter *t = calloc(1, sizeof(*t));

	if (t)
		init_thread(t, of);
	return t;
}

struct event_formatter *formatter_new(void)
{
	struct event_formatter *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	init_thread(t, t);
	t->unknown = "event ";
	t->columns.pid_width = 7;
	t->columns.with_flags = true;
	pthread_mutex_init(&t->library, NULL);
	pthread_mutex_init(&t->symbols_lock, NULL);
	t->tep = tep_alloc();
	t->symbols = symbols_new();
	t->names = task_names_new();
	t->constants = constants_new();
	t->syscalls = syscall_states_new();
	t->machine = syscalls_machine(NULL);
	if (!t->tep || !t->symbols || !t->names || !t->constants || !t->syscalls) {
		formatter_free(t);
		return NULL;
	}
	/* Formats that cannot be parsed are printed field by field. */
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(t->tep, sizeof(long));
	tep_set_page_size(t->tep, sysconf(_SC_PAGESIZE));
	tep_set_file_bigendian(t->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN :
							    TEP_LITTLE_ENDIAN);
	tep_set_function_resolver(t->tep, resolve, t);
	for (size_t i = 0; i < NR_ASKED; i++)
		t->asked[i].pid = -1;
	return t;
}

void formatter_set_uname(struct event_formatter *t, const char *uname)
{
	t->machine = syscalls_machine_of(uname);
}

void formatter_set_long_size(struct event_formatter *t, unsigned int size)
{
	tep_set_long_size(t->tep, size);
}

void formatter_load_plugins(struct event_formatter *t)
{
	if (!t->plugins)
		t->plugins = tep_load_plugins(t->tep);
}

void formatter_free(struct event_formatter *t)
{
	if (!t)
		return;
	trace_seq_destroy(&t->seq);
	free(t->copy);
	if (t->of != t) {
		free(t);
		return;
	}
	if (t->plugins)
		tep_unload_plugins(t->plugins, t->tep);
	for (size_t i = 0; i < NR_EVENT_IDS; i++) {
		if (!t->event[i])
			continue;
		printer_free(t->event[i]->printer);
		json_layout_free(t->event[i]->json);
		free(t->event[i]->syscall);
		free(t->event[i]->tracer);
		free(t->event[i]->label.text);
		array_lengths_free(t->event[i]->lengths);
		free(t->event[i]);
	}
	if (t->tep)
		tep_free(t->tep);
	symbols_free(t->symbols);
	task_names_free(t->names);
	constants_free(t->constants);
	syscall_states_free(t->syscalls);
	pthread_mutex_destroy(&t->library);
	pthread_mutex_destroy(&t->symbols_lock);
	free(t);
}

/*
 * prev_comm belongs to prev_pid; comm and newcomm belong to pid. oldcomm is no
 * longer valid.
 */
static struct tep_format_field *pid_of_comm(struct tep_event *event,
					    const char *comm)
{
	size_t len = strlen(comm);
	char name[64];

	if (!strcmp(comm, "newcomm"))
		return tep_find_field(event, "pid");
	if (len < 4 || len > sizeof(name) || !strcmp(comm, "oldcomm") ||
	    strcmp(comm + len - 4, "comm"))
		return NULL;
	memcpy(name, comm, len - 4);
	strcpy(name + len - 4, "pid");
	return tep_find_field(event, name);
}

/* A program that is executed gives its thread the name of its file. */
static struct tep_format_field *pid_of_path(struct tep_event *event, const char *name)
{
	if (strcmp(event->name, "sched_process_exec") || strcmp(name, "filename"))
		return NULL;
	return tep_find_field(event, "pid");
}

static void find_names(struct event_info *info)
{
	struct tep_format_field *f, *pid, *path;

	for (f = info->event->format.fields; f; f = f->next) {
		if (f->offset + f->size > info->size)
			info->size = f->offset + f->size;
		if (info->nr_names == MAX_NAMES)
			continue;
		path = pid_of_path(info->event, f->name);
		pid = path ? path : pid_of_comm(info->event, f->name);
		if (!pid || pid->size != sizeof(int32_t))
			continue;
		info->name[info->nr_names++] = (struct name_fields){
			.comm = f, .pid = pid, .is_path = path,
			.before = strcmp(f->name, "newcomm") ? NULL :
				  tep_find_field(info->event, "oldcomm"),
		};
	}
}

void formatter_show_as(struct event_formatter *t, const char *system, const char *name,
		       const char *shown)
{
	t->other.system = system;
	t->other.name = name;
	t->other.shown = shown;
}

void formatter_show_unknown_as(struct event_formatter *t, const char *prefix)
{
	t->unknown = prefix;
}

static const char *shown_name(const struct event_formatter *t, const struct tep_event *event)
{
	if (t->other.shown && !strcmp(event->system, t->other.system) &&
	    !strcmp(event->name, t->other.name))
		return t->other.shown;
	return event->name;
}

/* Parse a format, and compile what is printed of it. */
static int add_format(struct event_formatter *t, const char *system, const char *format,
		      size_t size)
{
	struct tep_event *event = NULL;
	struct event_info *info;

	if (tep_parse_format(t->tep, &event, format, size, system) || !event)
		return -EINVAL;
	if (event->id < 0 || event->id >= NR_EVENT_IDS || t->event[event->id] ||
	    !format_has_sane_fields(event))
		return -EINVAL;
	info = calloc(1, sizeof(*info));
	if (!info)
		return -ENOMEM;
	info->event = event;
	info->mark = crash_mark(format, size);
	info->label = (struct event_label){
		.system = event->system, .name = shown_name(t, event),
	};
	if (!event_label_add(&t->labels, &info->label)) {
		free(info);
		return -ENOMEM;
	}
	/* libtraceevent prints the fields of an event by their kinds if its format failed. */
	if (!format_find_lengths(event, &info->lengths))
		event->flags |= TEP_EVENT_FL_FAILED;
	info->syscall = syscalls_event_new(event);
	info->tracer = tracer_event_new(event, tep_get_long_size(t->tep));
	if (!info->syscall && !info->tracer)
		info->printer = printer_compile(event);
	if (info->printer)
		printer_set_constants(info->printer, t->constants);
	info->is_plain = info->syscall || (info->tracer && tracer_event_is_plain(info->tracer)) ||
			 (info->printer && printer_is_plain(info->printer));
	find_names(info);
	t->event[event->id] = info;
	if (!t->with_json)
		return 0;
	info->json = json_layout_new(event, info->printer, info->syscall);
	return info->json ? 0 : -ENOMEM;
}

void formatter_set_file(struct event_formatter *t, unsigned int file)
{
	t->file = file;
}

int formatter_add_format(struct event_formatter *t, const char *system, const char *format,
			 size_t size)
{
	int ret;

	if (!crash_enter_format(t->file, system, format, size))
		return -EINVAL;
	ret = add_format(t, system, format, size);
	crash_leave();
	return ret;
}

void formatter_ask_formats(struct event_formatter *t, ask_format_fn *ask, void *data)
{
	t->ask_format = ask;
	t->ask_data = data;
}

void formatter_want_format(struct event_formatter *t, int id)
{
	if (id < 0 || id >= NR_EVENT_IDS || t->event[id] || t->format_asked[id] || !t->ask_format)
		return;
	t->format_asked[id] = true;
	t->ask_format(t->ask_data, id);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

int formatter_add_comm(struct event_formatter *t, int pid, const char *comm)
{
	int ret = task_names_set(t->names, pid, comm);

	if (ret > 0)
		t->names_version++;
	return ret < 0 ? ret : 0;
}

void formatter_each_comm(const struct event_formatter *t, task_name_fn *each, void *data)
{
	task_names_each(t->names, each, data);
}

void formatter_comm_from_proc(struct event_formatter *t, bool on)
{
	t->comm_from_proc = on;
	t->asks_proc = on && proc_pids() == PROC_PIDS_KERNEL;
}

void formatter_keep_comms(struct event_formatter *t)
{
	task_names_keep(t->names);
}

void formatter_set_kallsyms(struct event_formatter *t, const char *kallsyms, size_t size)
{
	t->kallsyms = kallsyms;
	t->kallsyms_size = size;
	t->symbols_parsed = false;
}

static void register_string(void *data, uint64_t addr, const char *text)
{
	struct event_formatter *t = data;
	char *line;

	/*
	 * libtraceevent removes the quotes and the newline, and reads bytes before a text
	 * that has fewer than two characters.
	 */
	if (asprintf(&line, "\"%s\\n\"", text) < 0)
		return;
	tep_register_print_string(t->tep, line, addr);
	free(line);
}

int formatter_set_constants(struct event_formatter *t, const char *text, size_t size)
{
	int ret = constants_add(t->constants, text, size);

	if (!ret)
		constants_each(t->constants, register_string, t);
	return ret;
}

void formatter_ask_symbols(struct event_formatter *t, ask_symbol_fn *ask, void *data)
{
	t->ask_symbol = ask;
	t->ask_symbol_data = data;
}

void formatter_set_time(struct event_formatter *t, const struct time_view *view)
{
	t->columns.time = *view;
	columns_init(&t->columns);
}

static bool read_common(const struct rbmap_event *ev,
			struct rbmap_event_common *common)
{
	if (ev->size < sizeof(*common))
		return false;
	memcpy(common, ev->data, sizeof(*common));
	return true;
}

static struct event_info *info_of_id(struct event_formatter *t, uint16_t id)
{
	if (!t->event[id])
		formatter_want_format(t, id);
	return t->event[id];
}

struct tep_event *formatter_event(const struct event_formatter *t, int id)
{
	return id >= 0 && id < NR_EVENT_IDS && t->event[id] ? t->event[id]->event : NULL;
}

/* The label has a colon behind the name, and then spaces. */
void formatter_add_name(const struct event_formatter *t, int id, struct buf *out)
{
	const struct event_label *label = &t->event[id]->label;
	size_t size = label->size;

	while (label->text[size - 1] == ' ')
		size--;
	buf_add(out, label->text, size - 1);
}

int formatter_format_id(const struct rbmap_event *ev)
{
	struct rbmap_event_common common;

	return read_common(ev, &common) ? common.type : -1;
}

/*
 * Store a name for use in a line of text: cut it at characters that would break
 * the line. Return false if it is empty.
 */
static bool copy_comm(char *comm, const char *from, size_t size)
{
	size_t n = 0;

	while (n < size && n < COMM_SIZE - 1 && from[n] && from[n] != '\n') {
		comm[n] = from[n];
		n++;
	}
	comm[n] = '\0';
	return n;
}

/* Like copy_comm(), behind the name of the task's host. @comm has HOST_COMM_SIZE bytes. */
static bool copy_host_comm(const struct event_formatter *t, int pid, char *comm,
			   const char *from, size_t size)
{
	const struct dat_host *host = t->hosts ? dat_hosts_of_pid(t->hosts, pid) : NULL;
	int prefix = host ? snprintf(comm, DAT_HOST_NAME + 1, "%s:", host->name) : 0;

	return copy_comm(comm + prefix, from, size);
}

static void learn(struct event_formatter *t, int pid, const char *from, size_t size)
{
	struct asked *asked = &t->asked[pid & (NR_ASKED - 1)];
	char comm[HOST_COMM_SIZE];

	if (pid <= 0 || !copy_host_comm(t, pid, comm, from, size))
		return;
	formatter_add_comm(t, pid, comm);
	asked->pid = pid;
	asked->ts = t->now;
}

/*
 * Find the bytes of a name. The fields are in the event; a dynamic field may lead out of it.
 * Return their number.
 */
static size_t find_name(const struct tep_format_field *field, bool is_path,
			const struct rbmap_event *ev, const char **name)
{
	uint32_t offset = field->offset, size = field->size;
	const char *data = ev->data, *slash;

	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		if (size != sizeof(uint32_t))
			return 0;
		field_place(data, offset, size, field->flags & TEP_FIELD_IS_RELATIVE,
			    &offset, &size);
	}
	if (offset > ev->size)
		return 0;
	if (size > ev->size - offset)
		size = ev->size - offset;
	*name = data + offset;
	size = strnlen(*name, size);
	slash = is_path ? memrchr(*name, '/', size) : NULL;
	if (slash) {
		size -= slash + 1 - *name;
		*name = slash + 1;
	}
	return size;
}

static int pid_of_name(const struct name_fields *name, const struct rbmap_event *ev)
{
	int32_t pid;

	memcpy(&pid, (const char *)ev->data + name->pid->offset, sizeof(pid));
	return pid;
}

static void learn_names(struct event_formatter *t, const struct event_info *info,
			const struct rbmap_event *ev)
{
	for (unsigned int i = 0; i < info->nr_names; i++) {
		const struct name_fields *name = &info->name[i];
		const char *from = NULL;
		size_t size = find_name(name->comm, name->is_path, ev, &from);

		if (size)
			learn(t, pid_of_name(name, ev), from, size);
	}
}

bool formatter_needs_scan(const struct event_formatter *t)
{
	for (int id = 0; id < NR_EVENT_IDS; id++)
		if (t->event[id] && (t->event[id]->nr_names || t->event[id]->syscall))
			return true;
	return false;
}

/*
 * Return what the file of a running program says. A thread that has ended, or whose file may
 * not be read, is taken for a 64-bit one.
 */
static enum syscall_abi ask_abi(int pid)
{
	unsigned char head[EI_NIDENT] = "";
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return ABI_NATIVE;
	if (read(fd, head, sizeof(head)) != sizeof(head))
		head[EI_CLASS] = ELFCLASSNONE;
	close(fd);
	return head[EI_CLASS] == ELFCLASS32 ? ABI_COMPAT : ABI_NATIVE;
}

/* Return whether the event has the number of a system call of a 32-bit program. */
static bool learn_syscall(struct event_formatter *t, const struct event_info *info,
			  const struct rbmap_event *ev, int pid)
{
	struct syscall_state *state = syscall_states_get(t->syscalls, pid);

	if (state && state->abi == ABI_UNKNOWN && t->comm_from_proc && pid > 0 &&
	    syscalls_shows_compat(&t->machine))
		state->abi = ask_abi(pid);
	return state && syscalls_event_learn(info->syscall, &t->machine, ev->data, state);
}

void formatter_scan_end(struct event_formatter *t)
{
	syscall_states_rewind(t->syscalls);
}

int formatter_scan(struct event_formatter *t, const struct rbmap_event *ev)
{
	struct rbmap_event_common common;
	const struct event_info *info;
	int ret = 0;

	if (!read_common(ev, &common))
		return 0;
	info = t->event[common.type];
	if (!info || (int)ev->size < info->size)
		return 0;
	if (info->syscall) {
		learn_syscall(t, info, ev, common.pid);
		syscall_states_note(t->syscalls, common.pid);
	}
	for (unsigned int i = 0; i < info->nr_names && ret >= 0; i++) {
		const struct name_fields *name = &info->name[i];
		char comm[HOST_COMM_SIZE] = UNKNOWN_COMM;
		int pid = pid_of_name(name, ev);
		const char *from = "";
		size_t size = 0;

		/* The event does not say which name the thread had before it. */
		if (!name->is_path)
			size = find_name(name->before ? name->before : name->comm, false, ev, &from);
		if (pid > 0 && (name->is_path || copy_host_comm(t, pid, comm, from, size)))
			ret = task_names_set_first(t->names, pid, comm);
	}
	return ret;
}

/* A thread may be renamed without an event, so /proc is read again after a while. */
static bool asked_lately(const struct event_formatter *t, int pid)
{
	const struct asked *asked = &t->asked[pid & (NR_ASKED - 1)];

	return asked->pid == pid && t->now - asked->ts < ASK_AGAIN_NS;
}

static void ask_proc(struct event_formatter *t, int pid)
{
	struct asked *asked = &t->asked[pid & (NR_ASKED - 1)];
	char path[64], comm[64];
	ssize_t got;
	int fd;

	asked->pid = pid;
	asked->ts = t->now;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	got = read(fd, comm, sizeof(comm));
	close(fd);
	if (got > 0)
		learn(t, pid, comm, got);
}

bool formatter_has_printer(const struct event_formatter *t, int id)
{
	const struct event_info *info = id >= 0 && id < NR_EVENT_IDS ? t->event[id] : NULL;

	return info && (info->printer || info->syscall || info->tracer);
}

static const char *find_comm(const struct event_formatter *t, int pid)
{
	const char *comm = task_names_find(t->names, pid);

	return comm ? comm : UNKNOWN_COMM;
}

/* @host: that of the CPU, or NULL */
static const char *comm_of(struct event_formatter *t, int pid, const struct dat_host *host)
{
	struct found_comm *found = &t->found[pid & (NR_TASKS - 1)];

	if (!pid)
		return host ? host->idle : "<idle>";
	if (found->pid != pid || found->version != t->names_version)
		*found = (struct found_comm){ pid, t->names_version, find_comm(t, pid) };
	return found->comm;
}

/* Return the column of a thread, from the last time or new. */
static const struct task_column *task_of(struct event_formatter *t, const char *comm, int pid,
					 int cpu, const char *host)
{
	unsigned int i = (pid + 7U * cpu) & (NR_TASKS - 1);
	struct task_column *task = &t->task[i];

	if (t->task_version[i] != t->names_version || task->comm != comm ||
	    task->pid != pid || task->cpu != cpu || task->host != host) {
		columns_set_task(&t->columns, task, comm, pid, cpu, host);
		t->task_version[i] = t->names_version;
	}
	return task;
}

void formatter_show_cgroups(struct event_formatter *t, const struct dat_cgroups *cgroups)
{
	t->cgroups = cgroups;
}

void formatter_set_hosts(struct event_formatter *t, const struct dat_hosts *hosts)
{
	t->hosts = hosts;
}

const struct dat_host *formatter_host(const struct event_formatter *t, int cpu)
{
	return t->of->hosts ? dat_hosts_of_cpu(t->of->hosts, cpu) : NULL;
}

void formatter_add_cpu(const struct event_formatter *t, int cpu, struct buf *out)
{
	const struct dat_host *host = formatter_host(t, cpu);

	buf_add(out, "CPU:", 4);
	if (host) {
		buf_add_printable(out, host->name, strlen(host->name));
		buf_add(out, ":", 1);
	}
	buf_printf(out, "%d", cpu);
}

void formatter_raw(struct event_formatter *t, bool on)
{
	t->raw = on;
}

void formatter_stack_lines(struct event_formatter *t, bool on)
{
	t->stack_lines = on;
}

void formatter_with_json(struct event_formatter *t, bool on)
{
	t->with_json = on;
}

void formatter_set_layout(struct event_formatter *t, unsigned int pid_width, bool with_flags,
			  unsigned int name_width)
{
	t->columns.pid_width = pid_width;
	t->columns.with_flags = with_flags;
	t->labels.width = name_width;
}

const char *formatter_copy(struct event_formatter *t, const struct rbmap_event *ev)
{
	if (ev->size > t->copy_size || !t->copy) {
		size_t size = ev->size < 4096 ? 4096 : 2 * (size_t)ev->size;
		char *copy = calloc(1, size + COPY_TAIL);

		if (!copy)
			return NULL;
		free(t->copy);
		t->copy = copy;
		t->copy_size = size;
		t->copy_used = 0;
	}
	if (t->copy_used > ev->size)
		memset(t->copy + ev->size, 0, t->copy_used - ev->size);
	memcpy(t->copy, ev->data, ev->size);
	t->copy_used = ev->size;
	return t->copy;
}

/* Let libtraceevent print the event. It finds the format by the id. */
static int add_by_library(struct event_formatter *t, const struct rbmap_event *ev,
			  const struct event_info *info, struct buf *out)
{
	struct tep_record record = {
		.ts = ev->ts,
		.size = ev->size,
		.data = (void *)formatter_copy(t, ev),
		.cpu = ev->cpu,
		.ref_count = 1,
	};

	if (!record.data)
		return -ENOMEM;
	if (!array_lengths_are_sane(info->lengths, record.data, ev->size)) {
		buf_printf(out, "[%" PRIu32 " bytes, its format reads more]", ev->size);
		return 0;
	}
	trace_seq_reset(&t->seq);
	pthread_mutex_lock(&t->of->library);
	if (tep_find_event(t->of->tep, info->event->id) != info->event) {
		pthread_mutex_unlock(&t->of->library);
		buf_printf(out, "[%" PRIu32 " bytes, its format is there twice]", ev->size);
		return 0;
	}
	if (!crash_enter(info->mark, t->of->file, info->event->system, info->event->name)) {
		pthread_mutex_unlock(&t->of->library);
		buf_printf(out, "[%" PRIu32 " bytes, of no known format]", ev->size);
		return 0;
	}
	tep_print_event(t->of->tep, &t->seq, &record, "%s", TEP_PRINT_INFO);
	crash_leave();
	pthread_mutex_unlock(&t->of->library);
	trace_seq_terminate(&t->seq);
	if (t->seq.state == TRACE_SEQ__GOOD)
		buf_add(out, t->seq.buffer, strlen(t->seq.buffer));
	else
		buf_printf(out, "[too much text]");
	return 0;
}

static int add_body(struct event_formatter *t, const struct rbmap_event *ev,
		    const struct formatter_parts *parts, bool lines, struct buf *out)
{
	const struct event_info *info = parts->info;
	const struct tracer_print how = {
		.leaf = parts->is_leaf ? &parts->leaf : NULL,
		.lines = lines,
		.constants = t->of->constants,
	};

	if (!info)
		buf_printf(out, "[%" PRIu32 " bytes, of no known format]", ev->size);
	else if ((int)ev->size < info->size)
		buf_printf(out, "[%" PRIu32 " bytes, its format says %d]", ev->size,
			   info->size);
	else if (info->syscall)
		syscalls_event_print(info->syscall, &t->of->machine, parts->compat, ev->data, out);
	else if (info->tracer)
		tracer_event_print(info->tracer, ev->data, ev->size, &how, find_symbol, t->of,
				   out);
	else if (!info->printer ||
		 !printer_print(info->printer, ev->data, ev->size, find_symbol, t->of, out))
		return add_by_library(t, ev, info, out);
	return 0;
}

/*
 * Drop the newlines at the end of the text behind @before, replace the others, and escape
 * control characters.
 */
static void make_plain(struct buf *out, size_t before)
{
	char *at, *end;

	while (out->size > before && out->data[out->size - 1] == '\n')
		out->size--;
	if (is_printable(out->data + before, out->size - before))
		return;
	at = out->data + before;
	end = out->data + out->size;
	while (at < end && (at = memchr(at, '\n', end - at)))
		*at = ' ';
	buf_make_printable(out, before);
}

static int add_plain_body(struct event_formatter *t, const struct rbmap_event *ev,
			  const struct formatter_parts *parts, bool lines, struct buf *out)
{
	const struct event_info *info = parts->info;
	size_t before = out->size;
	int ret;

	ret = add_body(t, ev, parts, lines, out);
	if (ret)
		return ret;
	if (!info || !info->is_plain)
		make_plain(out, before);
	return out->failed ? -ENOMEM : 0;
}

int formatter_add_body(struct event_formatter *t, const struct rbmap_event *ev,
		       const struct formatter_parts *parts, struct buf *out)
{
	return add_plain_body(t, ev, parts, false, out);
}

static const struct tracer_event *tracer_of(const struct event_formatter *t,
					    const struct rbmap_event *ev)
{
	struct rbmap_event_common common;
	const struct event_info *info;

	if (!read_common(ev, &common))
		return NULL;
	info = t->event[common.type];
	return info && (int)ev->size >= info->size ? info->tracer : NULL;
}

bool formatter_is_call(const struct event_formatter *t, const struct rbmap_event *ev)
{
	return tracer_event_is_call(tracer_of(t, ev));
}

bool formatter_set_leaf(const struct event_formatter *t, const struct rbmap_event *call,
			const struct rbmap_event *end, struct formatter_parts *parts)
{
	parts->is_leaf = call->cpu == end->cpu && !end->lost &&
			 tracer_event_is_leaf(tracer_of(t, call), call->data, tracer_of(t, end),
					      end->data, &parts->leaf);
	return parts->is_leaf;
}

int formatter_parts(struct event_formatter *t, const struct rbmap_event *ev,
		    struct formatter_parts *parts)
{
	const struct event_info *info;

	*parts = (struct formatter_parts){ 0 };
	if (t->comm_from_proc)
		t->now = t->columns.time.is_counter ? now_ns() : ev->ts;
	if (!read_common(ev, &parts->common))
		return -EINVAL;
	info = info_of_id(t, parts->common.type);
	if (info) {
		parts->info = info;
		parts->whole = (int)ev->size >= info->size;
		if (parts->whole && info->nr_names)
			learn_names(t, info, ev);
		parts->json = info->json;
		parts->machine = &t->machine;
		if (parts->whole && info->syscall)
			parts->compat = learn_syscall(t, info, ev, parts->common.pid);
	}
	if (t->asks_proc && parts->common.pid > 0 &&
	    !asked_lately(t, parts->common.pid))
		ask_proc(t, parts->common.pid);
	parts->host = formatter_host(t, ev->cpu);
	parts->comm = comm_of(t, parts->common.pid, parts->host);
	if (t->with_json && t->cgroups && parts->common.pid > 0)
		parts->task = dat_cgroups_find(t->cgroups, parts->common.pid);
	return 0;
}

static void add_label(const struct event_label *label, struct buf *out)
{
	char *at;

	if (label->size > LABEL_COPY) {
		buf_add(out, label->text, label->size);
		return;
	}
	at = buf_room(out, LABEL_COPY);
	if (!at)
		return;
	/* A constant number of bytes needs no call. */
	memcpy(at, label->text, LABEL_COPY);
	buf_end(out, at + label->size);
}

/* "/shop/web (7)   " */
static void add_cgroup(const struct event_formatter *t, int pid, struct buf *out)
{
	const struct dat_task *task = pid > 0 ? dat_cgroups_find(t->of->cgroups, pid) : NULL;
	size_t begin = out->size;

	if (task)
		buf_add_printable(out, task->cgroup, strlen(task->cgroup));
	else
		buf_add(out, "-", 1);
	if (task && task->ns_pid)
		buf_printf(out, " (%d)", task->ns_pid);
	begin = out->size - begin;
	buf_printf(out, "%*s ", begin < CGROUP_WIDTH ? (int)(CGROUP_WIDTH - begin) : 0, "");
}

int formatter_add_event(struct event_formatter *t, const struct rbmap_event *ev,
			const struct formatter_parts *parts, struct buf *out)
{
	const struct task_column *task = task_of(t, parts->comm, parts->common.pid, ev->cpu,
						 parts->host ? parts->host->name : NULL);
	int ret;

	if (t->of->cgroups)
		add_cgroup(t, parts->common.pid, out);
	columns_add(&t->columns, task, &parts->common, ev->ts, out);
	if (parts->info)
		add_label(&parts->info->label, out);
	else
		buf_printf(out, "%s%u: ", t->unknown, parts->common.type);
	ret = add_plain_body(t, ev, parts, t->of->stack_lines, out);
	buf_add(out, "\n", 1);
	return ret ? ret : out->failed ? -ENOMEM : 0;
}

static void add_lost(const struct event_formatter *t, const struct rbmap_event *ev,
		     struct buf *out)
{
	if (!ev->lost)
		return;
	buf_printf(out, "%s", colour_begin(COLOUR_BAD));
	formatter_add_cpu(t, ev->cpu, out);
	if (ev->lost == RBMAP_LOST_UNKNOWN)
		buf_printf(out, " [LOST EVENTS]");
	else
		buf_printf(out, " [LOST %" PRIu64 " EVENTS]", ev->lost);
	buf_printf(out, "%s\n", colour_end(COLOUR_BAD));
}

static void add_raw(struct event_formatter *t, const struct rbmap_event *ev, struct buf *out)
{
	const unsigned char *data = ev->data;

	formatter_add_cpu(t, ev->cpu, out);
	columns_add_time(&t->columns, ev->ts, out);
	buf_printf(out, "%" PRIu32 " bytes:", ev->size);
	for (uint32_t i = 0; i < ev->size; i++)
		buf_printf(out, " %02x", data[i]);
	buf_add(out, "  |", 3);
	for (uint32_t i = 0; i < ev->size; i++)
		buf_add(out, data[i] >= ' ' && data[i] < 0x7f ? &data[i] :
			(const void *)".", 1);
	buf_add(out, "|\n", 2);
}

int formatter_add_line(struct event_formatter *t, const struct rbmap_event *ev, struct buf *out)
{
	struct formatter_parts parts;
	int ret;

	add_lost(t, ev, out);
	if (t->raw) {
		add_raw(t, ev, out);
		return out->failed ? -ENOMEM : 0;
	}
	ret = formatter_parts(t, ev, &parts);
	if (ret == -EINVAL) {
		formatter_add_cpu(t, ev->cpu, out);
		buf_printf(out, " [EVENT OF %" PRIu32 " BYTES]\n", ev->size);
		return out->failed ? -ENOMEM : 0;
	}
	return ret ? ret : formatter_add_event(t, ev, &parts, out);
}
