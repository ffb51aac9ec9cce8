// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "stall.h"

#define MOST_ANALYSED	4000
#define MOST_STEPS	100000000	/* pieces that are looked at in all: some seconds */
#define SHORTEST	20000	/* ns of a wait */
#define SHORTEST_HANDLER	500000
#define SHORTEST_OFF	1000000

#define IDLE_WEIGHT	0.001	/* for time in which a task wants nothing */
#define NEAR_IDLE	0.2	/* a task waits for a request, and who makes it is held up */
#define FAIR_WEIGHT	0.3	/* tasks of one priority share a CPU */
#define KERNEL_WEIGHT	0.3
#define OFF_WEIGHT	0.3	/* for interrupts that were off, if nobody suffered */

/* System calls in which a task waits for something to do, sorted */
static const char *const idle_calls[] = {
	"_newselect", "accept", "accept4", "clock_nanosleep", "epoll_pwait", "epoll_pwait2",
	"epoll_wait", "futex", "futex_wait", "futex_waitv", "io_getevents", "io_pgetevents",
	"io_uring_enter", "mq_timedreceive", "msgrcv", "nanosleep", "pause", "poll", "ppoll",
	"pread64", "preadv", "pselect6", "read", "readv", "recvfrom", "recvmmsg", "recvmsg",
	"restart_syscall", "rt_sigsuspend", "rt_sigtimedwait", "select", "semop", "semtimedop",
	"sigsuspend", "wait4", "waitid",
};

static int by_name(const void *name, const void *call)
{
	return strcmp(name, *(const char *const *)call);
}

static bool is_idle_call(const char *call)
{
	static const char time64[] = "_time64";	/* calls of 32-bit programs */
	const size_t end = strlen(time64);
	char name[64];
	size_t len = strcspn(call, " ");	/* "poll (i386)" */

	if (len > end && !strncmp(call + len - end, time64, end))
		len -= end;
	if (len >= sizeof(name))
		return false;
	memcpy(name, call, len);
	name[len] = '\0';
	return bsearch(name, idle_calls, sizeof(idle_calls) / sizeof(*idle_calls),
		       sizeof(*idle_calls), by_name);
}

/* A task that nothing but its own request can wake is not idle: it waits uninterruptibly. */
static bool sleeps_idly(const struct piece *piece)
{
	if (strncmp(piece->name, "sleeping", strlen("sleeping")) &&
	    strncmp(piece->name, "idle", strlen("idle")) &&
	    strncmp(piece->name, "parked", strlen("parked")))
		return false;
	if (piece_is_user_lock(piece))
		return false;
	return !piece->call || is_idle_call(piece->call);
}

static bool is_fair(const struct cause *cause)
{
	return cause->actor_prio >= INTERVAL_RT_PRIOS && cause->victim_prio >= INTERVAL_RT_PRIOS;
}

/* Return the part of the cause that counts. The task's own wait for work counts little. */
static double weight(const struct cause *cause, bool idle)
{
	bool own = cause->nr_links <= 1;

	switch (cause->kind) {
	case CAUSE_STOPPED:
		return 1;
	case CAUSE_IDLE_CPU:
	case CAUSE_NOT_WOKEN:
	case CAUSE_UNKNOWN:
		return idle ? IDLE_WEIGHT : NEAR_IDLE;
	case CAUSE_TIMER:
	case CAUSE_NETWORK:
		return own || idle ? IDLE_WEIGHT : 1;
	case CAUSE_DEVICE:
	case CAUSE_RCU:
		return idle ? IDLE_WEIGHT : 1;
	case CAUSE_OCCUPIED:
		if (is_fair(cause))
			return own || !idle ? FAIR_WEIGHT : IDLE_WEIGHT;
		return own || !idle ? 1 : NEAR_IDLE;
	case CAUSE_RAN:
		return idle ? IDLE_WEIGHT : 1;
	default:
		return own || !idle ? 1 : NEAR_IDLE;
	}
}

bool stall_is_of_kernel(const char *comm)
{
	static const char *const begin[] = {
		"cpuhp/", "irq/", "jbd2/", "kcompactd", "khugepaged", "ksoftirqd/", "kswapd",
		"kthreadd", "kworker/", "migration/", "rcu", "watchdog",
	};

	for (size_t i = 0; i < sizeof(begin) / sizeof(*begin); i++)
		if (!strncmp(comm, begin[i], strlen(begin[i])))
			return true;
	return false;
}

