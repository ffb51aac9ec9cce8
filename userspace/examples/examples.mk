# SPDX-License-Identifier: GPL-2.0-only
EXAMPLES := reader merge print_recording
ALL_USER += $(EXAMPLES:%=$(BUILD)/examples/%)

EXAMPLES_CFLAGS := -std=gnu11 -Wall -Wextra -Iuapi

# Only the uapi header and libc: what a user of the device needs, and no more.
$(BUILD)/examples/reader: userspace/examples/reader.c uapi/linux/rbmap.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(EXAMPLES_CFLAGS) $(LDFLAGS) -o $@ $<

$(BUILD)/examples/%: userspace/examples/%.c $(BUILD)/lib/librbmap.a userspace/lib/rbmap.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(EXAMPLES_CFLAGS) -Iuserspace/lib $(LDFLAGS) -o $@ \
		$< $(BUILD)/lib/librbmap.a $(EXAMPLE_LIBS)

# A static library does not bring those that it needs.
$(BUILD)/examples/print_recording: EXAMPLE_LIBS = \
	$(shell $(PKG_CONFIG) --libs $(LIB_PRINT_LIBS)) -lpthread -ldl
