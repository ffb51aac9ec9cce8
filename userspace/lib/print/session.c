// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

#include "base/printable.h"
#include "event_common.h"
#include "print/fields/constants.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"
#include "session.h"
#include "session_names.h"
#include "session_parts.h"
#include "symbols/symbols.h"

#define REPORT_PID_WIDTH	5
#define REPORT_NAME_WIDTH	20

static void parse_symbols(struct print_session *s)
{
	pthread_mutex_lock(&s->symbols_lock);
	if (!s->symbols_parsed && s->kallsyms)
		symbols_add(s->symbols, s->kallsyms, s->kallsyms_size);
	/* Pairs with the acquire in print_session_find_symbol(): the symbols are complete. */
	__atomic_store_n(&s->symbols_parsed, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&s->symbols_lock);
}

const struct symbol *print_session_find_symbol(void *session, uint64_t addr)
{
	struct print_session *s = session;

	if (s->ask_symbol)
		return s->ask_symbol(s->ask_symbol_data, addr);
	if (!__atomic_load_n(&s->symbols_parsed, __ATOMIC_ACQUIRE))
		parse_symbols(s);
	return symbols_find(s->symbols, addr);
}

static char *resolve(void *priv, unsigned long long *addr, char **module)
{
	const struct symbol *symbol = print_session_find_symbol(priv, *addr);

	if (!symbol)
		return NULL;
	*addr = symbol->addr;
	*module = symbol->module;
	return symbol->name;
}

struct print_session *print_session_new(void)
{
	struct print_session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->unknown = "event ";
	s->layout.pid_width = 7;
	s->layout.with_flags = true;
	pthread_mutex_init(&s->library, NULL);
	pthread_mutex_init(&s->symbols_lock, NULL);
	s->tep = tep_alloc();
	s->symbols = symbols_new();
	s->names = task_names_new();
	s->constants = constants_new();
	s->syscalls = syscall_states_new();
	s->machine = syscalls_machine(NULL);
	if (!s->tep || !s->symbols || !s->names || !s->constants || !s->syscalls) {
		print_session_free(s);
		return NULL;
	}
	/* Formats that cannot be parsed are printed field by field. */
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(s->tep, sizeof(long));
	tep_set_page_size(s->tep, sysconf(_SC_PAGESIZE));
	tep_set_file_bigendian(s->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN :
							    TEP_LITTLE_ENDIAN);
	tep_set_function_resolver(s->tep, resolve, s);
	return s;
}

void print_session_free(struct print_session *s)
{
	if (!s)
		return;
	if (s->plugins)
		tep_unload_plugins(s->plugins, s->tep);
	print_session_free_formats(s);
	event_labels_free(&s->labels);
	if (s->tep)
		tep_free(s->tep);
	symbols_free(s->symbols);
	task_names_free(s->names);
	constants_free(s->constants);
	syscall_states_free(s->syscalls);
	pthread_mutex_destroy(&s->library);
	pthread_mutex_destroy(&s->symbols_lock);
	free(s);
}

void print_session_set_uname(struct print_session *s, const char *uname)
{
	s->machine = syscalls_machine_of(uname);
}

void print_session_set_long_size(struct print_session *s, unsigned int size)
{
	tep_set_long_size(s->tep, size);
}

void print_session_set_report_layout(struct print_session *s, bool as_json)
{
	print_session_set_layout(s, REPORT_PID_WIDTH, false, REPORT_NAME_WIDTH);
	print_session_stack_lines(s, !as_json);
	print_session_with_json(s, as_json);
}

void print_session_load_plugins(struct print_session *s)
{
	if (!s->plugins)
		s->plugins = tep_load_plugins(s->tep);
}

void print_session_set_file(struct print_session *s, unsigned int file)
{
	s->file = file;
}

void print_session_show_unknown_as(struct print_session *s, const char *prefix)
{
	s->unknown = prefix;
}

void print_session_set_kallsyms(struct print_session *s, const char *kallsyms, size_t size)
{
	s->kallsyms = kallsyms;
	s->kallsyms_size = size;
	s->symbols_parsed = false;
}

