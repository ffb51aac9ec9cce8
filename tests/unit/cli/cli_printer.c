// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints random records of events, and compares the text with that of libtraceevent:
 *
 *	cli_printer [DIR [RECORDS]]
 *
 * DIR (tests/unit/lib/formats) has the formats, SYSTEM/EVENT/format. Each event gets RECORDS
 * (2000) records. One result is printed for each system, without plugins and with them.
 * Events of a system "library" must be printed by libtraceevent. RBMAP_TEST_SEED=N sets the
 * seed.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "base/printable.h"
#include "print/line.h"
#include "print/session_formats.h"
#include "print/tracer_events.h"
#include "symbols/symbols.h"
#include "tap.h"

#define RECORD_MAX	4096
#define ZEROS		(4 * 65536)	/* as in text.c: no 16-bit offset leads out */

static const char kallsyms[] =
	"ffffffff81000000 T first\n"
	"ffffffff81000100 t second\n"
	"ffffffff81000200 t a_name_of_a_hundred_and_thirty_letters_and_more_which_the_plugins_of_"
	"libtraceevent_cut_behind_their_hundred_and_twenty_seventh_one_and_rbmap_does\n"
	"ffffffffc0001000 t last\t[module]\n";
static const uint64_t addresses[] = {
	0xffffffff81000000, 0xffffffff81000123, 0xffffffff81000234, 0xffffffffc0001010, 0x1000, 0,
};

static struct symbols *symbols;
static uint64_t state;
static volatile sig_atomic_t in_library;
static sigjmp_buf crashed;

/* xorshift64*: the same numbers from the same seed on each machine */
static uint64_t next_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

static unsigned int pick(unsigned int nr)
{
	return (next_random() >> 32) % nr;
}

static char *find_name(void *priv, unsigned long long *addr, char **module)
{
	const struct symbol *symbol = symbols_find(symbols, *addr);

	(void)priv;
	if (!symbol)
		return NULL;
	*addr = symbol->addr;
	*module = symbol->module;
	return symbol->name;
}

/* ---- records */

static void fill(char *at, size_t size)
{
	uint64_t value = next_random();

	switch (pick(6)) {
	case 0:
		value = 0;
		break;
	case 1:
		value = UINT64_MAX;
		break;
	case 2:
		value = addresses[pick(sizeof(addresses) / sizeof(addresses[0]))];
		break;
	case 3:
		value &= 0xff;
		break;
	}
	for (size_t i = 0; i < size; i++)
		at[i] = i < sizeof(value) ? (char)(value >> 8 * i) : (char)next_random();
}

static void fill_text(char *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = pick(20) ? 'a' + pick(26) : (unsigned int)"\n %\"\\"[pick(5)];
	if (size && pick(4))
		at[pick(size)] = '\0';
}

/* Fill a dynamic field with the place of new bytes at the end, or with any place. */
static size_t fill_dynamic(char *record, const struct tep_format_field *f, size_t size)
{
	uint32_t len = pick(5) ? pick(40) : 0, offset = size, place;

	if (f->size != sizeof(place))
		return size;
	if (f->flags & TEP_FIELD_IS_STRING)
		fill_text(record + size, len);
	else
		fill(record + size, len);
	size += len;
	if (f->flags & TEP_FIELD_IS_RELATIVE)
		offset -= f->offset + f->size;
	place = len << 16 | (offset & 0xffff);
	if (!pick(10))
		place = next_random();
	memcpy(record + f->offset, &place, sizeof(place));
	return size;
}