bool stall_is_wait(const struct stall *stall)
{
	return stall->piece->kind == INTERVAL_OFFCPU;
}

bool stall_is_idle(const struct stall *stall)
{
	return stall->score < 2 * IDLE_WEIGHT * stall->time;
}

/* The root is the cause that counts most, in a wait that is idle, too. */
static double find_root(struct analysis *analysis, bool idle)
{
	double score = 0, most = -1, part;

	for (unsigned int i = 0; i < analysis->nr_causes; i++) {
		part = weight(&analysis->cause[i], idle) * analysis->cause[i].time;
		score += part;
		if (part > most) {
			most = part;
			analysis->root = i;
		}
	}
	return score;
}

double stall_analyse(const struct history *h, const struct stall *stall,
		     struct analysis *analysis)
{
	const struct piece *piece = stall->piece;

	if (stall_is_wait(stall))
		analyse_task(h, piece->pid, piece->begin, piece->end, analysis);
	else
		analyse_cpu(h, piece->cpu, piece->pid, piece->begin, piece->end, analysis);
	return find_root(analysis, stall_is_wait(stall) && sleeps_idly(piece));
}

/* ---- candidates */
struct candidate {
	const struct piece *piece;
	double rank;
};

struct analysed {
	const struct piece *piece;
	double score;
	struct cause root;
};

static bool is_candidate(const struct history *h, const struct piece *piece,
			 const struct stall_choice *choice)
{
	uint64_t length = piece->end - piece->begin;

	switch (piece->kind) {
	case INTERVAL_OFFCPU:
		if (length < SHORTEST)
			return false;
		break;
	case INTERVAL_IRQ:
	case INTERVAL_SOFTIRQ:
	case INTERVAL_HRTIMER:
	case INTERVAL_TIMER:
		if (length < SHORTEST_HANDLER)
			return false;
		break;
	case INTERVAL_IRQS_OFF:
		/* The timer of an idle CPU is late because the CPU slept deeply. */
		if (length < SHORTEST_OFF || !piece->pid || piece_is_of_host(h, piece))
			return false;
		break;
	default:
		return false;
	}
	if (choice->at && (choice->at < piece->begin || choice->at > piece->end))
		return false;
	return choice->is_wanted(choice->data, piece);
}

/* A task that sleeps idly may still have waited for a CPU behind that. */
static double rank_of(const struct piece *piece)
{
	uint64_t woken = piece->woken ? piece->woken : piece->end;

	if (piece->kind != INTERVAL_OFFCPU || !sleeps_idly(piece))
		return piece->end - piece->begin;
	return (piece->end - woken) + IDLE_WEIGHT * (woken - piece->begin);
}

static int worst_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->rank < y->rank) - (x->rank > y->rank);
}

static bool is_selected(const struct piece *piece, const struct stall_choice *choice)
{
	return piece->is_selected && choice->is_selected(choice->data, piece);
}

static struct candidate *find_candidates(const struct history *h,
					 const struct stall_choice *choice, size_t *nr,
					 size_t *not_selected)
{
	const struct piece *piece;
	size_t pieces = history_pieces(h, &piece);
	struct candidate *candidate;

	*nr = 0;
	*not_selected = 0;
	for (size_t i = 0; i < pieces; i++) {
		if (!is_candidate(h, &piece[i], choice))
			continue;
		if (is_selected(&piece[i], choice))
			++*nr;
		else
			++*not_selected;
	}
	candidate = calloc(*nr + 1, sizeof(*candidate));
	*nr = 0;
	for (size_t i = 0; candidate && i < pieces; i++)
		if (is_candidate(h, &piece[i], choice) && is_selected(&piece[i], choice))
			candidate[(*nr)++] = (struct candidate){ .piece = &piece[i],
								 .rank = rank_of(&piece[i]) };
	if (candidate)
		qsort(candidate, *nr, sizeof(*candidate), worst_first);
	return candidate;
}

/* Return false if memory is lacking. */
static bool analyse(const struct history *h, const struct piece *piece, struct analysed *a,
		    const struct stall_choice *choice, struct analysis *analysis)
{
	struct stall stall = { .piece = piece, .time = piece->end - piece->begin };

	*a = (struct analysed){ .piece = piece, .score = stall_analyse(h, &stall, analysis) };
	if (analysis->nr_causes)
		a->root = analysis->cause[analysis->root];
	stall.score = a->score;
	if (choice->each && !choice->each(choice->data, piece, analysis, stall_is_idle(&stall)))
		return false;
	if (choice->is_kernel(choice->data, piece))
		a->score *= KERNEL_WEIGHT;
	if (piece->kind == INTERVAL_IRQS_OFF)
		a->score *= OFF_WEIGHT;
	return true;
}

