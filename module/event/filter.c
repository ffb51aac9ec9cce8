// SPDX-License-Identifier: GPL-2.0-only
/* Filters, which select records of an event: set them and show them. */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buffer/buffer.h"
#include "event.h"
#include "event_set.h"
#include "filter.h"
#include "filter/filter.h"
#include "format.h"
#include "lib/error_log.h"
#include "lib/log.h"
#include "release.h"

/* Characters of a wrong expression that are shown in the log. */
#define RBMAP_LOGGED_MAX	24

/* The words of tracefs for the place of an error in a filter. */
#define RBMAP_FILTER_WHERE	"event filter parse error"

static const char rbmap_filter_system_error[] =
	"Couldn't find or set field in one of a subsystem's events";

static bool rbmap_filter_find_in(const struct rbmap_field *fields,
				 size_t *end, const char *name, size_t len,
				 struct rbmap_filter_field *found)
{
	const struct rbmap_field *field;
	bool is = false;

	for (field = fields; field->name; field++) {
		size_t offset = ALIGN(*end, field->align);

		*end = offset + field->size;
		if (strlen(field->name) != len || memcmp(field->name, name, len))
			continue;
		found->offset = offset;
		found->size = field->size;
		found->is_signed = field->is_signed;
		found->kind = rbmap_filter_kind_of(field->type, field->len);
		is = true;
	}
	return is;
}

/*
 * Look for the event's own fields first, and for common fields last, as in ftrace.
 */
static bool rbmap_filter_find_field(const void *data, const char *name,
				    size_t len,
				    struct rbmap_filter_field *found)
{
	const struct rbmap_event_type *event = data;
	size_t end = sizeof(struct rbmap_record), common = 0;

	return rbmap_filter_find_in(event->fields, &end, name, len, found) ||
	       rbmap_filter_find_generic(name, len, found) ||
	       rbmap_filter_find_in(rbmap_common_fields, &common, name, len,
				    found);
}

/* Bytes of the fixed part of an event's records. */
static size_t rbmap_event_fixed_size(const struct rbmap_event_type *event)
{
	size_t end = sizeof(struct rbmap_record);
	struct rbmap_filter_field none;

	rbmap_filter_find_in(event->fields, &end, "", 0, &none);
	return end;
}

/**
 * rbmap_event_pid_field - find the other task that an event is about
 * @event: the event
 * @switches: set to whether the event is the switch to that task
 *
 * As in ftrace, this is the next task of a switch, and the woken task of a wakeup.
 *
 * Return: offset of the task's pid in the record, or 0.
 */
u16 rbmap_event_pid_field(const struct rbmap_event_type *event, bool *switches)
{
	static const char *const names[][2] = {
		{ "sched_switch", "next_pid" },
		{ "sched_wakeup", "pid" },
		{ "sched_wakeup_new", "pid" },
		{ "sched_waking", "pid" },
	};
	size_t end = sizeof(struct rbmap_record);
	struct rbmap_filter_field found;
	int i;

	*switches = false;
	if (!event->fields || strcmp(event->system, "sched"))
		return 0;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(event->name, names[i][0]) &&
		    rbmap_filter_find_in(event->fields, &end, names[i][1],
					 strlen(names[i][1]), &found) &&
		    found.size == sizeof(s32)) {
			*switches = !i;
			return found.offset;
		}
	}
	return 0;
}

/*
 * Create a filter that shows @text, and below it the place and the reason of an
 * error.
 */
static struct rbmap_event_filter *
rbmap_event_filter_new(const char *text, const struct rbmap_filter_error *error)
{
	size_t size = strlen(text) + 1;
	struct rbmap_event_filter *filter;

	if (error)
		size += error->at + strlen(error->message) +
			sizeof("\n^\nparse_error: \n");
	filter = kvzalloc(struct_size(filter, text, size), GFP_KERNEL);
	if (!filter)
		return NULL;
	if (error)
		snprintf(filter->text, size, "%s\n%*s\nparse_error: %s\n", text,
			 (int)error->at + 1, "^", error->message);
	else
		memcpy(filter->text, text, size);
	return filter;
}

