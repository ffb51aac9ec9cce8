# SPDX-License-Identifier: GPL-2.0-only
#
# `rbmap ship`, `rbmap collect` and `rbmap fleet`. Included by the top Makefile. They need
# libnats-dev, libsqlite3-dev and libssl-dev, so they are part of no other target:
#
#	make fleet		build them, in build/fleet
#	make install-fleet	install them

FLEET_DIR	:= userspace/fleet
FLEET_BUILD	:= $(BUILD)/fleet
FLEET		:= $(FLEET_BUILD)/rbmap-fleet
FLEET_LIBS	:= libzstd zlib sqlite3 libcrypto libnats
# Pages of the package rbmap-fleet
FLEET_MAN	:= $(addprefix docs/man/rbmap-,ship.1 collect.1 fleet.1)
LIBEXECDIR	?= $(PREFIX)/libexec
FLEET_OBJS	:= $(patsubst $(FLEET_DIR)/%.c,$(FLEET_BUILD)/objects/%.o,\
	$(wildcard $(FLEET_DIR)/*.c $(FLEET_DIR)/*/*.c $(FLEET_DIR)/*/*/*.c))
# Sources that these commands share with rbmap: the linker takes what they use.
FLEET_COMMON	:= $(FLEET_BUILD)/common.a

# A makefile is read before anything is installed: ask when it is needed.
FLEET_CFLAGS	= -std=gnu11 -Wall -Wextra $(USER_INCLUDES) -I$(FLEET_DIR) \
		  -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -MMD -MP \
		  $(shell $(PKG_CONFIG) --cflags $(FLEET_LIBS))

-include $(FLEET_OBJS:.o=.d)

# The folders install their manual pages, services and settings.
include $(sort $(wildcard $(FLEET_DIR)/*/*.mk))

.PHONY: fleet check-fleet-libs install-fleet uninstall-fleet
fleet: $(FLEET)

check-fleet-libs:
	@$(PKG_CONFIG) --exists $(FLEET_LIBS) || { \
	echo "rbmap: the fleet's commands need the development files of $(FLEET_LIBS)." >&2; \
	echo "       Install them:  tests/install-packages fleet" >&2; \
	exit 1; }

$(FLEET_BUILD)/objects/%.o: $(FLEET_DIR)/%.c $(FLEET_DIR)/fleet.mk | check-fleet-libs
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(FLEET_CFLAGS) -c -o $@ $<

$(FLEET_COMMON): $(COMMON_SRCS:%.c=$(USER_BUILD)/%.o)
	@mkdir -p $(@D)
	rm -f $@
	ar rcs $@ $^

$(FLEET): $(FLEET_OBJS) $(FLEET_COMMON) $(BUILD)/lib/all.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell $(PKG_CONFIG) --libs $(FLEET_LIBS)) -lpthread -lm -ldl

install-fleet: fleet
	$(INSTALL) -d $(DESTDIR)$(LIBEXECDIR)/rbmap
	$(INSTALL) -m 755 $(FLEET) $(DESTDIR)$(LIBEXECDIR)/rbmap/rbmap-fleet
	$(INSTALL) -d $(DESTDIR)$(MANDIR)/man1
	$(INSTALL) -m 644 $(FLEET_MAN) $(DESTDIR)$(MANDIR)/man1/

uninstall-fleet:
	rm -f $(DESTDIR)$(LIBEXECDIR)/rbmap/rbmap-fleet \
		$(addprefix $(DESTDIR)$(MANDIR)/man1/,$(notdir $(FLEET_MAN)))
	test ! -d $(DESTDIR)$(LIBEXECDIR)/rbmap || \
		rmdir --ignore-fail-on-non-empty $(DESTDIR)$(LIBEXECDIR)/rbmap
UNINSTALL_USER	+= uninstall-fleet
