// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare filters with ftrace's. Random expressions are written to both. Both
 * must refuse the same ones with the same words. Both must record the same
 * events of those that one processor causes between two system calls.
 *
 *	filters expressions SYSTEM/EVENT NUMBER [SEED]
 *	filters pids		the same for set_event_pid and options/event-fork
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "../../unit/filter/filter_grammar.h"
#include "client.h"
#include "tap.h"

#define BEGIN		0x72626d01	/* numbers of system calls that do not exist */
#define END		0x72626d02
#define CPU		0
#define MAX_FIELDS	24
#define MAX_SAMPLES	12
#define MAX_RECORDS	20000
#define MAX_EVENTS	8
#define MAX_CHILDREN	16

/*
 * Number of tries. A window is opened again if an interrupt hits it between the
 * two probes.
 */
#define TRIES		16

#define CALL		"raw_syscalls/sys_enter"
#define COMMON_PID	4	/* offset in each record */
#define EDGES		"id == 0x72626d01 || id == 0x72626d02"

struct field {
	char		name[64];
	unsigned int	offset;
	unsigned int	size;
	bool		is_signed;
	bool		is_string;
	bool		is_dynamic;
	char		*sample[MAX_SAMPLES + 1];
};

struct event {
	char		name[64];
	int		id;
	struct field	field[MAX_FIELDS];
	int		nr_fields;
};

struct source {
	const char	*control;
	const char	*raw;
	int		raw_fd;
	struct event	event[MAX_EVENTS];
	int		nr_events;
	int		edge_id;	/* id of sys_exit */
	unsigned int	edge_offset;
	uint64_t	key[MAX_RECORDS];
	size_t		nr;
	pid_t		caller[MAX_RECORDS];	/* common_pid in the records of sys_enter */
	size_t		nr_calls;
};

static struct source ours = {
	.control	= "/sys/kernel/rbmap",
	.raw		= "/dev/rbmap/cpu%d",
};

static struct source theirs = {
	.control	= "/sys/kernel/tracing/instances/filters",
	.raw		= "/sys/kernel/tracing/instances/filters/per_cpu/cpu%d/trace_pipe_raw",
};

/* Files */

static int try_put(const struct source *source, const char *file,
		   const char *value)
{
	char path[256];
	int fd, error = 0;

	snprintf(path, sizeof(path), "%s/%s", source->control, file);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		bail_out("%s: %s", path, error_name(errno));
	if (write(fd, value, strlen(value)) < 0)
		error = errno;
	close(fd);
	return error;
}

static void put(const struct source *source, const char *file,
		const char *value)
{
	int error = try_put(source, file, value);

	if (error)
		bail_out("%s/%s: %s: %s", source->control, file, value,
			 error_name(error));
}

static void put_both(const char *file, const char *value)
{
	put(&theirs, file, value);
	put(&ours, file, value);
}

static void get(const struct source *source, const char *file, char *text,
		size_t size)
{
	char path[256];
	ssize_t len, all = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", source->control, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		bail_out("%s: %s", path, error_name(errno));
	while ((len = read(fd, text + all, size - 1 - all)) > 0)
		all += len;
	text[all] = 0;
	close(fd);
}

static void parse(const struct source *source, struct event *event)
{
	char path[256], line[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/%s/format", source->control,
		 event->name);
	file = fopen(path, "re");
	if (!file)
		bail_out("%s: %s", path, error_name(errno));
	while (fgets(line, sizeof(line), file)) {
		struct field *field = &event->field[event->nr_fields];
		char *end = strchr(line, ';'), *word;
		int is_signed;

		sscanf(line, "ID: %d", &event->id);
		if (!end || sscanf(end, "; offset:%u; size:%u; signed:%d;",
				   &field->offset, &field->size,
				   &is_signed) != 3)
			continue;
		*end = 0;
		field->is_signed = is_signed;
		field->is_dynamic = strstr(line, "__data_loc");
		field->is_string = strstr(line, "char") && strchr(line, '[');
		word = strrchr(line, ' ') + 1;
		snprintf(field->name, sizeof(field->name), "%.*s",
			 (int)strcspn(word, "["), word);
		if (event->nr_fields == MAX_FIELDS - 1)
			bail_out("%s has too many fields", event->name);
		event->nr_fields++;
	}
	fclose(file);
}