static void register_string(void *data, uint64_t addr, const char *text)
{
	struct print_session *s = data;
	char *line;

	/*
	 * libtraceevent removes the quotes and the newline, and reads bytes before a text
	 * that has fewer than two characters.
	 */
	if (asprintf(&line, "\"%s\\n\"", text) < 0)
		return;
	tep_register_print_string(s->tep, line, addr);
	free(line);
}

int print_session_set_constants(struct print_session *s, const char *text, size_t size)
{
	int ret = constants_add(s->constants, text, size);

	if (!ret)
		constants_each(s->constants, register_string, s);
	return ret;
}

void print_session_ask_symbols(struct print_session *s, ask_symbol_fn *ask, void *data)
{
	s->ask_symbol = ask;
	s->ask_symbol_data = data;
}

void print_session_set_time(struct print_session *s, const struct time_view *view)
{
	s->layout.time = *view;
	}

void print_session_show_cgroups(struct print_session *s, const struct dat_cgroups *cgroups)
{
	s->cgroups = cgroups;
}

void print_session_set_hosts(struct print_session *s, const struct dat_hosts *hosts)
{
	s->hosts = hosts;
}

const struct dat_host *print_session_host(const struct print_session *s, int cpu)
{
	return s->hosts ? dat_hosts_of_cpu(s->hosts, cpu) : NULL;
}

void print_session_add_cpu(const struct print_session *s, int cpu, struct buf *out)
{
	const struct dat_host *host = print_session_host(s, cpu);

	buf_add(out, "CPU:", 4);
	if (host) {
		buf_add_printable(out, host->name, strlen(host->name));
		buf_add(out, ":", 1);
	}
	buf_printf(out, "%d", cpu);
}

void print_session_raw(struct print_session *s, bool on)
{
	s->raw = on;
}

void print_session_stack_lines(struct print_session *s, bool on)
{
	s->stack_lines = on;
}

void print_session_with_json(struct print_session *s, bool on)
{
	s->with_json = on;
}

void print_session_set_layout(struct print_session *s, unsigned int pid_width, bool with_flags,
			  unsigned int name_width)
{
	s->layout.pid_width = pid_width;
	s->layout.with_flags = with_flags;
	s->labels.width = name_width;
}

static const struct tracer_event *tracer_of(const struct print_session *s,
					    const struct rbmap_event *ev)
{
	struct rbmap_event_common common;
	const struct event_info *info;

	if (!event_common(ev, &common))
		return NULL;
	info = s->event[common.type];
	return info && (int)ev->size >= info->size ? info->tracer : NULL;
}

bool print_session_is_call(const struct print_session *s, const struct rbmap_event *ev)
{
	return tracer_event_is_call(tracer_of(s, ev));
}

bool print_session_set_leaf(const struct print_session *s, const struct rbmap_event *call,
			const struct rbmap_event *end, struct event_parts *parts)
{
	parts->is_leaf = call->cpu == end->cpu && !end->lost &&
			 tracer_event_is_leaf(tracer_of(s, call), call->data, tracer_of(s, end),
					      end->data, &parts->leaf);
	return parts->is_leaf;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

int print_session_find_parts(struct print_session *s, const struct rbmap_event *ev,
			     struct event_parts *parts)
{
	*parts = (struct event_parts){ 0 };
	if (s->comm_from_proc)
		s->now = s->layout.time.is_counter ? now_ns() : ev->ts;
	if (!event_common(ev, &parts->common))
		return -EINVAL;
	parts->info = print_session_event_info(s, parts->common.type);
	if (parts->info) {
		parts->whole = (int)ev->size >= parts->info->size;
		parts->json = parts->info->json;
		parts->machine = &s->machine;
		if (parts->whole)
			print_session_learn(s, ev, parts);
	}
	parts->host = print_session_host(s, ev->cpu);
	parts->comm = print_session_comm(s, parts);
	if (s->with_json && s->cgroups && parts->common.pid > 0)
		parts->task = dat_cgroups_find(s->cgroups, parts->common.pid);
	return 0;
}
