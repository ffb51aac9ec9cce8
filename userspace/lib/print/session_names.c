// SPDX-License-Identifier: LGPL-2.1-only
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

#include "base/process.h"
#include "event_common.h"
#include "recording/dat_hosts.h"
#include "session_names.h"
#include "session_parts.h"

#define COMM_MAX	(64 + DAT_HOST_NAME)	/* /proc has up to 63 bytes of a kernel thread's */
#define ASK_AGAIN_NS	1000000000ULL

static struct task_field field_of(const struct tep_format_field *f)
{
	return (struct task_field){
		.offset = f->offset,
		.size = f->size,
		.dynamic = f->flags & TEP_FIELD_IS_DYNAMIC,
		.relative = f->flags & TEP_FIELD_IS_RELATIVE,
	};
}

static void add_name(struct event_info *info, const struct tep_format_field *f)
{
	const struct tep_format_field *pid, *before = NULL;
	char room[TASK_FIELD_NAME];
	const char *name = task_fields_pid(info->event->name, f->name, room);

	pid = name ? tep_find_field(info->event, name) : NULL;
	if (!pid || pid->size != sizeof(int32_t))
		return;
	if (!strcmp(f->name, "newcomm"))
		before = tep_find_field(info->event, "oldcomm");
	info->name[info->nr_names++] = (struct name_fields){
		.comm = field_of(f), .pid = pid->offset,
		.before = field_of(before ? before : f),
		.is_path = task_fields_is_path(info->event->name, f->name),
	};
}

void print_session_find_names(struct event_info *info)
{
	for (struct tep_format_field *f = info->event->format.fields; f; f = f->next) {
		if (f->offset + f->size > info->size)
			info->size = f->offset + f->size;
		if (info->nr_names < MAX_NAMES)
			add_name(info, f);
	}
}

int print_session_add_comm(struct print_session *s, int pid, const char *comm)
{
	char cut[COMM_MAX];
	int ret;

	/* Each event of the thread has its name. */
	if (strnlen(comm, COMM_MAX) == COMM_MAX) {
		memcpy(cut, comm, COMM_MAX - 1);
		cut[COMM_MAX - 1] = '\0';
		comm = cut;
	}
	ret = task_names_set(s->names, pid, comm);
	if (ret > 0)
		s->names_version++;
	return ret < 0 ? ret : 0;
}

int print_session_each_comm(const struct print_session *s, task_name_fn *each, void *data)
{
	return task_names_each(s->names, each, data);
}

void print_session_comm_from_proc(struct print_session *s, bool on)
{
	s->comm_from_proc = on;
	s->asks_proc = on && proc_pids() == PROC_PIDS_KERNEL;
}

void print_session_keep_comms(struct print_session *s)
{
	task_names_keep(s->names);
	s->keeps_names = true;
}

static void learn(struct print_session *s, int pid, const char *from, size_t size)
{
	struct asked *asked = &s->asked[pid & (NR_ASKED - 1)];
	char comm[TASK_NAME_SIZE];

	if (pid <= 0 || !task_name_copy(s->hosts, pid, comm, from, size))
		return;
	print_session_add_comm(s, pid, comm);
	asked->pid = pid;
	asked->ts = s->now;
}

static void learn_names(struct print_session *s, const struct event_info *info,
			const struct rbmap_event *ev)
{
	for (unsigned int i = 0; i < info->nr_names; i++) {
		const struct name_fields *name = &info->name[i];
		const char *from = NULL;
		size_t size = task_field_text(name->comm, name->is_path, ev, &from);

		if (size)
			learn(s, task_field_pid(name->pid, ev), from, size);
	}
}