static struct field *field_of(struct event *event, const char *name)
{
	for (int i = 0; i < event->nr_fields; i++) {
		if (!strcmp(event->field[i].name, name))
			return &event->field[i];
	}
	bail_out("%s has no %s", event->name, name);
}

static void open_source(struct source *source)
{
	struct event edge = { .name = "raw_syscalls/sys_exit" };
	char path[256];

	parse(source, &edge);
	source->edge_id = edge.id;
	source->edge_offset = field_of(&edge, "id")->offset;
	put(source, "events/raw_syscalls/sys_exit/filter", EDGES);
	put(source, "events/raw_syscalls/sys_exit/enable", "1");
	snprintf(path, sizeof(path), source->raw, CPU);
	source->raw_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (source->raw_fd < 0)
		bail_out("%s: %s", path, error_name(errno));
}

static void add_event(struct source *source, const char *name)
{
	struct event *event = &source->event[source->nr_events++];
	char file[128];

	snprintf(event->name, sizeof(event->name), "%s", name);
	parse(source, event);
	snprintf(file, sizeof(file), "events/%s/enable", name);
	put(source, file, "1");
}

/* Records */

static uint64_t hash(uint64_t sum, const void *data, size_t size)
{
	const unsigned char *byte = data;

	while (size--)
		sum = (sum ^ *byte++) * 0x100000001b3ull;
	return sum;
}

/* Find the value of a field, and its length. */
static const char *value_of(const struct field *field,
			    const struct record *record, unsigned int *size)
{
	uint32_t loc;

	*size = field->size;
	if (!field->is_dynamic)
		return record->payload + field->offset;
	memcpy(&loc, record->payload + field->offset, sizeof(loc));
	*size = loc >> 16;
	return record->payload + (loc & 0xffff);
}

/*
 * Hash the fields of a record, except fields that differ by nature or by an
 * interrupt.
 */
static uint64_t key_of(const struct event *event, const struct record *record)
{
	uint64_t sum = hash(0xcbf29ce484222325ull, event->name,
			    strlen(event->name));

	for (int i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->field[i];
		unsigned int size;
		const char *value;

		if (!strcmp(field->name, "common_type") ||
		    !strcmp(field->name, "common_flags"))
			continue;
		value = value_of(field, record, &size);
		sum = hash(sum, value, size);
	}
	return sum;
}

static void add_sample(struct field *field, const struct record *record)
{
	char text[64] = "";
	unsigned int size;
	const char *value = value_of(field, record, &size);
	int64_t number = 0;
	int i;

	if (field->is_string) {
		snprintf(text, sizeof(text), "%.*s", (int)size, value);
	} else if (size <= 8) {
		memcpy(&number, value, size);
		if (field->is_signed && size < 8)
			number = (int64_t)((uint64_t)number << (64 - 8 * size)) >>
				 (64 - 8 * size);
		snprintf(text, sizeof(text), "%" PRId64, number);
	}
	for (i = 0; field->sample[i]; i++) {
		if (!strcmp(field->sample[i], text))
			return;
	}
	if (i < MAX_SAMPLES)
		field->sample[i] = strdup(text);
}

static long edge_of(const struct source *source, const struct record *record)
{
	uint16_t type;
	long id;

	memcpy(&type, record->payload, sizeof(type));
	if (type != source->edge_id)
		return 0;
	memcpy(&id, record->payload + source->edge_offset, sizeof(id));
	return id;
}

static pid_t pid_of(const struct record *record)
{
	int32_t pid;

	memcpy(&pid, record->payload + COMMON_PID, sizeof(pid));
	return pid;
}

static void add(struct source *source, const struct record *record, bool sample)
{
	uint16_t type;

	memcpy(&type, record->payload, sizeof(type));
	for (int i = 0; i < source->nr_events; i++) {
		struct event *event = &source->event[i];

		if (event->id != type)
			continue;
		if (source->nr == MAX_RECORDS)
			bail_out("too many records");
		source->key[source->nr++] = key_of(event, record);
		if (!strcmp(event->name, CALL))
			source->caller[source->nr_calls++] = pid_of(record);
		for (int j = 0; sample && j < event->nr_fields; j++)
			add_sample(&event->field[j], record);
	}
}

