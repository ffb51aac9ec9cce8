// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "listing.h"
#include "machine.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct instruction {
	unsigned long	address;
	unsigned long	function;	/* address of its function */
	char		name[48];
	char		text[64];
};

static struct instruction listing[8192];
static u32 nr_listing;
static char program[4096];

/* Functions that are not the writer's; readers call some of them outside a sweep. */
static const char *const others[] = {
	"rbmap_ring_init", "rbmap_ring_follow", "rbmap_ring_seal", "rbmap_ring_clone",
	"rbmap_ring_set_off", "rbmap_ring_entries",
	"rbmap_ring_mark_lost", "rbmap_ring_skip", "rbmap_ring_report_drops",
	"rbmap_ring_unreported_drops", "rbmap_ring_has_event",
	"rbmap_ring_closed_unread", "rbmap_ring_unread_bytes",
	"rbmap_ring_reader_at_writer", "rbmap_ring_unread",
	"rbmap_ring_get", "rbmap_ring_consume", "rbmap_ring_exchange",
	"rbmap_ring_has_closed", "rbmap_ring_begin_late",
	"rbmap_ring_empty_reader", "rbmap_ring_carry", "rbmap_ring_abandon",
};

static bool is_writers(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(name, others[i]))
			return false;
	return true;
}

/* Instructions that pad to an aligned address; they never run. */
static bool is_padding(const char *text)
{
	return strstr(text, "nop") || !strncmp(text, "xchg   %ax,%ax", 14);
}

bool listing_load(void)
{
	char command[4200], line[512], name[48] = "";
	unsigned long address, function = 0;
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	FILE *pipe;

	if (n <= 0)
		return false;
	snprintf(command, sizeof(command),
		 "objdump -d -w -j ring_text --no-show-raw-insn '%s'", program);
	pipe = popen(command, "r");
	if (!pipe)
		return false;
	while (fgets(line, sizeof(line), pipe)) {
		struct instruction *instruction = &listing[nr_listing];
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%lx <%47[^>]>:", &address, name) == 2) {
			function = address;
			continue;
		}
		if (sscanf(line, " %lx: %n", &address, &at) != 1 || !at ||
		    is_padding(line + at) || nr_listing == ARRAY_SIZE(listing))
			continue;
		instruction->address = address;
		instruction->function = function;
		strcpy(instruction->name, name);
		snprintf(instruction->text, sizeof(instruction->text), "%.63s",
			 line + at);
		nr_listing++;
	}
	return pclose(pipe) == 0 && nr_listing > 0;
}

void listing_print_where(unsigned long address)
{
	char command[4200];
	u32 i;

	for (i = 0; i < nr_listing; i++)
		if (listing[i].address == address)
			printf("#     %s+0x%lx: %s\n", listing[i].name,
			       address - listing[i].function, listing[i].text);
	fflush(stdout);
	snprintf(command, sizeof(command),
		 "addr2line -e '%s' -fips 0x%lx | sed 's/^/#     /'", program,
		 address);
	if (system(command))
		printf("#     (addr2line failed)\n");
}

static u8 hits_of(u32 i, const u8 *hits)
{
	return hits[listing[i].address - (unsigned long)__start_ring_text];
}

/*
 * Count the instructions in [from, to) that were never a boundary, and print where
 * each row of them begins.
 */
static u32 print_missing(u32 from, u32 to, const u8 *hits)
{
	u32 i, row, missing = 0;

	for (i = from; i < to; i += row) {
		for (row = 0; i + row < to && !hits_of(i + row, hits); row++)
			;
		missing += row;
		if (!row) {
			row = 1;
			continue;
		}
		printf("# %u instructions from here on were never interrupted:\n", row);
		listing_print_where(listing[i].address);
	}
	return missing;
}

u32 listing_print_coverage(const u8 *hits)
{
	u32 i, missing = 0;

	for (i = 0; i < nr_listing;) {
		const char *name = listing[i].name;
		const u32 first = i;
		u32 all = 0, hit = 0, inside = 0;

		for (; i < nr_listing && !strcmp(listing[i].name, name); i++) {
			all++;
			hit += hits_of(i, hits) != 0;
			inside += (hits_of(i, hits) & HIT_INSIDE) != 0;
		}
		if (!hit && !is_writers(name))
			continue;
		printf("# %s: %u of %u instructions were interrupted, %u nested in another act\n",
		       name, hit, all, inside);
		if (is_writers(name))
			missing += print_missing(first, i, hits);
	}
	return missing;
}
