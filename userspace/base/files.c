// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "files.h"

int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t done = write(fd, data, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		data += done;
		size -= done;
	}
	return 0;
}

int sync_new_name(int at, const char *name, int flags)
{
	int ret = fsync(at) ? -errno : 0;

	if (ret)
		unlinkat(at, name, flags);
	return ret;
}

int write_all_at(int fd, const void *data, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t put = pwrite(fd, data, size, offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		data = (const char *)data + put;
		size -= put;
		offset += put;
	}
	return 0;
}

int read_all_at(int fd, void *data, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t got = pread(fd, data, size, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EBADMSG;
		data = (char *)data + got;
		size -= got;
		offset += got;
	}
	return 0;
}

/* ---- standard input and output */

#define PIECE	(1 << 16)

/*
 * The names of a descriptor in /dev count, too: a recorder replaces its file by name, and
 * that name cannot be replaced.
 */
bool is_standard_file(const char *name)
{
	static const char *const names[] = {
		"-", "/dev/stdin", "/dev/stdout", "/dev/fd/0", "/dev/fd/1",
		"/proc/self/fd/0", "/proc/self/fd/1",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Return the name of a new file or directory, as mkstemp() wants it. */
static char *temporary_name(void)
{
	const char *dir = getenv("TMPDIR");
	char *name;

	if (!dir || !*dir)
		dir = "/tmp";
	return asprintf(&name, "%s/rbmap.XXXXXX", dir) < 0 ? NULL : name;
}

int temporary_file(void)
{
	char *name = temporary_name();
	int fd = name ? mkostemp(name, O_CLOEXEC) : -1;

	if (fd >= 0)
		unlink(name);
	else
		complain("cannot create a file in %s: %s; set TMPDIR to a directory that can be written",
			 name ? name : "TMPDIR", strerror(errno));
	free(name);
	return fd;
}

static bool copy(int from, int to)
{
	static char piece[PIECE];

	for (;;) {
		ssize_t size = read(from, piece, sizeof(piece));

		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0)
			return !size;
		if (write_all(to, piece, size))
			return false;
	}
}

int standard_input_file(void)
{
	struct stat st;
	int fd;

	if (fstat(STDIN_FILENO, &st)) {
		complain("cannot read standard input: %s", strerror(errno));
		return -1;
	}
	if (S_ISREG(st.st_mode))
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (isatty(STDIN_FILENO)) {
		complain("standard input is a terminal: name a recording, or redirect standard input");
		return -1;
	}
	fd = temporary_file();
	if (fd < 0)
		return fd;
	if (copy(STDIN_FILENO, fd))
		return fd;
	complain("cannot copy standard input to a file: %s", strerror(errno));
	close(fd);
	return -1;
}

bool standard_output_begin(struct standard_output *o, const char **name)
{
	if (!is_standard_file(*name))
		return true;
	if (isatty(STDOUT_FILENO)) {
		complain("a recording cannot go to a terminal: redirect standard output, or name a file with -o");
		return false;
	}
	o->dir = temporary_name();
	if (!o->dir || !mkdtemp(o->dir)) {
		complain("cannot create a directory %s: %s; set TMPDIR to a directory that can be written",
			 o->dir ? o->dir : "", strerror(errno));
		free(o->dir);
		o->dir = NULL;
		return false;
	}
	if (asprintf(&o->file, "%s/trace.dat", o->dir) < 0) {
		complain("out of memory");
		rmdir(o->dir);
		return false;
	}
	*name = o->file;
	return true;
}

static bool write_recording(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool ok;

	/* A reader that ends early is an error, as a full disk is. */
	signal(SIGPIPE, SIG_IGN);
	ok = fd >= 0 && copy(fd, STDOUT_FILENO);
	if (!ok)
		complain("cannot write the recording to standard output: %s; it is in %s",
			 strerror(errno), file);
	else
		unlink(file);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool standard_output_end(struct standard_output *o, bool complete)
{
	bool ok = true;

	if (!o->dir)
		return true;
	if (complete)
		ok = write_recording(o->file);
	/* This fails if a recording stays there. */
	rmdir(o->dir);
	free(o->file);
	free(o->dir);
	return ok;
}
