// SPDX-License-Identifier: LGPL-2.1-only
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "crash_notes.h"

#define BAD_MAX		64	/* formats that are left out */
#define NAME_LINE	"name: "	/* the beginning of a format */

static struct crash_notes unshared, *notes = &unshared;
static uint64_t bad[BAD_MAX];
static unsigned int nr_bad;
/* For the format in use, and the output */
static pthread_mutex_t in_use = PTHREAD_MUTEX_INITIALIZER;

struct crash_notes *crash_notes(void)
{
	return notes;
}

uint64_t crash_mark(const char *format, size_t size)
{
	uint64_t mark = 14695981039346656037u;	/* FNV-1a */

	for (size_t i = 0; i < size; i++)
		mark = (mark ^ (unsigned char)format[i]) * 1099511628211u;
	return mark ? mark : 1;
}

static void copy_name(char to[CRASH_NAME_SIZE], const char *name, size_t size)
{
	size_t len = 0;

	while (len < size && len < CRASH_NAME_SIZE - 1 && name[len] && name[len] != '\n')
		len++;
	memcpy(to, name, len);
	to[len] = '\0';
}

static bool enter(uint64_t mark, unsigned int file, const char *system, const char *name,
		  size_t size)
{
	for (unsigned int i = 0; i < nr_bad; i++)
		if (bad[i] == mark)
			return false;
	pthread_mutex_lock(&in_use);
	copy_name(notes->system, system, CRASH_NAME_SIZE);
	copy_name(notes->name, name, size);
	notes->file = file;
	notes->mark = mark;
	return true;
}

bool crash_enter(uint64_t mark, unsigned int file, const char *system, const char *name)
{
	return enter(mark, file, system, name, CRASH_NAME_SIZE);
}

bool crash_enter_format(unsigned int file, const char *system, const char *format, size_t size)
{
	size_t line = strlen(NAME_LINE);

	if (size < line || memcmp(format, NAME_LINE, line))
		return enter(crash_mark(format, size), file, system, "", 0);
	return enter(crash_mark(format, size), file, system, format + line, size - line);
}

void crash_leave(void)
{
	notes->mark = 0;
	pthread_mutex_unlock(&in_use);
}

void crash_hold(void)
{
	pthread_mutex_lock(&in_use);
}

void crash_release(void)
{
	pthread_mutex_unlock(&in_use);
}

bool crash_notes_share(void)
{
	void *shared = mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return false;
	notes = shared;
	return true;
}

bool crash_leave_out(void)
{
	if (nr_bad == BAD_MAX)
		return false;
	bad[nr_bad++] = notes->mark;
	notes->mark = 0;
	return true;
}

unsigned int crash_left_out(void)
{
	return nr_bad;
}
