# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of `rbmap ship`.
#
#	make check-fleet-ship		all; it takes a minute and a half

FLEET_SHIP_BUILD := $(BUILD)/tests/fleet/ship
FLEET_SHIP_CFLAGS = -std=gnu11 -O1 -g -Wall -Wextra -Iuapi -Iuserspace/fleet -Iuserspace/cli \
	-Iuserspace/lib -Itests/unit/cli -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DRBMAP_LIB_VERSION='"$(VERSION)"'
FLEET_SHIP_ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
FLEET_SHIP_LIBS = $(shell $(PKG_CONFIG) --libs $(FLEET_LIBS)) -lpthread -lm -ldl
FLEET_SHIP_DEPS := tests/fleet/ship.mk $(wildcard userspace/fleet/*/*.h tests/unit/cli/*.h)

FLEET_COLLECTOR := $(FLEET_SHIP_BUILD)/fleet_collector
FLEET_MAKE_INCIDENT := $(FLEET_SHIP_BUILD)/fleet_make_incident
FLEET_MAKE_RECORDING := $(BUILD)/tests/unit/cli/plain/cli_make_recording

$(FLEET_COLLECTOR): tests/fleet/fleet_collector.c \
		$(filter $(FLEET_BUILD)/objects/message/% $(FLEET_BUILD)/objects/transport/%,$(FLEET_OBJS)) \
		$(FLEET_COMMON) $(FLEET_SHIP_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FLEET_SHIP_CFLAGS) -o $@ $(filter %.c %.o %.a,$^) $(LDFLAGS) $(FLEET_SHIP_LIBS)

$(FLEET_MAKE_INCIDENT): tests/fleet/fleet_make_incident.c \
		$(patsubst userspace/%.c,$(BUILD)/%.o,$(wildcard $(CLI_DIR)/trace_dat/*.c)) \
		$(FLEET_COMMON) $(BUILD)/lib/all.a $(FLEET_SHIP_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FLEET_SHIP_CFLAGS) -o $@ $(filter %.c %.o %.a,$^) $(LDFLAGS) -lzstd -lpthread -lm -ldl

# The whole agent with sanitizers: the objects of the folders and what they share
FLEET_SHIP_SRCS := $(wildcard $(FLEET_DIR)/ship/*.c $(FLEET_DIR)/message/*.c $(FLEET_DIR)/transport/*.c \
	$(FLEET_DIR)/stream/*.c $(CLI_DIR)/common/*.c userspace/lib/*.c userspace/lib/*/*.c) \
	$(CLI_DIR)/record/cmdlines.c
FLEET_SHIP_ASAN_OBJS := $(FLEET_SHIP_SRCS:%.c=$(FLEET_SHIP_BUILD)/asan/%.o)
$(FLEET_SHIP_BUILD)/asan/%.o: %.c $(FLEET_SHIP_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FLEET_SHIP_CFLAGS) $(FLEET_SHIP_ASAN) -c -o $@ $<

# The linker takes what is used: some of common/ needs libraries that the agent does not.
$(FLEET_SHIP_BUILD)/asan/all.a: $(FLEET_SHIP_ASAN_OBJS)
	rm -f $@
	ar rcs $@ $^

$(FLEET_SHIP_BUILD)/asan/fleet_spool: tests/unit/fleet/fleet_spool.c
$(FLEET_SHIP_BUILD)/asan/fleet_ship: tests/fleet/fleet_ship.c
$(FLEET_SHIP_BUILD)/asan/fleet_spool $(FLEET_SHIP_BUILD)/asan/fleet_ship: $(FLEET_SHIP_BUILD)/asan/all.a
	@mkdir -p $(@D)
	$(CC) $(FLEET_SHIP_CFLAGS) $(FLEET_SHIP_ASAN) -o $@ $(filter %.c,$^) $(filter %.a,$^) $(LDFLAGS) \
		-lcmocka $(FLEET_SHIP_LIBS)

FLEET_SHIP_PROGRAMS := $(FLEET) $(FLEET_COLLECTOR) $(FLEET_MAKE_INCIDENT) $(FLEET_MAKE_RECORDING) \
	$(BUILD)/rbmap $(FLEET_SHIP_BUILD)/asan/fleet_spool $(FLEET_SHIP_BUILD)/asan/fleet_ship

.PHONY: check-fleet-ship
check-fleet-ship: $(FLEET_SHIP_PROGRAMS)
	@status=0; \
	echo "# fleet_spool"; \
	CMOCKA_MESSAGE_OUTPUT=TAP $(FLEET_SHIP_BUILD)/asan/fleet_spool || status=1; \
	echo "# ship.sh"; \
	FLEET=$(FLEET) FLEET_ASAN=$(FLEET_SHIP_BUILD)/asan/fleet_ship COLLECTOR=$(FLEET_COLLECTOR) \
		MAKE_INCIDENT=$(FLEET_MAKE_INCIDENT) MAKE_RECORDING=$(FLEET_MAKE_RECORDING) \
		RBMAP=$(BUILD)/rbmap tests/fleet/ship.sh || status=1; \
	exit $$status
