// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/complain.h"
#include "directory_lock.h"

#define NAME		".rbmap-recorder"
#define ID_SIZE		37	/* a boot ID, with its terminator */
#define FORMAT		"process %d\nboot %s\nunsaved since %lld\n"
/* A file of any contents is read into as much memory. */
#define TEXT_SIZE	256

struct record_of {
	int pid;
	char boot[ID_SIZE];
	long long since;	/* seconds of the wall clock: later events have no file */
};

static void this_boot(char id[ID_SIZE])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, id, ID_SIZE - 1);

	if (fd >= 0)
		close(fd);
	id[got < 0 ? 0 : got] = '\0';
	id[strcspn(id, "\n")] = '\0';
	if (!*id)
		strcpy(id, "unknown");
}

static bool read_record(int fd, struct record_of *r)
{
	char text[TEXT_SIZE];
	ssize_t got = pread(fd, text, sizeof(text) - 1, 0);

	if (got <= 0)
		return false;
	text[got] = '\0';
	return sscanf(text, "process %d\nboot %36s\nunsaved since %lld", &r->pid, r->boot,
		      &r->since) == 3;
}

/* The text never becomes shorter while the recorder runs: only the time changes. */
static void write_record(int fd)
{
	struct record_of r = { .pid = getpid(), .since = time(NULL) };
	char text[TEXT_SIZE];
	int size;

	this_boot(r.boot);
	size = snprintf(text, sizeof(text), FORMAT, r.pid, r.boot, r.since);
	/* On a full disk an empty record tells the next recorder nothing, which is harmless. */
	if (pwrite(fd, text, size, 0) != size)
		(void)!ftruncate(fd, 0);
}

static void tell_unsaved(const struct record_of *r)
{
	time_t since = r->since;
	char boot[ID_SIZE], text[64];
	struct tm tm;

	if (!localtime_r(&since, &tm) || !strftime(text, sizeof(text), "%F %T", &tm))
		return;
	this_boot(boot);
	if (strcmp(boot, r->boot))
		complain("note: the machine stopped before the flight recorder (process %d) had saved its events since %s",
			 r->pid, text);
	else
		complain("note: the flight recorder before this one (process %d) ended without saving its events since %s",
			 r->pid, text);
}

static int complain_taken(const char *dir, int fd)
{
	struct record_of r = { 0 };

	read_record(fd, &r);
	complain("another flight recorder (process %d) writes to %s: name another directory with --directory",
		 r.pid, dir);
	return -1;
}

int directory_lock_take(const char *dir)
{
	struct record_of before;
	char path[PATH_MAX];
	int fd = -1;

	if (snprintf(path, sizeof(path), "%s/" NAME, dir) >= (int)sizeof(path))
		errno = ENAMETOOLONG;
	else
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0) {
		complain("cannot write to the directory %s: %s", dir, strerror(errno));
		return -1;
	}
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		complain_taken(dir, fd);
		close(fd);
		return -1;
	}
	if (read_record(fd, &before))
		tell_unsaved(&before);
	(void)!ftruncate(fd, 0);
	write_record(fd);
	return fd;
}

void directory_lock_saved(int fd)
{
	write_record(fd);
}

void directory_lock_release(int fd, bool complete)
{
	/* The name stays: a lock on a file without a name would keep nobody away. */
	if (complete)
		(void)!ftruncate(fd, 0);
	close(fd);
}