/**
 * rbmap_event_filter_free - free a filter
 * @filter: a filter that no probe uses any more, or NULL
 */
void rbmap_event_filter_free(struct rbmap_event_filter *filter)
{
	if (!filter)
		return;
	rbmap_filter_free(filter->program);
	kvfree(filter);
}

static bool rbmap_filter_wants_common(const struct rbmap_filter *program)
{
	const struct rbmap_filter_op *op;

	for (op = program->op; op < program->op + program->nr; op++) {
		if (op->kind != RBMAP_FILTER_CPU &&
		    op->kind != RBMAP_FILTER_COMM &&
		    op->offset < sizeof(struct rbmap_record))
			return true;
	}
	return false;
}

/*
 * Create a filter for @event; NULL without memory.  An error in the expression is
 * stored in @error.  The filter shows @shown instead of that error, unless @shown is
 * NULL.
 */
static struct rbmap_event_filter *
rbmap_event_filter_make(const struct rbmap_event_type *event, const char *text,
			const char *shown, struct rbmap_filter_error *error)
{
	struct rbmap_filter_error system_error = { .message = shown };
	struct rbmap_event_filter *filter;
	struct rbmap_filter *program;

	program = rbmap_filter_parse(text, rbmap_filter_find_field, event,
				     error);
	if (!program && !error->message)
		return NULL;
	if (program &&
	    WARN_ON_ONCE(!rbmap_filter_verify(program,
					      rbmap_event_fixed_size(event)))) {
		rbmap_filter_free(program);
		program = NULL;
		error->message = "Meaningless filter expression";
	}
	filter = rbmap_event_filter_new(text, program ? NULL :
					shown ? &system_error : error);
	if (!filter) {
		rbmap_filter_free(program);
		return NULL;
	}
	filter->program = program;
	filter->common = program && rbmap_filter_wants_common(program);
	return filter;
}

static size_t rbmap_event_filter_size(const struct rbmap_event_filter *filter)
{
	const struct rbmap_filter *program = filter->program;

	return sizeof(*filter) + strlen(filter->text) +
	       (program ? struct_size(program, op, program->room) + program->text_len : 0);
}

static void rbmap_event_filter_released(struct rbmap_release *release)
{
	rbmap_event_filter_free(container_of(release, struct rbmap_event_filter, release));
}

/* The previous filter is freed when no probe uses it any more. */
static void rbmap_event_filter_exchange(struct rbmap_event_file *event_file,
					struct rbmap_event_filter *filter)
{
	struct rbmap_event_filter *old = event_file->filter;

	lockdep_assert_held(&rbmap_event_files_lock);
	/* litmus: filter-init, filter-free */
	smp_store_release(&event_file->filter, filter);
	rbmap_event_file_update_checks(event_file);
	if (old)	/* step: later */
		rbmap_release_later(&old->release, rbmap_event_filter_released,
				    rbmap_event_filter_size(old));
	rbmap_release_limit();
}

static void rbmap_filter_refuse(const char *system, const char *name,
				const char *why)
{
	rbmap_warn("events/%s%s%s/filter refused: %s\n", system,
		   name ? "/" : "", name ?: "", why);
}

/* Remove blanks at the end, and one terminating 0 byte as C programs write it. */
static char *rbmap_filter_strip(struct rbmap_buffer *buffer, const char *system,
				const char *name, const char *buf, size_t len)
{
	char *text;

	if (len && !buf[len - 1])
		len--;
	/*
	 * One write to a file brings at most this much, so that the rest is missing.
	 */
	if (len >= RBMAP_FILTER_TEXT_MAX || strnlen(buf, len) < len) {
		const char *why = len < RBMAP_FILTER_TEXT_MAX ?
				  "the expression contains a 0 byte" :
				  "write less than 4096 characters";

		rbmap_filter_refuse(system, name, why);
		rbmap_error_log_add(rbmap_buffer_errors(buffer),
				    RBMAP_FILTER_WHERE, why, buf, len,
				    RBMAP_ERROR_NO_PLACE);
		return ERR_PTR(-EINVAL);
	}
	text = kstrndup(buf, len, GFP_KERNEL);
	if (!text)
		return ERR_PTR(-ENOMEM);
	strim(text);
	return text;
}

