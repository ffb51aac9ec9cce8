# SPDX-License-Identifier: GPL-2.0-only
#
# The plugin of babeltrace2. Included by the top Makefile. It needs libbabeltrace2-dev, so
# it is part of no other target:
#
#	make babeltrace2		build it, in build/babeltrace2
#	make install-babeltrace2	install it

BT2_DIR		:= userspace/babeltrace2
BT2_BUILD	:= $(BUILD)/babeltrace2
BT2_SO		:= $(BT2_BUILD)/babeltrace-plugin-rbmap.so
BT2_OBJS	:= $(patsubst $(BT2_DIR)/%.c,$(BT2_BUILD)/objects/%.o,$(wildcard $(BT2_DIR)/*.c))
BT2_MAN		:= $(wildcard docs/man/babeltrace2-*.7)
BT2PLUGINDIR	?= $(LIBDIR)/babeltrace2/plugins

# A makefile is read before anything is installed: ask when it is needed.
BT2_CFLAGS	= -std=gnu11 -Wall -Wextra -fPIC -Iuapi -Iuserspace/lib \
		  -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -MMD -MP \
		  $(shell $(PKG_CONFIG) --cflags babeltrace2)

-include $(BT2_OBJS:.o=.d)

.PHONY: babeltrace2 check-babeltrace2-libs install-babeltrace2 uninstall-babeltrace2
babeltrace2: $(BT2_SO)

check-babeltrace2-libs:
	@$(PKG_CONFIG) --exists babeltrace2 || { \
	echo "rbmap: the plugin needs the development files of libbabeltrace2." >&2; \
	echo "       Install them:  tests/install-packages babeltrace2" >&2; \
	exit 1; }

$(BT2_BUILD)/objects/%.o: $(BT2_DIR)/%.c $(BT2_DIR)/babeltrace2.mk | check-babeltrace2-libs
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(BT2_CFLAGS) -c -o $@ $<

$(BT2_SO): $(BT2_OBJS) $(BUILD)/lib/librbmap.so.1.0.0
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,defs -o $@ $(BT2_OBJS) -L$(BUILD)/lib -lrbmap \
		$(shell $(PKG_CONFIG) --libs babeltrace2)

install-babeltrace2: babeltrace2
	$(INSTALL) -d $(DESTDIR)$(BT2PLUGINDIR) $(DESTDIR)$(MANDIR)/man7
	$(INSTALL) -m 644 $(BT2_SO) $(DESTDIR)$(BT2PLUGINDIR)/
	$(INSTALL) -m 644 $(BT2_MAN) $(DESTDIR)$(MANDIR)/man7/

uninstall-babeltrace2:
	rm -f $(DESTDIR)$(BT2PLUGINDIR)/$(notdir $(BT2_SO)) \
		$(addprefix $(DESTDIR)$(MANDIR)/man7/,$(notdir $(BT2_MAN)))
UNINSTALL_USER	+= uninstall-babeltrace2
