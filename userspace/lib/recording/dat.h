/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * trace.dat, version 6: the file format of trace-cmd, see trace-cmd.dat.v6(5).
 *
 *	magic, version, byte order, size of long, page size
 *	"header_page", "header_event": the files of that name
 *	formats of ftrace's own events, formats of each system's events
 *	kallsyms, printk formats
 *	--- the tail, from here on; its size is only known at the end ---
 *	names of threads
 *	number of CPUs
 *	"options": clock, system, version, counters
 *	"flyrecord": for each CPU where its data is, and its size
 *	--- padding ---
 *	data of the CPUs: raw sub-buffers
 *
 * Version 7, see trace-cmd.dat.v7(5): each part is a section, which may be compressed.
 * Options have the offsets of the other sections.
 */
#ifndef RBMAP_DAT_H
#define RBMAP_DAT_H

#include <stdint.h>

#define DAT_MAGIC		"\x17\x08\x44tracing"
#define DAT_MAGIC_SIZE		10
#define DAT_VERSION		"6"
#define DAT_VERSION_SECTIONS	"7"
#define DAT_HEADER_PAGE		"header_page"
#define DAT_HEADER_EVENT	"header_event"
#define DAT_WORD_SIZE		10	/* "options  ", or "flyrecord" with its 0 */
#define DAT_OPTIONS		"options  "
#define DAT_FLYRECORD		"flyrecord"
#define DAT_LATENCY		"latency  "

enum dat_option {
	DAT_OPTION_DONE		= 0,
	DAT_OPTION_DATE		= 1,
	DAT_OPTION_CPUSTAT	= 2,
	DAT_OPTION_BUFFER	= 3,
	DAT_OPTION_TRACECLOCK	= 4,
	DAT_OPTION_UNAME	= 5,
	DAT_OPTION_OFFSET	= 7,
	DAT_OPTION_CPUCOUNT	= 8,
	DAT_OPTION_VERSION	= 9,
	DAT_OPTION_TIME_SHIFT	= 12,
	DAT_OPTION_TSC2NSEC	= 14,
	/* Version 7 */
	DAT_OPTION_STRINGS	= 15,
	DAT_OPTION_HEADER_INFO	= 16,	/* the first part of version 6 */
	DAT_OPTION_FTRACE_EVENTS = 17,
	DAT_OPTION_EVENT_FORMATS = 18,
	DAT_OPTION_KALLSYMS	= 19,
	DAT_OPTION_PRINTK	= 20,
	DAT_OPTION_CMDLINES	= 21,
	DAT_OPTION_BUFFER_TEXT	= 22,
};

/* Version 7: a section has the number of the option that has its offset. */
#define DAT_NR_PARTS		(DAT_OPTION_CMDLINES - DAT_OPTION_HEADER_INFO + 1)
#define DAT_COMPRESSION		"zstd"
#define DAT_SECTION_OPTIONS	0
#define DAT_SECTION_COMPRESSED	1	/* flag */

/*
 * The end of the version option while the recording is not complete. A CPU's data beyond
 * its size in the table is then in a file of the CPU (dat_spool.h), at the same offset. A
 * complete recording has zeroes in this place.
 */
#define DAT_UNFINISHED		" (unfinished)"

static inline uint64_t round_up_to(uint64_t value, uint64_t step)
{
	return (value + step - 1) / step * step;
}

#endif /* RBMAP_DAT_H */
