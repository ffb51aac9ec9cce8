// SPDX-License-Identifier: GPL-2.0-only
#include "scenario.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct scenario scenario;
bool scenario_everything;
bool scenario_short;

/* Acts that run at each boundary of the outer act, and the code stepped then. */
static struct first {
	const struct act	*act;
	enum steps		steps;
} firsts[20];
static u32 nr_firsts;

/* Code that is stepped for a third act, once the second one has interrupted. */
static enum steps steps_of_second;

static void add_first(const struct act *act, enum steps steps)
{
	rig_check(nr_firsts < ARRAY_SIZE(firsts));
	firsts[nr_firsts++] = (struct first) { act, steps };
}

void scenario_one_act(void)
{
	u32 i;

	nr_firsts = 0;
	steps_of_second = STEP_NONE;
	for (i = 0; i < NR_INNERS; i++)
		add_first(inners[i], STEP_NONE);
}

/* Two acts: a small write is always tried as the first act, the others in turn. */
void scenario_two_acts(void)
{
	u32 i;

	nr_firsts = 0;
	steps_of_second = STEP_NONE;
	if (scenario_everything) {
		for (i = 0; i < NR_INNERS; i++) {
			add_first(inners[i], STEP_INSIDE);
			add_first(inners[i], STEP_AFTER);
		}
		return;
	}
	add_first(inners[0], STEP_INSIDE);
	if (scenario.turn % 3 == 0)
		add_first(inners[1 + scenario.turn / 3 % 4], STEP_INSIDE);
	if (scenario.turn % 2 == 0)
		add_first(inners[(scenario.turn / 2 + scenario.turn / 14) %
				 NR_INNERS], STEP_AFTER);
}

/* Three acts: small writes only. */
void scenario_three_acts(enum steps first)
{
	nr_firsts = 0;
	add_first(inners[0], first);
	steps_of_second = STEP_INSIDE;
}

/* Number of second acts: always a small write; of the others, some in turn. */
#define SECONDS	3

static const struct act *next_act(u32 held, u64 boundary, u32 i,
				  enum steps *steps)
{
	const u32 others = NR_INNERS - 1;

	if (held == 0) {
		if (i == nr_firsts)
			return NULL;
		*steps = firsts[i].steps;
		return firsts[i].act;
	}
	if (steps_of_second == STEP_INSIDE) {
		*steps = held == 1 ? steps_of_second : STEP_NONE;
		return i == 0 ? inners[0] : NULL;
	}
	if (i == 0 || scenario_everything)
		return i < NR_INNERS ? inners[i] : NULL;
	if (i == SECONDS)
		return NULL;
	boundary = boundary * (SECONDS - 1) + scenario.turn + i;
	return inners[1 + boundary % others];
}

static void each_state(void (*each)(void *memory, size_t size))
{
	u32 i;

	each(&rig, sizeof(rig));
	each(&acts_state, sizeof(acts_state));
	each(rig.ring, sizeof(*rig.ring));
	each(rig.config.slot, rig.config.nr_slots * sizeof(u64));
	each(rig.config.slot_table, rbmap_slot_table_size(rig.config.nr_slots));
	each(rig.config.subbuf,
	     (rig.config.nr_slots + 1) * sizeof(*rig.config.subbuf));
	for (i = 0; i <= rig.config.nr_slots; i++)
		each(rig.config.subbuf[i].header, rig.config.subbuf_size);
	each(rig.copy, rig.config.subbuf_size);
	each(rig.log, rig.nr_log * sizeof(*rig.log));
}

static void check_run(void)
{
	place_leave();
	rig_check_published();
	rig_finish();
}

void scenario_run(struct counts *counts)
{
	const struct sweep sweep = {
		.outer = scenario.outer,
		.next = next_act,
		.state = each_state,
		.check = check_run,
	};

	memset(counts, 0, sizeof(*counts));
	rig_open(scenario.slots, scenario.room + RBMAP_SUBBUF_HEADER_SIZE,
		 scenario.mode, rbmap_seq_modulus(scenario.slots) - 2);
	rig_open_log(256);
	rig.ring->clock = scenario.clock->id;
	rbmap_ring_set_off(rig.ring, true);
	rbmap_ring_set_off(rig.ring, false);
	rig.clock = scenario.clock->read;
	rig.clock_steps_back = scenario.clock->steps_back;
	acts_state = (struct acts_state) {
		.now = 1000,
		.ticks = 0x9d2c5680 + scenario.turn * 2654435761u,
	};
	scenario.place->prepare();
	machine_sweep(&sweep, counts);
	rig_close();
}

const char *scenario_name(void)
{
	static char name[200];

	snprintf(name, sizeof(name), "%s, %u slots of %u bytes, %s, clock %s: %s",
		 scenario.mode == RBMAP_MODE_DISCARD ? "discard" : "overwrite",
		 scenario.slots, scenario.room, scenario.place->name,
		 scenario.clock->name, scenario.outer->name);
	return name;
}
