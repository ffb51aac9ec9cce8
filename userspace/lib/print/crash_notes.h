/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A process of crash_guard() notes which format libtraceevent uses, and how far the output
 * is. The notes outlive the process. Without a guard they have no use.
 */
#ifndef RBMAP_PRINT_CRASH_NOTES_H
#define RBMAP_PRINT_CRASH_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CRASH_NAME_SIZE	64

/* The section of a recording that is in use */
enum crash_section {
	CRASH_TABLES,	/* formats, and names of threads, functions and texts */
	CRASH_EVENTS,
	CRASH_RESULT,	/* none: what the events have led to is printed */
	CRASH_SECTIONS
};

/**
 * struct crash_notes - the notes
 * @mark: the format in use, or 0
 * @progress: how far the output is; 0 at first
 * @section: the section in use, an enum crash_section
 * @file: the recording that has the format, as an index of crash_guard's paths
 * @system, @name: those of the format
 */
struct crash_notes {
	uint64_t mark;
	uint64_t progress;
	unsigned int section;
	unsigned int file;
	char system[CRASH_NAME_SIZE];
	char name[CRASH_NAME_SIZE];
};

struct crash_notes *crash_notes(void);

/* Return a number that identifies a format. It is not 0. */
uint64_t crash_mark(const char *format, size_t size);

/*
 * Note that a format is used until crash_leave(). Other threads wait meanwhile. Return false
 * if that has crashed a process before; then there is nothing to leave.
 */
bool crash_enter(uint64_t mark, unsigned int file, const char *system, const char *name);
/* The same for a format that is not parsed yet */
bool crash_enter_format(unsigned int file, const char *system, const char *format, size_t size);
void crash_leave(void);

/*
 * Note how far the output is, between these two. No format is used meanwhile, so a crash
 * comes neither between the output and the note nor in the middle of the output.
 */
void crash_hold(void);
void crash_release(void);

/* Share the notes with processes that are started later. Return false without memory. */
bool crash_notes_share(void);
/* Leave out the format that is noted, from now on. Return false if there are too many. */
bool crash_leave_out(void);
unsigned int crash_left_out(void);

#endif /* RBMAP_PRINT_CRASH_NOTES_H */