bool print_session_needs_scan(const struct print_session *s)
{
	for (int id = 0; id < NR_EVENT_IDS; id++)
		if (s->event[id] && (s->event[id]->nr_names || s->event[id]->syscall))
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
static bool learn_syscall(struct print_session *s, const struct event_info *info,
			  const struct rbmap_event *ev, int pid)
{
	struct syscall_state *state = syscall_states_get(s->syscalls, pid);

	if (state && state->abi == ABI_UNKNOWN && s->asks_proc && pid > 0 &&
	    syscalls_shows_compat(&s->machine))
		state->abi = ask_abi(pid);
	return state && syscalls_event_learn(info->syscall, &s->machine, ev->data, state);
}

void print_session_scan_end(struct print_session *s)
{
	syscall_states_rewind(s->syscalls);
}

/* Learn the first kind of a thread's system calls. */
static void scan_syscall(struct print_session *s, const struct event_info *info,
			 const struct rbmap_event *ev, int pid)
{
	if (syscall_states_first(s->syscalls, pid) != ABI_UNKNOWN)
		return;
	learn_syscall(s, info, ev, pid);
	syscall_states_note(s->syscalls, pid);
}

/* Learn the name that a thread had before the first event that says one. */
static int scan_name(struct print_session *s, const struct name_fields *name,
		     const struct rbmap_event *ev)
{
	char comm[TASK_NAME_SIZE] = UNKNOWN_COMM;
	int pid = task_field_pid(name->pid, ev);
	const char *from = "";
	size_t size = 0;

	if (pid <= 0 || task_names_has_first(s->names, pid))
		return 0;
	/* The event does not say which name the thread had before it. */
	if (name->is_path)
		return task_names_set_first(s->names, pid, comm);
	size = task_field_text(name->before, false, ev, &from);
	return task_name_copy(s->hosts, pid, comm, from, size) ?
	       task_names_set_first(s->names, pid, comm) : 0;
}

int print_session_scan(struct print_session *s, const struct rbmap_event *ev)
{
	struct rbmap_event_common common;
	const struct event_info *info;
	int ret = 0;

	if (!event_common(ev, &common))
		return 0;
	info = s->event[common.type];
	if (!info || (int)ev->size < info->size)
		return 0;
	if (info->syscall)
		scan_syscall(s, info, ev, common.pid);
	for (unsigned int i = 0; i < info->nr_names && ret >= 0; i++)
		ret = scan_name(s, &info->name[i], ev);
	return ret;
}

/* A thread may be renamed without an event, so /proc is read again after a while. */
static bool asked_lately(const struct print_session *s, int pid)
{
	const struct asked *asked = &s->asked[pid & (NR_ASKED - 1)];

	return asked->pid == pid && s->now - asked->ts < ASK_AGAIN_NS;
}

static void ask_proc(struct print_session *s, int pid)
{
	struct asked *asked = &s->asked[pid & (NR_ASKED - 1)];
	char path[64], comm[64];
	ssize_t got;
	int fd;

	asked->pid = pid;
	asked->ts = s->now;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	got = read(fd, comm, sizeof(comm));
	close(fd);
	if (got > 0)
		learn(s, pid, comm, got);
}

static const char *find_comm(const struct print_session *s, int pid)
{
	const char *comm = task_names_find(s->names, pid);

	return comm ? comm : UNKNOWN_COMM;
}

void print_session_learn(struct print_session *s, const struct rbmap_event *ev,
			 struct event_parts *parts)
{
	if (parts->info->nr_names)
		learn_names(s, parts->info, ev);
	if (parts->info->syscall)
		parts->compat = learn_syscall(s, parts->info, ev, parts->common.pid);
}

const char *print_session_comm(struct print_session *s, const struct event_parts *parts)
{
	int pid = parts->common.pid;
	struct found_comm *found = &s->found[pid & (NR_FOUND - 1)];

	if (s->asks_proc && pid > 0 && !asked_lately(s, pid))
		ask_proc(s, pid);
	if (!pid)
		return parts->host ? parts->host->idle : "<idle>";
	if (found->pid != pid || found->version != s->names_version)
		*found = (struct found_comm){ pid, s->names_version, find_comm(s, pid) };
	return found->comm;
}
