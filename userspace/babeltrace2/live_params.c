// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "live_params.h"

static bool set_number(const bt_value *value, double *number)
{
	if (bt_value_is_real(value))
		*number = bt_value_real_get(value);
	else if (bt_value_is_signed_integer(value))
		*number = bt_value_integer_signed_get(value);
	else if (bt_value_is_unsigned_integer(value))
		*number = bt_value_integer_unsigned_get(value);
	else
		return false;
	return *number > 0 && *number <= 1e9;
}

static bool is_buffer(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) < 256;
}

static bt_value_map_foreach_entry_const_func_status set_param(const char *key,
							      const bt_value *value, void *data)
{
	struct live_params *p = data;

	if (!strcmp(key, "buffer")) {
		if (bt_value_is_string(value) && is_buffer(bt_value_string_get(value)))
			p->buffer = bt_value_string_get(value);
		else
			p->error = "the parameter 'buffer' must be the name of a buffer";
	} else if (!strcmp(key, "observe")) {
		if (bt_value_is_bool(value))
			p->observe = bt_value_bool_get(value);
		else
			p->error = "the parameter 'observe' must be yes or no";
	} else if (!strcmp(key, "seconds")) {
		if (!set_number(value, &p->seconds))
			p->error = "the parameter 'seconds' must be a number above 0, at most 1e9";
	} else {
		p->error = "there are three parameters: 'buffer', 'observe' and 'seconds'";
	}
	return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
}

void live_params_read(struct live_params *p, const bt_value *params)
{
	*p = (struct live_params){ .buffer = "", .observe = true };
	bt_value_map_foreach_entry_const(params, set_param, p);
}