/* Return true if both edges of the window were recorded. */
static bool collect(struct source *source, bool sample)
{
	static char subbuf[MAX_SUBBUF];
	bool within = false, ended = false;
	struct cursor cursor;
	struct record record;
	ssize_t len;

	source->nr = 0;
	source->nr_calls = 0;
	while ((len = read(source->raw_fd, subbuf, sizeof(subbuf))) > 0) {
		cursor_begin(&cursor, subbuf);
		while (cursor_next(&cursor, &record)) {
			long edge = edge_of(source, &record);

			if (edge == END && within)
				ended = true;
			if (within && !ended && !edge)
				add(source, &record, sample);
			if (edge == BEGIN)
				within = true;
		}
		if (cursor.bad)
			bail_out("%s: %s", source->control, cursor.bad);
	}
	return within && ended;
}

/* Work to record */

static int chain[3][2];	/* pipes to the first child, to the second child, and back */
static pid_t chain_pid[2];

/* The tasks that work_forks() makes in a window, in whichever process it runs. */
static struct children {
	unsigned int	nr;
	pid_t		pid[MAX_CHILDREN];
} *children;

static void children_add(void)
{
	unsigned int i = __atomic_fetch_add(&children->nr, 1, __ATOMIC_RELAXED);

	if (i < MAX_CHILDREN)
		children->pid[i] = getpid();
}

