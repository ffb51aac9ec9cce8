// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/complain.h"
#include "directory.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/dat_read.h"
#include "recording/write/incident_files.h"

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

/* ---- unfinished recordings */

/* The end of a temporary name: see dat_output_create() */
#define TEMPORARY	".[0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z]"

static bool is_temporary(const char *name)
{
	return !fnmatch(INCIDENT_NAME_PATTERN TEMPORARY, name, 0);
}

static int is_leftover(const struct dirent *entry)
{
	return !fnmatch(INCIDENT_NAME_PATTERN, entry->d_name, 0) ||
	       is_temporary(entry->d_name);
}

/*
 * Remove a file with a temporary name that is not a recording, if that loses nothing. A
 * half-written copy has the name, too: dat_compress() was writing it, and will copy the
 * recording @path again. A recorder without headers has not written any event.
 */
static bool is_useless(const char *dir, const char *name, const char *path)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool useless = fd >= 0 && (!access(path, F_OK) || !incident_files_data(fd, name)) &&
		       !incident_files_remove(fd, name);

	if (fd >= 0)
		close(fd);
	return useless;
}

static void tell_error(const char *dir, const char *name, int error)
{
	if (error < DAT_ERR_LAST)
		complain("note: %s/%s, which a recorder has left, %s: remove it", dir, name,
			 dat_strerror(error));
	else
		complain("note: cannot complete %s/%s, which a recorder has left: %s", dir, name,
			 dat_strerror(error));
}

static void complete(const char *dir, const char *name, struct assembly *assembly)
{
	char path[PATH_MAX], temporary[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return;
	if (is_temporary(name)) {
		strcpy(temporary, path);
		*strrchr(path, '.') = '\0';
		fd = dat_adopt(temporary, path);
		if (fd < DAT_ERR_LAST && fd != DAT_ERR_BUSY && is_useless(dir, name, path))
			return;
	} else {
		fd = dat_lock(path);
	}
	if (fd == DAT_ERR_COMPLETE)
		return;
	if (fd < 0) {
		tell_error(dir, name, fd);
		return;
	}
	complain("note: %s has what a recorder had written when it ended", path);
	/* Another kernel may have run then, with its functions at other addresses. */
	assembly_add(assembly, path, fd, false);
}

void incident_leftovers_complete(const char *dir, struct assembly *assembly)
{
	struct dirent **list;
	int nr = scandir(dir, &list, is_leftover, alphasort);

	for (int i = 0; i < nr; i++) {
		complete(dir, list[i]->d_name, assembly);
		free(list[i]);
	}
	if (nr >= 0)
		free(list);
	else
		complain("cannot read %s: %s", dir, strerror(errno));
}
