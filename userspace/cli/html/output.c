// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli.h"
#include "common/standard_file.h"
#include "output.h"

static char *volatile unfinished;	/* for the handler of signals */

static void remove_unfinished(int sig)
{
	if (unfinished)
		unlink(unfinished);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void remove_at_signals(char *name)
{
	static const int sig[] = { SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGILL,
				   SIGABRT };
	struct sigaction act = { .sa_handler = remove_unfinished, .sa_flags = SA_NODEFER };
	struct sigaction old;

	unfinished = name;
	for (size_t i = 0; i < sizeof(sig) / sizeof(sig[0]); i++)
		if (!sigaction(sig[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(sig[i], &act, NULL);
}

/* A device or a pipe cannot be replaced, and is written in place. */
static bool is_replaced(const char *name)
{
	struct stat st;

	return stat(name, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

static int open_temporary(struct output *out)
{
	int fd;

	if (asprintf(&out->temporary, "%s.XXXXXX", out->name) < 0) {
		out->temporary = NULL;
		errno = ENOMEM;
		return -1;
	}
	fd = mkostemp(out->temporary, O_CLOEXEC);
	if (fd >= 0)
		remove_at_signals(out->temporary);
	return fd;
}

static bool open_standard_output(struct output *out)
{
	if (isatty(STDOUT_FILENO)) {
		complain("a page cannot go to a terminal: redirect standard output, or name a file with -o");
		return false;
	}
	out->file = stdout;
	return true;
}

bool output_open(struct output *out, const char *name)
{
	int fd;

	*out = (struct output){ .name = name };
	if (is_standard_file(name))
		return open_standard_output(out);
	fd = is_replaced(name) ? open_temporary(out) :
				 open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	out->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out->file)
		complain("cannot create %s: %s; name another file with -o", name,
			 strerror(errno));
	return out->file;
}

static bool failed(struct output *out)
{
	complain("cannot write %s: %s", is_standard_file(out->name) ? "standard output" : out->name,
		 strerror(errno));
	output_discard(out);
	return false;
}

bool output_publish(struct output *out)
{
	FILE *file = out->file;

	if (fflush(file) || ferror(file))
		return failed(out);
	if (file == stdout)
		return true;
	out->file = NULL;
	if (fclose(file) || (out->temporary && rename(out->temporary, out->name)))
		return failed(out);
	unfinished = NULL;
	free(out->temporary);
	out->temporary = NULL;
	return true;
}

void output_discard(struct output *out)
{
	unfinished = NULL;
	if (out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	out->temporary = NULL;
	if (out->file && out->file != stdout)
		fclose(out->file);
	out->file = NULL;
}