/* Return the size of the record, or 0 if the format has no sane fields. */
static size_t make_record(const struct tep_event *event, char *record)
{
	const struct tep_format_field *f;
	size_t size = sizeof(struct rbmap_event_common);
	uint16_t type = event->id;

	memset(record, 0, RECORD_MAX);
	for (f = event->format.fields; f; f = f->next) {
		if (f->offset < 0 || f->size < 0 || f->offset + f->size > RECORD_MAX / 2)
			return 0;
		if (size < (size_t)f->offset + f->size)
			size = f->offset + f->size;
	}
	fill(record, size);
	for (f = event->format.fields; f; f = f->next) {
		if (f->flags & TEP_FIELD_IS_DYNAMIC)
			size = fill_dynamic(record, f, size);
		else if (f->flags & TEP_FIELD_IS_STRING)
			fill_text(record + f->offset, f->size);
		else if (!(f->flags & TEP_FIELD_IS_ARRAY))
			fill(record + f->offset, f->size);
		if (size > RECORD_MAX / 2)
			break;
	}
	fill_text(record + size, 40);
	size += pick(40);
	memset(record + size, 0, 40);
	memcpy(record, &type, sizeof(type));
	return size;
}

/* ---- compare */

/* Return the library's text in one line, escaped for a terminal, until the next call. */
static char *library_text(struct tep_event *event, char *record, size_t size,
			  struct trace_seq *s)
{
	struct tep_record r = { .size = size, .data = record, .ref_count = 1 };
	static struct buf escaped;
	size_t len;

