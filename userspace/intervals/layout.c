// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "comms.h"
#include "event_common.h"
#include "formats/format_text.h"
#include "layout.h"
#include "print/fields/fields.h"

#define NR_IDS	65536	/* common_type has 16 bits */

/**
 * struct wanted - an event that is needed
 * @event: its name; * stands for the part that names what runs
 * @field: names of its fields; a field without a "?" before its name must exist
 */
struct wanted {
	const char *system;
	const char *event;
	enum layout_role role;
	const char *field[LAYOUT_FIELDS];
};

#define REQUEST_FIELDS	{ "dev", "sector", "nr_sector", "rwbs" }

/* The first one that fits is used. */
static const struct wanted wanted[] = {
	{ "sched", "sched_switch", ROLE_SWITCH,
	  { "prev_comm", "prev_pid", "prev_state", "next_comm", "next_pid",
	    "?prev_prio", "?next_prio" } },
	{ "sched", "sched_waking", ROLE_WAKING, { "comm", "pid" } },
	{ "sched", "sched_wakeup", ROLE_WAKEUP, { "comm", "pid" } },
	{ "sched", "sched_wakeup_new", ROLE_WAKEUP_NEW, { "comm", "pid" } },
	{ "raw_syscalls", "sys_enter", ROLE_SYS_ENTER, { "id", "?args" } },
	{ "raw_syscalls", "sys_exit", ROLE_SYS_EXIT, { "id", "?ret" } },
	{ "syscalls", "sys_enter_*", ROLE_SYS_ENTER, { "__syscall_nr" } },
	{ "syscalls", "sys_exit_*", ROLE_SYS_EXIT, { "__syscall_nr" } },
	{ "irq", "irq_handler_entry", ROLE_IRQ_ENTRY, { "irq", "name" } },
	{ "irq", "irq_handler_exit", ROLE_IRQ_EXIT, { "irq" } },
	{ "irq_vectors", "*_entry", ROLE_VECTOR_ENTRY, { "vector" } },
	{ "irq_vectors", "*_exit", ROLE_VECTOR_EXIT, { "vector" } },
	{ "irq", "softirq_entry", ROLE_SOFTIRQ_ENTRY, { "vec" } },
	{ "irq", "softirq_exit", ROLE_SOFTIRQ_EXIT, { "vec" } },
	{ "block", "block_rq_insert", ROLE_INSERT, REQUEST_FIELDS },
	{ "block", "block_rq_issue", ROLE_ISSUE, REQUEST_FIELDS },
	{ "block", "block_rq_complete", ROLE_COMPLETE, REQUEST_FIELDS },
	{ "block", "block_rq_requeue", ROLE_REQUEUE, REQUEST_FIELDS },
	{ "timer", "hrtimer_start", ROLE_HRTIMER_START, { "hrtimer", "expires" } },
	{ "timer", "hrtimer_expire_entry", ROLE_HRTIMER_ENTRY, { "hrtimer", "function", "?now" } },
	{ "timer", "hrtimer_expire_exit", ROLE_HRTIMER_EXIT, { "hrtimer" } },
	{ "timer", "timer_expire_entry", ROLE_TIMER_ENTRY, { "timer", "function" } },
	{ "timer", "timer_expire_exit", ROLE_TIMER_EXIT, { "timer" } },
	{ "workqueue", "workqueue_execute_start", ROLE_WORK_BEGIN, { "work", "function" } },
	{ "workqueue", "workqueue_execute_end", ROLE_WORK_END, { "work" } },
	{ "lock", "contention_begin", ROLE_LOCK_BEGIN, { "lock_addr", "flags" } },
	{ "lock", "contention_end", ROLE_LOCK_END, { "lock_addr" } },
	{ "vmscan", "mm_vmscan_*_reclaim_begin", ROLE_RECLAIM_BEGIN, { NULL } },
	{ "vmscan", "mm_vmscan_*_reclaim_end", ROLE_RECLAIM_END, { NULL } },
	{ "exceptions", "page_fault_user", ROLE_FAULT, { NULL } },
};

struct layouts {
	struct layout *layout[NR_IDS];
	struct layout_comms *comms[NR_IDS];
	bool has_role[NR_ROLES];
};

struct layouts *layouts_new(void)
{
	return calloc(1, sizeof(struct layouts));
}

static void free_layout(struct layout *layout)
{
	if (layout)
		free(layout->name);
	free(layout);
}

void layouts_free(struct layouts *layouts)
{
	for (unsigned int i = 0; layouts && i < NR_IDS; i++) {
		free_layout(layouts->layout[i]);
		free(layouts->comms[i]);
	}
	free(layouts);
}

bool layouts_has_role(const struct layouts *layouts, enum layout_role role)
{
	return layouts->has_role[role];
}

