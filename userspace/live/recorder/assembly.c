// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assembly.h"
#include "base/complain.h"
#include "base/process.h"
#include "base/terminal.h"
#include "base/units.h"
#include "command/service.h"
#include "kernel/module_symbols.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/dat_read.h"
#include "recording/write/safe_place.h"

/* @old: old files of this directory are removed. @fd: -1: the recording is removed */
struct job {
	struct job *next;
	const struct incident_files *old;
	int fd;
	bool symbols;
	char path[];
};

struct assembly {
	pthread_t thread;
	bool started;
	pthread_mutex_t lock;	/* protects first, last and changes of ends */
	pthread_cond_t added;
	struct job *first, **last;
	atomic_bool ends;	/* signals are for the thread now */
	bool failed;		/* the thread's, until it has ended */
	struct assembly_options options;
};

/* The parameters of go_on(). */
struct step {
	struct progress progress;
	bool shows_progress;
	const atomic_bool *may_stop;	/* whether signals count; NULL: always */
};

void assembly_add_signals(sigset_t *set)
{
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGQUIT);
	/* A signal that is ignored and blocked would arrive. */
	if (!hangup_is_ignored())
		sigaddset(set, SIGHUP);
}

static bool signal_arrived(void)
{
	sigset_t pending, set;

	sigemptyset(&set);
	assembly_add_signals(&set);
	sigpending(&pending);
	sigandset(&set, &set, &pending);
	return !sigisemptyset(&set);
}

static bool go_on(void *data, double done)
{
	struct step *s = data;

	if (s->shows_progress && progress_due(&s->progress))
		progress_show(&s->progress, "completing the file: %.0f %%", 100 * done);
	/* The service waits for this thread, and tells nothing else. */
	if (s->may_stop && *s->may_stop)
		service_busy();
	return (s->may_stop && !*s->may_stop) || !signal_arrived();
}

static void tell_size(const char *path)
{
	char size[SIZE_TEXT];
	struct stat st;

	if (!stat(path, &st))
		fprintf(stderr, "%s: %s in the file\n", path,
			size_text(st.st_size, size));
}

static void tell_symbols(const char *path, const struct dat_assembly *a)
{
	if (a->symbols_error)
		complain("note: functions in %s have no names: %s", path,
			 a->symbols_error == -EPERM ?
			 "kernel.kptr_restrict is 2, or CAP_SYSLOG is missing" :
			 strerror(-a->symbols_error));
	else if (a->left_out)
		complain("note: some functions in %s have no names: %" PRIu64 " found no place",
			 path, a->left_out);
}

static bool assemble(const char *path, int fd, const struct assembly_options *options,
		     struct step *s)
{
	struct dat_assembly a = {
		.fd = fd, .compress = options->compress, .go_on = go_on, .data = s,
		.read = options->symbols ? module_symbols_read : NULL,
	};
	int ret;

	if (s->shows_progress)
		progress_begin(&s->progress);
	ret = dat_assemble(path, &a);
	if (s->shows_progress)
		progress_end(&s->progress);
	close(fd);
	if (ret)
		complain("%s is not complete: %s; its events are in %s.cpu*: 'rbmap report' reads them, 'rbmap recover %s' completes the file",
			 path, ret > 0 ? "a signal arrived" : dat_strerror(ret), path,
			 path);
	else if (a.compress_error)
		complain("note: %s is not compressed: %s", path,
			 dat_strerror(a.compress_error));
	if (!ret)
		tell_symbols(path, &a);
	if (!ret && !options->quiet)
		tell_size(path);
	return !ret;
}

bool assembly_run(const char *path, int fd, const struct assembly_options *options)
{
	struct step s = { .shows_progress = !options->quiet };

	return assemble(path, fd, options, &s);
}

static bool remove_recording(const char *path)
{
	struct dat_place place;
	int ret = safe_place_find(&place, path);

	if (!ret)
		ret = incident_files_remove(place.dir, place.name);
	if (ret)
		complain("cannot remove the old recording %s: %s", path, strerror(-ret));
	dat_place_free(&place);
	return !ret;
}

