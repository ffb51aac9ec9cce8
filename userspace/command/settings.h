/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file with options of a command, such as /etc/rbmap/flight-recorder.conf:
 *
 *	# The events
 *	event = sched
 *	event = irq
 *	buffer-size = 4M
 *	quiet = yes
 *
 * A line has the long name of an option and its value. An option without a value is
 * "yes" or "no". Blank lines, and lines that begin with #, have no meaning.
 */
#ifndef RBMAP_COMMAND_SETTINGS_H
#define RBMAP_COMMAND_SETTINGS_H

#include "options.h"

/*
 * Store the options of the file @path in the structure @to. Return STATUS_OK, or report
 * an error and return another status.
 */
set_option_fn read_settings;

#define SETTINGS_OPTION {						\
	.name = "settings", .arg = "FILE", .kind = "file",		\
	.target = { .set = read_settings },				\
	.help = "read options from FILE, lines 'NAME = VALUE'" }

#endif /* RBMAP_COMMAND_SETTINGS_H */
