// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/files.h"
#include "output_file.h"
#include "print/crash_notes.h"
#include "recording/write/safe_place.h"

static const struct output_words words = {
	.write = "write", .writes = "writes", .beside = "a temporary file",
};

/* The libraries that read a damaged recording may crash. */
static const int end_signals[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
};

/* The name to remove if a signal ends the command, and its directory */
static const char *volatile temporary;
static volatile int temporary_dir;

static void remove_and_end(int sig)
{
	if (temporary)
		unlinkat(temporary_dir, temporary, 0);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void handle_signals(void)
{
	for (size_t i = 0; i < sizeof(end_signals) / sizeof(end_signals[0]); i++)
		if (signal(end_signals[i], remove_and_end) == SIG_IGN)
			signal(end_signals[i], SIG_IGN);
	/* A full disk and a reader that ends early are errors of write(). */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

static bool is_same_file(const char *path, int fd)
{
	struct stat a, b;

	return !stat(path, &a) && !fstat(fd, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool begin_standard(struct output_file *o, bool is_text)
{
	o->fd = STDOUT_FILENO;
	if (is_text || !isatty(o->fd))
		return true;
	complain("the %s cannot go to a terminal: redirect standard output, or name a file with -o",
		 o->noun);
	return false;
}

bool output_file_begin(struct output_file *o, bool is_text, int recording)
{
	handle_signals();
	if (is_standard_file(o->path))
		return begin_standard(o, is_text);
	if (is_same_file(o->path, recording)) {
		complain("%s is the recording itself: name another file with -o", o->path);
		return false;
	}
	o->fd = dat_output_create(&o->names, o->path);
	if (o->fd < 0) {
		complain_output(&words, o->path, o->fd);
		dat_output_free(&o->names);
		return false;
	}
	temporary_dir = o->names.place.dir;
	temporary = o->names.name;
	return true;
}

int output_file_spool(struct output_file *o)
{
	char *name;
	int fd;

	if (is_standard_file(o->path))
		return temporary_file();
	fd = safe_place_temporary(&o->names.place, &name);
	if (fd < 0) {
		complain_output(&words, o->path, fd);
		return -1;
	}
	unlinkat(o->names.place.dir, name, 0);
	free(name);
	return fd;
}

bool output_file_again(struct output_file *o)
{
	if (is_standard_file(o->path))
		return !crash_notes()->progress;
	return !ftruncate(o->fd, 0) && !lseek(o->fd, 0, SEEK_SET);
}

void output_file_remove(struct output_file *o)
{
	if (!is_standard_file(o->path))
		dat_output_remove(&o->names, 0);
}

void output_file_failed(const struct output_file *o, int error)
{
	if (is_standard_file(o->path))
		complain("cannot write to standard output: %s", strerror(-error));
	else
		complain_output(&words, o->path, error);
}

bool output_file_end(struct output_file *o, bool complete)
{
	int ret = 0;

	if (is_standard_file(o->path))
		return true;
	/* The file of before is replaced by one that is on the disk. */
	if (complete && fsync(o->fd))
		ret = -errno;
	/*
	 * From here on the name may be that of the finished file, and its memory is freed. A
	 * signal now leaves the temporary file, at worst.
	 */
	temporary = NULL;
	if (complete && !ret)
		ret = dat_output_publish(&o->names, 0);
	if (!complete || ret)
		dat_output_remove(&o->names, 0);
	/* The lock of the file ends here. */
	if (close(o->fd) && !ret)
		ret = -errno;
	if (ret)
		output_file_failed(o, ret);
	dat_output_free(&o->names);
	return !ret;
}
