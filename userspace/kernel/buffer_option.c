// SPDX-License-Identifier: GPL-2.0-only
#include "base/complain.h"
#include "buffer_option.h"
#include "command/command.h"
#include "control.h"

int set_buffer(const struct command *cmd, void *to, char *value)
{
	(void)to;
	if (!is_buffer_name(value))
		return usage_error(cmd, "invalid buffer name '%s'", value);
	control_set_buffer(value);
	return STATUS_OK;
}