	trace_seq_reset(s);
	tep_print_event(event->tep, s, &r, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(s);
	len = strlen(s->buffer);
	while (len && s->buffer[len - 1] == '\n')
		s->buffer[--len] = '\0';
	for (char *at = s->buffer; (at = strchr(at, '\n')); )
		*at = ' ';
	escaped.size = 0;
	buf_add_printable(&escaped, s->buffer, len);
	buf_add(&escaped, "", 1);
	return escaped.data;
}

/* Does rbmap print this event as trace-cmd does? The library without plugins does not. */
static bool is_tracers(struct tep_event *event)
{
	struct tracer_event *tracers = tracer_event_new(event, sizeof(long));

	free(tracers);
	return tracers;
}

/* Return false if a text differs. */
static bool compare_records(struct tep_event *event, struct print_session *session,
			    unsigned int nr)
{
	char *record = calloc(1, RECORD_MAX + ZEROS);
	struct print_line *line = print_line_new(session);
	struct event_parts parts;
	struct buf ours = { 0 };
	struct trace_seq s;
	bool same = true;

	trace_seq_init(&s);
	for (unsigned int i = 0; same && i < nr; i++) {
		struct rbmap_event ev = { .data = record };
		char *theirs, *copy;

		ev.size = make_record(event, record);
		if (!ev.size)
			break;
		in_library = true;
		theirs = library_text(event, record, ev.size, &s);
		in_library = false;
		/* Exactly as large as the record: sanitizers see each byte behind it. */
		copy = malloc(ev.size);
		memcpy(copy, record, ev.size);
		ev.data = copy;
		ours.size = 0;
		same = !print_session_find_parts(session, &ev, &parts) &&
		       !print_line_add_body(line, &ev, &parts, &ours) &&
		       ours.size == strlen(theirs) &&
		       (!ours.size || !memcmp(ours.data, theirs, ours.size));
		if (!same)
			diag("%s:%s: %s\ngot:    %.*s\nwanted: %s", event->system,
			     event->name, event->print_fmt.format, (int)ours.size,
			     ours.data ? ours.data : "", theirs);
		free(copy);
	}
	trace_seq_destroy(&s);
	buf_free(&ours);
	print_line_free(line);
	free(record);
	return same;
}

/*
 * libtraceevent itself crashes on some records: it divides by a field that is 0, and
 * __print_hex() trusts the length.
 */
static void leave_library(int sig)
{
	if (in_library) {
		in_library = false;
		siglongjmp(crashed, 1);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static bool compare_event(struct tep_event *event, struct print_session *session,
			  unsigned int nr)
{
	if (!sigsetjmp(crashed, 1))
		return compare_records(event, session, nr);
	diag("%s:%s: libtraceevent crashes", event->system, event->name);
	return true;
}

/* ---- formats */

/* A format begins with the name of the event; a comment may stand before it. */
static struct tep_event *parse(struct tep_handle *tep, struct print_session *session,
			       const char *system, const struct buf *file)
{
	const char *format = strstr(file->data, "name: ");
	struct tep_event *event = NULL;
	size_t size;

	if (!format)
		return NULL;
	size = file->data + file->size - format;
	if (!print_session_add_format(session, system, format, size))
		tep_parse_format(tep, &event, format, size, system);
	return event;
}

/* Events of system calls are printed with names, which libtraceevent does not do. */
static bool has_names(const char *system)
{
	return !strcmp(system, "raw_syscalls");
}

static void compare_system(const char *dir, const char *system, unsigned int nr,
			   bool plugins, unsigned int *all, unsigned int *of_plugins)
{
	const char *with = plugins ? " with plugins" : "";
	struct tep_handle *tep = tep_alloc();
	struct print_session *session = print_session_new();
	struct tep_plugin_list *loaded = plugins ? tep_load_plugins(tep) : NULL;
	unsigned int events = 0, good = 0, printers = 0;
	struct dirent *entry;
	char path[4096];
	DIR *d;

	/* A virtual machine has no plugins, and the results would be the same. */
	if (plugins && !loaded) {
		print_session_free(session);
		tep_free(tep);
		return;
	}
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, sizeof(long));
	tep_set_function_resolver(tep, find_name, NULL);
	print_session_set_kallsyms(session, kallsyms, sizeof(kallsyms) - 1);
	if (plugins)
		print_session_load_plugins(session);
	snprintf(path, sizeof(path), "%s/%s", dir, system);
	d = opendir(path);
	while (d && (entry = readdir(d))) {
		struct buf format = { 0 };
		struct tep_event *event;

		snprintf(path, sizeof(path), "%s/%s/%s/format", dir, system,
			 entry->d_name);
		if (entry->d_name[0] != '.' && !buf_read_file(&format, path) &&
		    format.size) {
			buf_add(&format, "", 1);
			format.size--;
			event = parse(tep, session, system, &format);
			if (event && is_tracers(event)) {
				diag("%s:%s: tests/corpus compares it", system, event->name);
			} else if (event) {
				events++;
				good += compare_event(event, session, nr);
				printers += print_session_has_printer(session, event->id);
				*of_plugins += event->handler != NULL;
			}
		}
		buf_free(&format);
	}
	if (d)
		closedir(d);
	if (events)
		is(good, events, "%s%s: events that print as in libtraceevent", system, with);
	if (!strcmp(system, "library"))
		is(printers, 0, "%s%s: events with a printer", system, with);
	else
		diag("%s%s: %u of %u events have a printer", system, with, printers, events);
	*all += printers;
	print_session_free(session);
	if (loaded)
		tep_unload_plugins(loaded, tep);
	tep_free(tep);
}

int main(int argc, char **argv)
{
	const char *seed = getenv("RBMAP_TEST_SEED");
	const char *dir = argc > 1 ? argv[1] : "tests/unit/lib/formats";
	unsigned int nr = argc > 2 ? atoi(argv[2]) : 2000, printers = 0, with_plugins = 0;
	unsigned int of_plugins = 0;
	bool own_formats = false;
	struct dirent *entry;
	DIR *d;

	signal(SIGFPE, leave_library);
	signal(SIGSEGV, leave_library);
	signal(SIGBUS, leave_library);
	state = seed ? strtoull(seed, NULL, 0) : 1;
	diag("seed %" PRIu64, state);
	symbols = symbols_new();
	symbols_add(symbols, kallsyms, sizeof(kallsyms) - 1);
	d = opendir(dir);
	if (!d)
		bail_out("%s: %s", dir, strerror(errno));
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.' || has_names(entry->d_name))
			continue;
		own_formats |= !strcmp(entry->d_name, "library");
		compare_system(dir, entry->d_name, nr, false, &printers, &of_plugins);
		compare_system(dir, entry->d_name, nr, true, &with_plugins,
			       &of_plugins);
	}
	closedir(d);
	symbols_free(symbols);
	ok(printers > 0, "%u events have a printer, %u with plugins", printers,
	   with_plugins);
	if (own_formats)
		ok(of_plugins > 0, "plugins print %u events", of_plugins);
	return done_testing();
}
