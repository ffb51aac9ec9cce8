# SPDX-License-Identifier: GPL-2.0-only
ALL_USER += $(BUILD)/examples/reader

# Only the uapi header and libc: what a user of the device needs, and no more.
$(BUILD)/examples/reader: userspace/examples/reader.c uapi/linux/rbmap.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -std=gnu11 -Wall -Wextra -Iuapi $(LDFLAGS) -o $@ $<
