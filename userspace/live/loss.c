// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "kernel/control.h"
#include "loss.h"

/* A reset sets the rings' counters to 0. */
static uint64_t since(uint64_t now, uint64_t before)
{
	return now < before ? now : now - before;
}

void loss_add(struct rbmap_loss *loss, const struct rbmap_loss *now,
	      const struct rbmap_loss *before)
{
	loss->overrun += since(now->overrun, before->overrun);
	loss->full += since(now->full, before->full);
	loss->lapped += since(now->lapped, before->lapped);
	loss->nested += since(now->nested, before->nested);
	loss->too_large += since(now->too_large, before->too_large);
	loss->expired += since(now->expired, before->expired);
	loss->no_ring += since(now->no_ring, before->no_ring);
	loss->total += since(now->total, before->total);
	loss->reported += since(now->reported, before->reported);
	loss->disabled += since(now->disabled, before->disabled);
}

/* Return true if the buffer is the command's own, whose options set the sizes. */
static bool is_own(void)
{
	uint64_t pid;

	return !control_read_u64("keeper_pid", &pid);
}

static void print_larger_ring(FILE *out)
{
	uint64_t kb;
	bool known = !control_read_u64("buffer_size_kb", &kb);

	if (known && is_own())
		fprintf(out, "rings larger than %" PRIu64 " KiB (-b)", kb);
	else if (known)
		fprintf(out, "a buffer_size_kb larger than %" PRIu64, kb);
	else
		fputs("a larger buffer_size_kb", out);
}

static void print_larger_subbuf(FILE *out)
{
	uint64_t kb;
	bool known = !control_read_u64("buffer_subbuf_size_kb", &kb);

	if (known && is_own())
		fprintf(out, "sub-buffers larger than %" PRIu64 " KiB (--subbuf)\n",
			kb);
	else if (known)
		fprintf(out, "a subbuf_size_kb larger than %" PRIu64
			" ('rbmap load subbuf_size_kb=...')\n", kb);
	else
		fputs("a larger subbuf_size_kb ('rbmap load subbuf_size_kb=...')\n",
		      out);
}

uint64_t loss_add_unopened(struct rbmap_loss *loss, unsigned int cpu, uint64_t *unread)
{
	uint64_t lost = 0, no_ring = 0;

	*unread = 0;
	control_cpu_stat(cpu, "lost events", &lost);
	control_cpu_stat(cpu, "entries", unread);
	control_cpu_stat(cpu, "dropped no ring", &no_ring);
	if (no_ring > lost)
		no_ring = lost;
	loss->no_ring += no_ring;
	loss->total += lost + *unread;
	return lost - no_ring + *unread;
}

void loss_print(FILE *out, uint64_t events, const struct rbmap_loss *loss, bool more)
{
	uint64_t kb;

	fprintf(out, "%" PRIu64 " events read, %s%" PRIu64 " lost\n", events,
		more ? "more than " : "", loss->total);
	if (loss->overrun) {
		fprintf(out, "  %" PRIu64 " overwritten before they were read: "
			"avoid it with fewer events or ", loss->overrun);
		print_larger_ring(out);
		fputc('\n', out);
	}
	if (loss->full) {
		fprintf(out, "  %" PRIu64 " refused because the ring was full "
			"(overwrite is 0): avoid it with fewer events or ",
			loss->full);
		print_larger_ring(out);
		fputc('\n', out);
	}
	if (loss->lapped) {
		fprintf(out, "  %" PRIu64 " refused because interrupts filled "
			"the whole ring during one event: avoid it with ",
			loss->lapped);
		print_larger_ring(out);
		fputc('\n', out);
	}
	if (loss->nested)
		fprintf(out, "  %" PRIu64 " refused because events nested too "
			"deep: avoid it by disabling the event whose probe "
			"causes events itself\n", loss->nested);
	if (loss->too_large) {
		fprintf(out, "  %" PRIu64 " refused because they are larger "
			"than a sub-buffer: avoid it with ", loss->too_large);
		print_larger_subbuf(out);
	}
	if (loss->no_ring) {
		fprintf(out, "  %" PRIu64 " on CPUs that had no ring yet, as "
			"there was no memory for one: avoid it with ",
			loss->no_ring);
		if (control_read_u64("buffer_size_kb", &kb))
			fputs("a smaller buffer_size_kb\n", out);
		else
			fprintf(out, "a buffer_size_kb smaller than %" PRIu64
				"\n", kb);
	}
	if (loss->expired) {
		fprintf(out, "  %" PRIu64 " let go with rings that were replaced "
			"and not read in time: avoid it with ", loss->expired);
		if (control_read_u64("retired_size_kb", &kb))
			fputs("a larger retired_size_kb\n", out);
		else
			fprintf(out, "a retired_size_kb larger than %" PRIu64
				"\n", kb);
	}
}

void loss_print_unopened(FILE *out, uint64_t unopened)
{
	if (unopened)
		fprintf(out, "  %" PRIu64 " in rings of CPUs that came online and could not be opened\n",
			unopened);
}

void loss_print_missed(FILE *out, uint64_t missed)
{
	if (missed)
		fprintf(out, "  %" PRIu64 " missed, as the kernel had no record of them: it was in another of its events, or the CPU had just come online\n",
			missed);
}

void loss_print_excluded(FILE *out, uint64_t excluded)
{
	if (excluded)
		fprintf(out, "  %" PRIu64 " more events were left out, as rbmap itself caused them: --self records them\n",
			excluded);
}
