// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of events that a driver writes by a call: rbmap_trace_NAME() of
 * RBMAP_DRIVER_EVENT().  The call finds its buffers in an array.  An array that is full is
 * replaced by a larger one.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "event/event_set.h"
#include "event/release.h"
#include "event/source.h"

/* Entries of a new array. */
#define RBMAP_CALLED_FIRST	4

/**
 * struct rbmap_called_array - the array of an event, and how it is freed
 * @release: frees an array that was replaced
 * @called: the part that the driver knows
 */
struct rbmap_called_array {
	struct rbmap_release	release;
	struct rbmap_called	called;
};

static void rbmap_called_free(struct rbmap_release *release)
{
	kfree(container_of(release, struct rbmap_called_array, release));
}

/* A call that runs may still use the old array. */
static void rbmap_called_replaced(struct rbmap_called *called)
{
	struct rbmap_called_array *array;

	if (!called)
		return;
	array = container_of(called, struct rbmap_called_array, called);
	rbmap_release_later(&array->release, rbmap_called_free,
			    struct_size(called, event_file, called->nr));
}

/*
 * Set the first entry that is @old.  Return whether there was one.
 * litmus: filter-init, filter-free
 */
static bool rbmap_called_exchange(struct rbmap_called *called,
				  struct rbmap_event_file *old,
				  struct rbmap_event_file *new)
{
	unsigned int i;

	for (i = 0; called && i < called->nr; i++) {
		if (called->event_file[i] == old) {
			smp_store_release(&called->event_file[i], new);
			return true;
		}
	}
	return false;
}

static const char *rbmap_call_find(struct rbmap_event_type *event)
{
	/* rbmap_called_begin() has disabled it. */
	event->preempt = IS_ENABLED(CONFIG_PREEMPT_COUNT);
	WRITE_ONCE(event->origin, event->called);
	return NULL;
}

/* litmus: filter-init */
static int rbmap_call_attach(const struct rbmap_event_type *event, void *data)
{
	struct rbmap_called *old = *event->called;
	unsigned int nr = old ? 2 * old->nr : RBMAP_CALLED_FIRST;
	struct rbmap_called_array *array;

	lockdep_assert_held(&rbmap_event_files_lock);
	if (rbmap_called_exchange(old, NULL, data))
		return 0;
	array = kzalloc(sizeof(*array) + nr * sizeof(*array->called.event_file),
			GFP_KERNEL);
	if (!array)
		return -ENOMEM;
	rbmap_release_init(&array->release);
	array->called.nr = nr;
	if (old)
		memcpy(array->called.event_file, old->event_file,
		       old->nr * sizeof(*old->event_file));
	array->called.event_file[old ? old->nr : 0] = data;
	smp_store_release(event->called, &array->called);
	rbmap_called_replaced(old);
	return 0;
}

static bool rbmap_called_is_empty(const struct rbmap_called *called)
{
	unsigned int i;

	for (i = 0; i < called->nr; i++) {
		if (called->event_file[i])
			return false;
	}
	return true;
}

static int rbmap_call_detach(const struct rbmap_event_type *event, void *data)
{
	struct rbmap_called *called = *event->called;

	lockdep_assert_held(&rbmap_event_files_lock);
	rbmap_called_exchange(called, data, NULL);
	if (!called || !rbmap_called_is_empty(called))
		return 0;
	WRITE_ONCE(*event->called, NULL);
	rbmap_called_replaced(called);
	return 0;
}

const struct rbmap_source rbmap_call_source = {
	.name	= "call",
	.find	= rbmap_call_find,
	.attach	= rbmap_call_attach,
	.detach	= rbmap_call_detach,
};
