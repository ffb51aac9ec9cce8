/* SPDX-License-Identifier: GPL-2.0-only */
/* The kinds of intervals, as users name them. */
#ifndef RBMAP_INTERVALS_SUMMARY_KINDS_H
#define RBMAP_INTERVALS_SUMMARY_KINDS_H

#include "intervals/intervals.h"
#include "rows.h"

#define KIND_EVENTS	4

/**
 * struct kind - a kind
 * @name: name of the option's value
 * @title: explains such an interval
 * @of: title of the column with the names of intervals
 * @key: the rows of its table, unless the user chooses others
 * @on_request: it is shown only if the user chooses it
 * @adds_events: its events, too, are enabled only if the user chooses the kind
 * @events: the events that it needs
 */
struct kind {
	const char *name;
	const char *title;
	const char *of;
	enum row_key key;
	bool on_request;
	bool adds_events;
	const char *events[KIND_EVENTS];
};

extern const struct kind kinds[NR_INTERVAL_KINDS];

#endif /* RBMAP_INTERVALS_SUMMARY_KINDS_H */