static void chain_child(int which, const char *name, int nice_by)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, name);
	if (nice(nice_by) == -1 && errno)
		_exit(1);
	while (read(chain[which][0], &byte, 1) == 1) {
		if (write(chain[which + 1][1], &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void work_switch(void)
{
	static bool begun;
	char byte = 0;

	if (!begun) {
		for (int i = 0; i < 3; i++) {
			if (pipe2(chain[i], O_CLOEXEC))
				bail_out("pipe: %s", error_name(errno));
		}
		for (int i = 0; i < 2; i++) {
			chain_pid[i] = fork();
			if (!chain_pid[i])
				chain_child(i, i ? "kworker/0:x" : "bash",
					    i ? -5 : 5);
		}
		begun = true;
	}
	for (int i = 0; i < 8; i++) {
		if (write(chain[0][1], &byte, 1) != 1 ||
		    read(chain[2][0], &byte, 1) != 1)
			bail_out("the children are gone");
	}
}

static void work_calls(void)
{
	for (int i = 0; i < 12; i++) {
		getpid();
		getppid();
		close(-1);
		lseek(-1, i, SEEK_SET);
		syscall(1000 + i);
		syscall(-i);
	}
}

static void work_network(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(9),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	static int fd = -1;

	if (fd < 0)
		fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	for (int i = 0; i < 8; i++)
		sendto(fd, "x", 1, 0, (void *)&to, sizeof(to));
	usleep(3000);
}

static void work_exec(void)
{
	static const char *const files[] = { "/bin/true", "/bin/false",
					     "/usr/bin/env" };

	static int null = -1;

	if (null < 0)
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (!child) {
			dup2(null, 1);
			execl(files[i], files[i], NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
}

/* Fork children of children; all of them must be recorded. */
static void work_forks(void)
{
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (!child) {
			if (fork())
				wait(NULL);
			children_add();
			getppid();
			sched_yield();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

/* Cause interrupts of the serial port. */
static void work_serial(void)
{
	static const char line[] = "# to have interrupts of the serial port\n";
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/console", O_WRONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		bail_out("/dev/console: %s", error_name(errno));
	tcdrain(fd);
	usleep(2000);
}

static const struct work {
	const char	*event;
	void		(*work)(void);
} works[] = {
	{ "sched/sched_switch", work_switch },
	{ "sched/sched_waking", work_switch },
	{ "sched/sched_process_exec", work_exec },
	{ "irq/softirq_entry", work_network },
	{ "irq/irq_handler_entry", work_serial },
	{ "raw_syscalls/sys_enter", work_calls },
};

static void record_both(bool on)
{
	put(&theirs, "tracing_on", on ? "1" : "0");
	put(&ours, "tracing_on", on ? "1" : "0");
}

/*
 * Record with both the events that @work causes. Return true if both have
 * recorded the whole window. Recording is off while the records are read:
 * reading causes events, too.
 */
static bool window(void (*work)(void), bool sample)
{
	bool mine, their;

	children->nr = 0;
	record_both(true);
	syscall(BEGIN);
	work();
	syscall(END);
	record_both(false);
	mine = collect(&ours, sample);
	their = collect(&theirs, false);
	return mine && their;
}

static bool same(void)
{
	return ours.nr == theirs.nr &&
	       !memcmp(ours.key, theirs.key, ours.nr * sizeof(ours.key[0]));
}

static bool record_same(void (*work)(void))
{
	for (int i = 0; i < TRIES; i++) {
		if (window(work, false) && same())
			return true;
	}
	return false;
}

/* Expressions */

/*
 * Before 6.1, ftrace accepts a comparison of an array with a number and calls a
 * null pointer at the next event.
 */
static bool arrays_kill(void)
{
	struct utsname name;
	int major, minor;

	uname(&name);
	return sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       major * 100 + minor < 601;
}

static int make_fields(struct event *event, struct grammar_field *fields)
{
	static const char *const cpus[] = { "0", "1", NULL };
	static const char *const comms[] = { "filters", "bash", "kworker/0:x",
					     "swapper/0", NULL };
	int nr = 0;

	for (int i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->field[i];

		if (!strcmp(field->name, "common_type") ||
		    !strcmp(field->name, "common_flags") || !field->sample[0])
			continue;
		if (field->size > 8 && !field->is_string && arrays_kill())
			continue;
		fields[nr++] = (struct grammar_field) {
			.name = field->name, .is_string = field->is_string,
			.is_signed = field->is_signed,
			.size = field->size <= 8 ? field->size : 0,
			.samples = (const char *const *)field->sample,
		};
	}
	fields[nr++] = (struct grammar_field) { "cpu", false, true, 4, cpus };
	fields[nr++] = (struct grammar_field) { "COMM", true, true, 0, comms };
	return nr;
}

/*
 * For some errors only rbmap has a text. For the others, both must print the
 * same text at the same place.
 */
static bool same_text(const char *mine, const char *their)
{
	const char *error = strstr(their, "\nError: (");

	if (!error)
		return !strcmp(mine, their);
	return !strncmp(mine, their, error - their) &&
	       strstr(mine, "\nparse_error: ");
}

/*
 * Some kernels accept an expression that ends with an operator; later kernels
 * refuse it.
 */
static bool is_unended(int error, const char *text)
{
	return error && strstr(text, "\nparse_error: Meaningless filter expression");
}

struct tally {
	unsigned int	made, refused, wrong;
	uint64_t	records, all;
};

static void try_expression(const char *file, const char *text,
			   void (*work)(void), struct tally *tally)
{
	static char mine[2 * GRAMMAR_TEXT], their[2 * GRAMMAR_TEXT];
	int mine_error = try_put(&ours, file, text);
	int their_error = try_put(&theirs, file, text);

	tally->made++;
	get(&ours, file, mine, sizeof(mine));
	get(&theirs, file, their, sizeof(their));
	if (is_unended(mine_error, mine) && !is_unended(their_error, their)) {
		tally->refused++;
		return;
	}
	if (!mine_error != !their_error || !same_text(mine, their) ||
	    (mine_error && mine_error != EINVAL)) {
		if (tally->wrong++ < 5)
			diag("%s: rbmap %s: %s ftrace %s: %s", text,
			     error_name(mine_error), mine,
			     error_name(their_error), their);
		return;
	}
	if (mine_error) {
		tally->refused++;
		return;
	}
	if (!record_same(work) && tally->wrong++ < 5)
		diag("%s: rbmap has %zu records, ftrace %zu", text, ours.nr,
		     theirs.nr);
	tally->records += ours.nr;
}

static int expressions(const char *name, unsigned int nr, uint64_t seed)
{
	struct grammar_field fields[MAX_FIELDS + 2];
	struct grammar grammar = { .fields = fields, .seed = seed | 1 };
	static char text[GRAMMAR_TEXT + 8];
	void (*work)(void) = NULL;
	struct tally tally = {};
	char file[128];

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		if (!strcmp(works[i].event, name))
			work = works[i].work;
	}
	if (!work)
		bail_out("%s: nothing to do for it", name);
	add_event(&ours, name);
	add_event(&theirs, name);
	snprintf(file, sizeof(file), "events/%s/filter", name);
	put_both(file, "0");
	for (int i = 0; i < 3; i++) {
		if (!window(work, true))
			bail_out("%s: both ends are not there", name);
	}
	tally.all = ours.nr;
	ok(ours.nr && record_same(work), "%s: without a filter both record the same",
	   name);
	try_expression(file, "common_pid != 99999999", work, &tally);
	ok(!tally.wrong && ours.nr, "%s: both record what a filter accepts", name);
	try_expression(file, "common_pid == 99999999", work, &tally);
	ok(!tally.wrong && !ours.nr, "%s: both record nothing that a filter refuses", name);
	tally = (struct tally) { .all = tally.all };
	grammar.nr_fields = make_fields(&ours.event[0], fields);
	while (tally.made < nr) {
		grammar_make(&grammar, 1 + grammar_random(&grammar, 8));
		grammar_print(&grammar, text);
		/*
		 * A long expression is mostly refused early: damage only some
		 * of them.
		 */
		if (!grammar_random(&grammar, 4))
			grammar_damage(&grammar, text);
		try_expression(file, text, work, &tally);
	}
	is(tally.wrong, 0,
	   "%s: both refuse the same expressions and record the same events",
	   name);
	diag("%s: %u expressions, %u refused; %.1f of %" PRIu64 " records accepted on average; seed %" PRIu64,
	     name, tally.made, tally.refused,
	     (double)tally.records / (tally.made - tally.refused), tally.all,
	     seed);
	put_both(file, "0");
	return done_testing();
}

/* Tasks */

static void work_all(void)
{
	work_forks();
	work_calls();
	work_switch();
}

/*
 * Numbers of system calls in the last window. Other tasks and interrupts add to
 * the events of a window, so numbers of all events cannot be compared.
 */
static size_t calls_of(const pid_t *tasks, size_t nr)
{
	size_t calls = 0;

	for (size_t i = 0; i < ours.nr_calls; i++) {
		for (size_t j = 0; j < nr; j++)
			calls += ours.caller[i] == tasks[j];
	}
	return calls;
}

#define OWN		(1 << 0)
#define HELPER		(1 << 1)
#define CHAIN		(1 << 2)	/* children from before the window */
#define CHILDREN	(1 << 3)

static pid_t helper;

/* Check that the last window has system calls of the groups in @who, and of no other group. */
static void recorded(unsigned int who, const char *what)
{
	pid_t own = getpid();
	const struct {
		const char	*name;
		const pid_t	*tasks;
		size_t		nr;
	} group[] = {
		{ "own", &own, 1 },
		{ "helper", &helper, helper ? 1 : 0 },
		{ "chain", chain_pid, 2 },
		{ "children", children->pid, children->nr },
	};

	for (unsigned int i = 0; i < sizeof(group) / sizeof(group[0]); i++) {
		size_t calls = calls_of(group[i].tasks, group[i].nr);
		bool there = who & (1 << i);

		ok(there ? calls > 0 : !calls, "%s: %s: %zu system calls",
		   what, group[i].name, calls);
	}
}

/* Another task that works on request, and has children. */
static int helper_pipe[2][2];

static void begin_helper(void)
{
	char byte;

	for (int i = 0; i < 2; i++) {
		if (pipe2(helper_pipe[i], O_CLOEXEC))
			bail_out("pipe: %s", error_name(errno));
	}
	helper = fork();
	if (helper)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(helper_pipe[0][0], &byte, 1) == 1) {
		work_calls();
		work_forks();
		if (write(helper_pipe[1][1], &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void work_helper(void)
{
	char byte = 0;

	work_calls();
	if (write(helper_pipe[0][1], &byte, 1) != 1 ||
	    read(helper_pipe[1][0], &byte, 1) != 1)
		bail_out("the helper is gone");
	work_switch();
}

static void same_pids(const char *file, const char *what)
{
	char mine[4096], their[4096];

	get(&ours, file, mine, sizeof(mine));
	get(&theirs, file, their, sizeof(their));
	ok(!strcmp(mine, their), "%s: both show the same pids", what);
}

/* set_event_notrace_pid, alone and beside set_event_pid. */
static void notrace_pids(void)
{
	char text[64];

	begin_helper();
	ok(record_same(work_helper), "with a helper both record the same");
	recorded(OWN | HELPER | CHAIN | CHILDREN, "with a helper");
	snprintf(text, sizeof(text), "%d 1\n", helper);
	put_both("set_event_notrace_pid", text);
	same_pids("set_event_notrace_pid", "notrace");
	same_pids("set_event_pid", "the other list");
	ok(record_same(work_helper), "without one task: both record the same");
	recorded(OWN | CHAIN | CHILDREN, "without one task");

	put_both("options/event-fork", "1");
	ok(record_same(work_helper), "its children are followed: both record the same");
	recorded(OWN | CHAIN, "its children are followed");
	put_both("options/event-fork", "0");

	snprintf(text, sizeof(text), "%d %d\n", getpid(), helper);
	put_both("set_event_pid", text);
	ok(record_same(work_helper), "a task in both lists: both record the same");
	recorded(OWN, "a task in both lists");
	snprintf(text, sizeof(text), "%d\n", getpid());
	put_both("set_event_pid", text);
	ok(record_same(work_helper), "a task in each list: both record the same");
	recorded(OWN, "a task in each list");
	put_both("set_event_pid", "\n");
	put_both("set_event_notrace_pid", "\n");
	same_pids("set_event_notrace_pid", "none");
	ok(record_same(work_helper), "without lists again: both record the same");
	recorded(OWN | HELPER | CHAIN | CHILDREN, "without lists again");
}

static int pids(void)
{
	static const char *const names[] = {
		"sched/sched_switch", "sched/sched_waking",
		"sched/sched_wakeup_new", "sched/sched_process_fork",
		"sched/sched_process_exit", CALL,
		"irq/softirq_entry",
	};
	char text[64], mine[4096], their[4096];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		add_event(&ours, names[i]);
		add_event(&theirs, names[i]);
	}
	work_switch();
	ok(record_same(work_all), "without pids both record the same");
	recorded(OWN | CHAIN | CHILDREN, "without pids");

	/* The edges of the window are this task's: its pid must be in the list. */
	snprintf(text, sizeof(text), "%d 1\n", getpid());
	put_both("set_event_pid", text);
	get(&ours, "set_event_pid", mine, sizeof(mine));
	get(&theirs, "set_event_pid", their, sizeof(their));
	ok(!strcmp(mine, their), "both list the same pids");
	ok(record_same(work_all), "one task: both record the same");
	recorded(OWN, "one task");

	put_both("options/event-fork", "1");
	ok(record_same(work_all), "children are followed: both record the same");
	recorded(OWN | CHILDREN, "children are followed");
	/* The kernel frees a task some time after it has ended. */
	for (unsigned int i = 0; i < 50 * slowness(); i++) {
		get(&ours, "set_event_pid", mine, sizeof(mine));
		get(&theirs, "set_event_pid", their, sizeof(their));
		snprintf(text, sizeof(text), "1\n%d\n", getpid());
		if (!strcmp(mine, text) && !strcmp(their, text))
			break;
		usleep(100000);
	}
	ok(!strcmp(mine, text),
	   "a task that has ended is not in the list: %s", mine);

	/* Together with a filter. */
	put_both("events/sched/sched_switch/filter", "prev_comm == 'filters'");
	ok(record_same(work_all), "with a filter: both record the same");
	recorded(OWN | CHILDREN, "with a filter");
	put_both("events/sched/sched_switch/filter", "0");
	put_both("options/event-fork", "0");
	put_both("set_event_pid", "\n");
	ok(record_same(work_all), "without pids again: both record the same");
	recorded(OWN | CHAIN | CHILDREN, "without pids again");
	notrace_pids();
	return done_testing();
}

int main(int argc, char **argv)
{
	int result;

	if (argc < 2 || (!strcmp(argv[1], "expressions") && argc < 4))
		bail_out("usage: filters expressions EVENT NUMBER [SEED] | pids");
	if (mkdir(theirs.control, 0700) && errno != EEXIST)
		bail_out("%s: %s", theirs.control, error_name(errno));
	children = mmap(NULL, sizeof(*children), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (children == MAP_FAILED)
		bail_out("mmap: %s", error_name(errno));
	pin(CPU);
	open_source(&ours);
	open_source(&theirs);
	record_both(false);
	collect(&ours, false);
	collect(&theirs, false);
	if (!strcmp(argv[1], "pids"))
		result = pids();
	else
		result = expressions(argv[2], strtoul(argv[3], NULL, 10),
				     argc > 4 ? strtoull(argv[4], NULL, 0) :
						0x5eed);
	record_both(true);
	put_both("events/enable", "0");
	put_both("events/raw_syscalls/sys_exit/filter", "0");
	close(theirs.raw_fd);
	close(ours.raw_fd);
	rmdir(theirs.control);
	return result;
}