static bool rbmap_filter_is_clear(const char *text)
{
	return !strcmp(skip_spaces(text), "0");
}

static void rbmap_filter_explain(struct rbmap_buffer *buffer,
				 const char *system, const char *name,
				 const char *text,
				 const struct rbmap_filter_error *error)
{
	size_t len = strlen(text), at = min(error->at, len);
	char why[160];

	snprintf(why, sizeof(why), "character %zu, at \"%*pE\": %s", at + 1,
		 (int)min_t(size_t, len - at, RBMAP_LOGGED_MAX), text + at,
		 error->message);
	rbmap_filter_refuse(system, name, why);
	rbmap_error_log_add(rbmap_buffer_errors(buffer), RBMAP_FILTER_WHERE,
			    error->message, text, len, at);
}

/**
 * rbmap_event_filter_set - set the filter of an event
 * @event_file: the event in a buffer; its fields are known
 * @buf: an expression, or "0" to record all
 * @len: bytes at @buf
 *
 * After an error all records are wanted, and the file shows the error, as in
 * tracefs.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL, with a message in the log; -ENOMEM if nothing has changed.
 */
int rbmap_event_filter_set(struct rbmap_event_file *event_file, const char *buf,
			   size_t len)
{
	const struct rbmap_event_type *event = event_file->event;
	struct rbmap_event_filter *filter = NULL;
	struct rbmap_filter_error error = {};
	char *text = rbmap_filter_strip(rbmap_event_buffer(event_file),
					event->system, event->name, buf, len);

	if (IS_ERR(text))
		return PTR_ERR(text);
	if (!rbmap_filter_is_clear(text)) {
		filter = rbmap_event_filter_make(event, text, NULL, &error);
		if (!filter) {
			kfree(text);
			return -ENOMEM;
		}
	}
	if (error.message)
		rbmap_filter_explain(rbmap_event_buffer(event_file),
				     event->system, event->name, text, &error);
	kfree(text);
	mutex_lock(&rbmap_event_files_lock);
	rbmap_event_filter_exchange(event_file, filter);
	mutex_unlock(&rbmap_event_files_lock);
	return error.message ? -EINVAL : 0;
}

static bool rbmap_filter_in(const struct rbmap_event_file *event_file,
			    const char *system)
{
	return event_file->event->fields &&
	       !strcmp(event_file->event->system, system);
}

static void rbmap_event_filters_free(struct list_head *filters)
{
	struct rbmap_event_filter *filter, *next;

	list_for_each_entry_safe(filter, next, filters, list)
		rbmap_event_filter_free(filter);
}

/*
 * Create a filter for each event of the system, in the order of the set.  Return
 * -EINVAL if the expression suits none of them.  @error is then the error that is
 * furthest to the right.
 */
static int rbmap_filters_make(struct rbmap_event_set *set, const char *system,
			      const char *text, struct list_head *filters,
			      struct rbmap_filter_error *error)
{
	const struct rbmap_event_file *event_file;
	struct rbmap_event_filter *filter;
	bool any = false;

	lockdep_assert_held(&rbmap_event_files_lock);
	list_for_each_entry(event_file, &set->event_files, list) {
		struct rbmap_filter_error wrong = {};

		if (!rbmap_filter_in(event_file, system))
			continue;
		filter = rbmap_event_filter_make(event_file->event, text,
						 rbmap_filter_system_error,
						 &wrong);
		if (!filter)
			return -ENOMEM;
		list_add_tail(&filter->list, filters);
		if (!wrong.message)
			any = true;
		else if (!error->message || wrong.at > error->at)
			*error = wrong;
	}
	return any ? 0 : -EINVAL;
}

/*
 * @filters: from rbmap_filters_make(), or empty to remove the filters of all events.
 */
static void rbmap_filters_exchange(struct rbmap_event_set *set, const char *system,
				   struct list_head *filters)
{
	struct rbmap_event_filter *filter;
	struct rbmap_event_file *event_file;