static const struct wanted *find_wanted(const char *system, const char *event)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!strcmp(wanted[i].system, system) && !fnmatch(wanted[i].event, event, 0))
			return &wanted[i];
	return NULL;
}

struct layout_field layout_field_of(const struct rbmap_format_field *f)
{
	return (struct layout_field){
		.offset = f->offset,
		.size = f->size,
		.element_size = f->element_size,
		.dynamic = f->flags & RBMAP_FIELD_DYNAMIC,
		.relative = f->flags & RBMAP_FIELD_RELATIVE,
	};
}

static bool find_field(const struct rbmap_format *format, const char *name,
		       struct layout *layout, unsigned int i)
{
	bool optional = *name == '?';
	const struct rbmap_format_field *f;

	f = rbmap_format_field_by_name(format, name + optional);
	if (!f || !f->size)
		return optional;
	layout->field[i] = layout_field_of(f);
	if (layout->need < f->offset + f->size)
		layout->need = f->offset + f->size;
	return true;
}

/* Return what stands for the * of @pattern in @event, or NULL. */
static char *wildcard_part(const char *pattern, const char *event)
{
	const char *star = strchr(pattern, '*');
	size_t before = star ? star - pattern : 0, after = star ? strlen(star + 1) : 0;

	return star ? strndup(event + before, strlen(event) - before - after) : NULL;
}

static int add_layout(struct layouts *layouts, const struct wanted *w,
		      const struct rbmap_format *format)
{
	struct layout *layout = calloc(1, sizeof(*layout));

	if (!layout)
		return -ENOMEM;
	layout->role = w->role;
	layout->need = sizeof(struct rbmap_event_common);
	for (unsigned int i = 0; i < LAYOUT_FIELDS && w->field[i]; i++)
		if (!find_field(format, w->field[i], layout, i)) {
			free(layout);
			return 0;
		}
	layout->name = wildcard_part(w->event, format->name);
	free_layout(layouts->layout[format->id]);
	layouts->layout[format->id] = layout;
	layouts->has_role[w->role] = true;
	return 0;
}

static int add_comms(struct layouts *layouts, const struct rbmap_format *format)
{
	struct layout_comms found, *comms;

	comms_find(&found, format);
	if (!found.nr)
		return 0;
	comms = malloc(sizeof(*comms));
	if (!comms)
		return -ENOMEM;
	*comms = found;
	free(layouts->comms[format->id]);
	layouts->comms[format->id] = comms;
	return 0;
}

int layouts_add(struct layouts *layouts, const char *system, const char *format, size_t size)
{
	const struct wanted *w;
	struct format *parsed;
	int ret = format_parse(&parsed, system, format, size);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	w = find_wanted(system, parsed->public.name);
	if (w)
		ret = add_layout(layouts, w, &parsed->public);
	if (!ret)
		ret = add_comms(layouts, &parsed->public);
	format_free(parsed);
	return ret;
}

const struct layout *layouts_find(const struct layouts *layouts, const struct rbmap_event *ev)
{
	const struct layout *layout;
	uint16_t id;

	if (!event_id(ev, &id))
		return NULL;
	layout = layouts->layout[id];
	return layout && ev->size >= layout->need ? layout : NULL;
}

const struct layout_comms *layouts_comms(const struct layouts *layouts,
					 const struct rbmap_event *ev)
{
	const struct layout_comms *comms;
	uint16_t id;

	if (!event_id(ev, &id))
		return NULL;
	comms = layouts->comms[id];
	return comms && ev->size >= comms->need ? comms : NULL;
}

bool layout_has(const struct layout *layout, unsigned int field)
{
	return layout->field[field].size;
}

uint64_t layout_number(const struct layout *layout, const struct rbmap_event *ev,
		       unsigned int field)
{
	const struct layout_field *f = &layout->field[field];

	return field_number((const char *)ev->data + f->offset, f->size);
}

uint64_t layout_word(const struct layout *layout, const struct rbmap_event *ev,
		     unsigned int field, unsigned int word)
{
	const struct layout_field *f = &layout->field[field];

	if (f->dynamic || !f->element_size || word >= f->size / f->element_size)
		return 0;
	return field_number((const char *)ev->data + f->offset + word * f->element_size,
			    f->element_size);
}

void layout_text(const struct layout *layout, const struct rbmap_event *ev,
		 unsigned int field, char *text, size_t room)
{
	const struct layout_field *f = &layout->field[field];
	uint32_t offset = f->offset, size = f->size;
	const char *record = ev->data;

	if (f->dynamic)
		field_place(record, f->offset, f->size, f->relative, &offset, &size);
	if (offset > ev->size || size > ev->size - offset)
		size = 0;
	size = strnlen(record + offset, size);
	if (size > room - 1)
		size = room - 1;
	memcpy(text, record + offset, size);
	text[size] = '\0';
}