static int by_task_and_time(const void *a, const void *b)
{
	const struct analysed *x = a, *y = b;

	if (x->piece->pid != y->piece->pid)
		return x->piece->pid < y->piece->pid ? -1 : 1;
	return (x->piece->begin > y->piece->begin) - (x->piece->begin < y->piece->begin);
}

/* ---- stalls */
static bool goes_on(const struct stall *stall, const struct analysed *last,
		    const struct analysed *c)
{
	/* Each time with interrupts off is one of its own. */
	return c->piece->kind != INTERVAL_IRQS_OFF && last->piece->pid == c->piece->pid && last->piece->kind == c->piece->kind &&
	       cause_is_same(&last->root, &c->root) && !is_fair(&c->root) &&
	       c->piece->begin - stall->end <= 2 * stall->time;
}

static void add_to_stall(struct stall *stall, const struct analysed *c)
{
	uint64_t length = c->piece->end - c->piece->begin;

	if (!stall->waits) {
		stall->begin = c->piece->begin;
		stall->piece = c->piece;
	}
	if (length > stall->piece->end - stall->piece->begin)
		stall->piece = c->piece;
	stall->end = c->piece->end;
	stall->time += length;
	stall->waits++;
	stall->score += c->score;
}

static int worst_stall_first(const void *a, const void *b)
{
	const struct stall *x = a, *y = b;

	return (x->score < y->score) - (x->score > y->score);
}

/* Return the latest stall that a wait belongs to, or NULL. @last: the last wait of each stall */
static struct stall *find_stall(struct stalls *stalls, const struct analysed *const *last,
				const struct analysed *c)
{
	for (size_t i = 1; i <= stalls->nr && last[stalls->nr - i]->piece->pid == c->piece->pid; i++)
		if (goes_on(&stalls->stall[stalls->nr - i], last[stalls->nr - i], c))
			return &stalls->stall[stalls->nr - i];
	return NULL;
}

/*
 * Waits of a task that follow each other become a stall. Waits of other causes may come between
 * them. Return false if memory is lacking.
 */
static bool join(struct stalls *stalls, struct analysed *analysed, size_t nr)
{
	const struct analysed **last = calloc(nr + 1, sizeof(*last));

	if (!last)
		return false;
	qsort(analysed, nr, sizeof(*analysed), by_task_and_time);
	for (size_t i = 0; i < nr; i++) {
		struct stall *stall = find_stall(stalls, last, &analysed[i]);

		if (!stall)
			stall = &stalls->stall[stalls->nr++];
		add_to_stall(stall, &analysed[i]);
		last[stall - stalls->stall] = &analysed[i];
	}
	free(last);
	qsort(stalls->stall, stalls->nr, sizeof(*stalls->stall), worst_stall_first);
	return true;
}

bool stalls_find(struct stalls *stalls, const struct history *h,
		 const struct stall_choice *choice)
{
	struct analysis *analysis = malloc(sizeof(*analysis));
	struct analysed *analysed = NULL;
	struct candidate *candidate;
	size_t nr = 0, all = 0;
	uint64_t steps = 0;
	bool ok;

	*stalls = (struct stalls){ 0 };
	candidate = find_candidates(h, choice, &nr, &stalls->not_selected);
	if (candidate) {
		all = nr;
		nr = nr < MOST_ANALYSED ? nr : MOST_ANALYSED;
		analysed = calloc(nr + 1, sizeof(*analysed));
		stalls->stall = calloc(nr + 1, sizeof(*stalls->stall));
	}
	ok = analysis && analysed && stalls->stall;
	if (ok) {
		/* Those that come first matter most. */
		for (; ok && stalls->considered < nr && steps < MOST_STEPS; stalls->considered++) {
			ok = analyse(h, candidate[stalls->considered].piece,
				     &analysed[stalls->considered], choice, analysis);
			steps += analysis->steps;
		}
		stalls->left_out = all - stalls->considered;
		ok = join(stalls, analysed, stalls->considered) && ok;
	}
	free(candidate);
	free(analysed);
	free(analysis);
	return ok;
}

void stalls_free(struct stalls *stalls)
{
	free(stalls->stall);
}