static struct job *next_job(struct assembly *a)
{
	struct job *job;

	pthread_mutex_lock(&a->lock);
	while (!a->first && !a->ends)
		pthread_cond_wait(&a->added, &a->lock);
	job = a->first;
	if (job) {
		a->first = job->next;
		if (!a->first)
			a->last = &a->first;
	}
	pthread_mutex_unlock(&a->lock);
	return job;
}

/* Compression makes another file. Its age is that of the events. */
static bool assemble_job(const struct job *job, const struct assembly_options *options,
			 struct step *s)
{
	struct stat st;
	bool known = !fstat(job->fd, &st);

	if (!assemble(job->path, job->fd, options, s))
		return false;
	if (known)
		utimensat(AT_FDCWD, job->path,
			  (struct timespec[]){ { .tv_nsec = UTIME_OMIT }, st.st_mtim },
			  AT_SYMLINK_NOFOLLOW);
	return true;
}

static bool do_job(const struct job *job, const struct assembly_options *options, struct step *s)
{
	if (job->old) {
		incident_files_remove_old(job->old);
		return true;
	}
	return job->fd < 0 ? remove_recording(job->path) : assemble_job(job, options, s);
}

static void *work(void *data)
{
	struct assembly *a = data;
	struct step s = { .may_stop = &a->ends };
	struct assembly_options options = a->options;
	struct sched_param none = { 0 };
	struct job *job;

	/* The rings' writers and their readers come first. */
	pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
	while ((job = next_job(a))) {
		options.symbols = job->symbols;
		if (!do_job(job, &options, &s))
			a->failed = true;
		free(job);
	}
	return NULL;
}

struct assembly *assembly_new(const struct assembly_options *options)
{
	struct assembly *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->added, NULL);
	a->last = &a->first;
	a->options = *options;
	a->started = !pthread_create(&a->thread, NULL, work, a);
	return a;
}

/* Return false without a thread, or without memory. */
static bool add_job(struct assembly *a, const char *path, int fd, bool symbols,
		    const struct incident_files *old)
{
	struct job *job = a->started ? malloc(sizeof(*job) + strlen(path) + 1) : NULL;

	if (!job)
		return false;
	job->next = NULL;
	job->old = old;
	job->fd = fd;
	job->symbols = symbols;
	strcpy(job->path, path);
	pthread_mutex_lock(&a->lock);
	*a->last = job;
	a->last = &job->next;
	pthread_cond_signal(&a->added);
	pthread_mutex_unlock(&a->lock);
	return true;
}

bool assembly_add(struct assembly *a, const char *path, int fd, bool symbols)
{
	struct assembly_options options = {
		.compress = a->options.compress, .quiet = a->options.quiet, .symbols = symbols,
	};

	return add_job(a, path, fd, symbols, NULL) || assembly_run(path, fd, &options);
}

bool assembly_add_removal(struct assembly *a, const char *path)
{
	return add_job(a, path, -1, false, NULL) || remove_recording(path);
}

void assembly_add_removal_of_old(struct assembly *a, const struct incident_files *files)
{
	if (!add_job(a, "", -1, false, files))
		incident_files_remove_old(files);
}

bool assembly_end(struct assembly *a)
{
	struct sched_param none = { 0 };
	bool ok;

	if (!a)
		return true;
	pthread_mutex_lock(&a->lock);
	a->ends = true;
	pthread_cond_signal(&a->added);
	pthread_mutex_unlock(&a->lock);
	if (a->started) {
		/* Somebody waits for the thread now. */
		pthread_setschedparam(a->thread, SCHED_OTHER, &none);
		pthread_join(a->thread, NULL);
	}
	ok = !a->failed;
	pthread_cond_destroy(&a->added);
	pthread_mutex_destroy(&a->lock);
	free(a);
	return ok;
}