	list_for_each_entry(event_file, &set->event_files, list) {
		if (!rbmap_filter_in(event_file, system))
			continue;
		filter = list_first_entry_or_null(filters,
						  struct rbmap_event_filter,
						  list);
		if (filter)
			list_del(&filter->list);
		rbmap_event_filter_exchange(event_file, filter);
	}
}

static int rbmap_filters_set(struct rbmap_event_set *set, const char *system,
			     const char *text,
			     struct rbmap_event_filter **shown)
{
	struct rbmap_event_filter *filter = NULL;
	struct rbmap_filter_error error = {};
	LIST_HEAD(filters);
	int err = 0;

	mutex_lock(&rbmap_event_files_lock);
	if (!rbmap_filter_is_clear(text))
		err = rbmap_filters_make(set, system, text, &filters, &error);
	if (!err)
		rbmap_filters_exchange(set, system, &filters);
	else if (error.message)
		filter = rbmap_event_filter_new(text, &error);
	if (err != -ENOMEM)
		swap(*shown, filter);
	mutex_unlock(&rbmap_event_files_lock);
	if (err == -EINVAL && error.message)
		rbmap_filter_explain(set->buffer, system, NULL, text, &error);
	rbmap_event_filters_free(&filters);
	rbmap_event_filter_free(filter);
	return err;
}

/**
 * rbmap_event_set_filter - set the filter of many events
 * @set: the buffer's set
 * @system: system of the events
 * @buf: an expression, or "0" to record all
 * @len: bytes at @buf
 * @shown: filter that rbmap_event_set_filter_text() shows after an error
 *
 * All records of an event that lacks the fields are recorded, and its file shows an
 * error.  If no event has the fields, nothing changes.
 *
 * Context, return: as rbmap_event_filter_set().
 */
int rbmap_event_set_filter(struct rbmap_event_set *set, const char *system,
			   const char *buf, size_t len,
			   struct rbmap_event_filter **shown)
{
	char *text = rbmap_filter_strip(set->buffer, system, NULL, buf, len);
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	err = rbmap_filters_set(set, system, text, shown);
	kfree(text);
	return err;
}

/* A copy of the text, with a newline. */
static char *rbmap_filter_copy(const char *text)
{
	return kasprintf(GFP_KERNEL, "%s\n", text);
}

/**
 * rbmap_event_filter_text - get the text of an event's filter file
 * @event_file: the event in a buffer
 *
 * Context: may sleep.
 * Return: the text, for kfree(); NULL without memory.
 */
char *rbmap_event_filter_text(struct rbmap_event_file *event_file)
{
	char *text;

	mutex_lock(&rbmap_event_files_lock);
	text = rbmap_filter_copy(event_file->filter ? event_file->filter->text :
				 "none");
	mutex_unlock(&rbmap_event_files_lock);
	return text;
}

/* "none", the filter that all filtered events have in common, or "X". */
static const char *rbmap_filters_text(struct rbmap_event_set *set,
				      const char *system)
{
	const struct rbmap_event_file *event_file;
	const struct rbmap_event_filter *filter;
	const char *text = NULL;

	list_for_each_entry(event_file, &set->event_files, list) {
		filter = event_file->filter;
		if (!rbmap_filter_in(event_file, system) || !filter ||
		    !filter->program)
			continue;
		if (text && strcmp(text, filter->text))
			return "X";
		text = filter->text;
	}
	return text ?: "none";
}

/**
 * rbmap_event_set_filter_text - get the text of a system's filter file
 * @set: the buffer's set
 * @system: the system
 * @shown: as for rbmap_event_set_filter()
 *
 * Context, return: as rbmap_event_filter_text().
 */
char *rbmap_event_set_filter_text(struct rbmap_event_set *set,
				  const char *system,
				  struct rbmap_event_filter *const *shown)
{
	char *text;

	mutex_lock(&rbmap_event_files_lock);
	text = rbmap_filter_copy(*shown ? (*shown)->text :
				 rbmap_filters_text(set, system));
	mutex_unlock(&rbmap_event_files_lock);
	return text;
}
