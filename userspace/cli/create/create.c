// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap create, rbmap destroy
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "command/options.h"
#include "kernel/control.h"
#include "kernel/holders.h"

extern const struct command command_create;
extern const struct command command_destroy;

#define NAME_RULE							\
	"NAME has 1 to 32 letters, digits, '-', '_' and '.', does not begin with '.'\n" \
	"or with cpu and a digit, and is not marker, marker_raw, trace, trace_pipe,\n" \
	"error_log, per_cpu, saved_cmdlines, snapshot, control, create or destroy.\n"

static const char *const options[] = {
	"buffer_size_kb=", "subbuf_size_kb=", "overwrite=", "clock=",
};

static bool is_option(const char *word)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strncmp(word, options[i], strlen(options[i])))
			return word[strlen(options[i])] &&
			       !strpbrk(word, " \n");
	return false;
}

/* Return the name. NULL: the command must return *status. */
static const char *parse_name(const struct command *cmd, int argc, char **argv,
			      int *status)
{
	if (!parse_options(cmd, argc, argv, NULL, status))
		return NULL;
	if (optind == argc)
		*status = usage_error(cmd, "the name of a buffer is missing");
	else if (!is_buffer_name(argv[optind]))
		*status = usage_error(cmd, "invalid buffer name '%s'",
				      argv[optind]);
	else
		return argv[optind++];
	return NULL;
}

static void complain_create(const char *name, int error, const char *message)
{
	switch (error) {
	case -EEXIST:
		complain("a buffer '%s' exists already: 'rbmap status -B %s' shows it",
			 name, name);
		break;
	case -ENOMEM:
		complain("not enough memory for the rings of '%s'%s%s: use a smaller buffer_size_kb",
			 name, *message ? ": " : "", message);
		break;
	case -EINVAL:
		if (*message) {
			complain("the kernel refused '%s': %s", name, message);
			break;
		}
		/* fall through */
	default:
		control_complain(CONTROL_WRITE, "instances/create", error);
	}
}

static int create(int argc, char **argv)
{
	struct buf text = { 0 };
	const char *name;
	char message[1024];
	int status, ret;

	name = parse_name(&command_create, argc, argv, &status);
	if (!name)
		return status;
	buf_printf(&text, "%s", name);
	for (; optind < argc; optind++) {
		if (!is_option(argv[optind])) {
			buf_free(&text);
			return usage_error(&command_create,
					   "unknown parameter '%s': use buffer_size_kb=N, subbuf_size_kb=N, overwrite=0|1 or clock=NAME",
					   argv[optind]);
		}
		buf_printf(&text, " ");
		buf_add_parameter(&text, argv[optind]);
	}
	buf_add(&text, "", 1);
	if (text.failed) {
		complain("out of memory");
		ret = -ENOMEM;
	} else if (!control_present()) {
		ret = -ENOENT;
	} else {
		ret = klog_write("instances/create", text.data, message,
				 sizeof(message));
		if (ret)
			complain_create(name, ret, message);
	}
	buf_free(&text);
	return ret ? STATUS_ERROR : STATUS_OK;
}

static void complain_busy(const char *name)
{
	struct buf who = { 0 };

	holders_find(&who, control_devices());
	if (who.size && !who.failed)
		complain("the buffer '%s' is in use by %s: end those processes first",
			 name, who.data);
	else
		complain("the buffer '%s' is in use by a process that is not visible here: look for it in other containers",
			 name);
	buf_free(&who);
}

static bool complain_owned(const char *name)
{
	char *owner = control_owner();
	bool owned = owner;
	uint64_t pid;

	if (!control_read_u64("keeper_pid", &pid)) {
		complain("the buffer '%s' belongs to process %" PRIu64 " and goes with it: end that process",
			 name, pid);
		return true;
	}
	if (owned)
		complain("the buffer '%s' belongs to the kernel module %s, which frees it when it is unloaded: rmmod %s",
			 name, owner, owner);
	free(owner);
	return owned;
}

static int destroy(int argc, char **argv)
{
	const char *name;
	int status, ret;

	name = parse_name(&command_destroy, argc, argv, &status);
	if (!name)
		return status;
	if (optind < argc)
		return usage_error(&command_destroy, "unexpected argument '%s'",
				   argv[optind]);
	if (!control_present())
		return STATUS_ERROR;
	ret = control_write("instances/destroy", name);
	if (!ret)
		return STATUS_OK;
	control_set_buffer(name);
	if (ret == -EBUSY)
		complain_busy(name);
	else if (ret == -EPERM && complain_owned(name))
		return STATUS_ERROR;
	else if (ret != -ENOENT || control_present())
		control_complain(CONTROL_WRITE, "/instances/destroy", ret);
	return STATUS_ERROR;
}

const struct command command_create = {
	.name		= "create",
	.synopsis	= "NAME [PARAMETER=VALUE]...",
	.summary	= "Create a named buffer with its own rings, events and settings",
	.help		=
	NAME_RULE
	"\n"
	"Parameters (default: the values that the module was loaded with):\n"
	"  buffer_size_kb=N   size of each CPU's ring\n"
	"  subbuf_size_kb=N   size of each sub-buffer of a ring\n"
	"  overwrite=0|1      a full ring: 1 overwrites its oldest events, 0 discards\n"
	"                     new events\n"
	"  clock=NAME         local, mono, boot or x86-tsc (local)\n"
	"\n"
	"Other commands take the buffer with -B NAME. Its devices are in\n"
	"/dev/rbmap/NAME, its files in /sys/kernel/rbmap/instances/NAME.\n",
	.run		= create,
};

const struct command command_destroy = {
	.name		= "destroy",
	.synopsis	= "NAME",
	.summary	= "Destroy a named buffer and all events in its rings",
	.help		=
	"A buffer that is in use is not destroyed: the command names the processes.\n",
	.run		= destroy,
};
