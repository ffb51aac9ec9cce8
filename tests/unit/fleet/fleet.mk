# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the parts of the package rbmap-fleet.
#
#	make check-unit-fleet		without and with sanitizers
#
# The makefiles of tests/fleet run the other programs, FLEET_MORE_TESTS, and build more
# programs of the same objects.

FLEET_TEST_BUILD := $(BUILD)/tests/unit/fleet
FLEET_TESTS := fleet_memory fleet_message fleet_permits
FLEET_TEST_PLAIN := $(addprefix $(FLEET_TEST_BUILD)/plain/,$(FLEET_TESTS))
FLEET_TEST_ASAN := $(addprefix $(FLEET_TEST_BUILD)/asan/,$(FLEET_TESTS))
FLEET_TEST_BINARIES := $(FLEET_TEST_PLAIN) $(FLEET_TEST_ASAN)

FLEET_INDEX := $(addprefix $(FLEET_TEST_BUILD)/,plain/fleet_index asan/fleet_index)
FLEET_SPOOL := $(FLEET_TEST_BUILD)/asan/fleet_spool
FLEET_STREAM_SPOOL := $(FLEET_TEST_BUILD)/asan/fleet_stream_spool
FLEET_MORE_TESTS := $(FLEET_INDEX) $(FLEET_SPOOL) $(FLEET_STREAM_SPOOL)

# A makefile is read before anything is installed: ask pkg-config when it is needed.
FLEET_LDLIBS = $(shell $(PKG_CONFIG) --libs $(FLEET_LIBS)) -lpthread -lm -ldl
$(FLEET_TEST_BUILD)/%: TEST_CFLAGS = -O1 -g $(filter-out -MMD -MP,$(FLEET_CFLAGS))
$(FLEET_TEST_BUILD)/%: TEST_LIBS = -lcmocka $(FLEET_LDLIBS)

$(FLEET_TEST_BUILD)/plain/objects/%.o: tests/unit/fleet/%.c tests/unit/fleet/fleet.mk | check-fleet-libs
	$(COMPILE_TEST)
$(FLEET_TEST_BUILD)/asan/objects/%.o: tests/unit/fleet/%.c tests/unit/fleet/fleet.mk | check-fleet-libs
	$(COMPILE_TEST)
$(FLEET_TEST_BUILD)/asan/objects/%.o: userspace/fleet/%.c tests/unit/fleet/fleet.mk | check-fleet-libs
	$(COMPILE_TEST)

# The objects that the tests of check-unit-fleet need. Plain programs are linked with those
# of build/fleet and build/cli.
FLEET_TEST_OBJECTS := ship/memory.o collect/permits.o \
	$(patsubst userspace/fleet/%.c,%.o,$(wildcard userspace/fleet/message/*.c))
$(FLEET_TEST_BUILD)/plain/fleet.a: $(addprefix $(BUILD)/fleet/objects/,$(FLEET_TEST_OBJECTS)) \
		$(BUILD)/cli/common/buf.o
	$(ARCHIVE_TEST)
$(FLEET_TEST_BUILD)/asan/fleet.a: $(addprefix $(FLEET_TEST_BUILD)/asan/objects/,$(FLEET_TEST_OBJECTS)) \
		$(BUILD)/tests/unit/cli/asan/objects/common/buf.o
	$(ARCHIVE_TEST)
$(FLEET_TEST_PLAIN): $(FLEET_TEST_BUILD)/plain/%: $(FLEET_TEST_BUILD)/plain/objects/%.o \
		$(FLEET_TEST_BUILD)/plain/fleet.a
	$(LINK_TEST)
$(FLEET_TEST_ASAN): $(FLEET_TEST_BUILD)/asan/%: $(FLEET_TEST_BUILD)/asan/objects/%.o \
		$(FLEET_TEST_BUILD)/asan/fleet.a
	$(LINK_TEST)

# Everything but main.c, and what it shares with rbmap
FLEET_PARTS := $(filter-out $(BUILD)/fleet/objects/main.o,$(FLEET_OBJS)) $(FLEET_COMMON) $(BUILD)/lib/all.a
FLEET_ASAN_PARTS := $(FLEET_TEST_BUILD)/asan/all.a $(FLEET_TEST_BUILD)/asan/common.a \
	$(BUILD)/tests/unit/lib/asan/lib.a
$(FLEET_TEST_BUILD)/asan/all.a: $(patsubst $(BUILD)/fleet/objects/%,$(FLEET_TEST_BUILD)/asan/objects/%,\
		$(filter-out $(BUILD)/fleet/objects/main.o,$(FLEET_OBJS)))
	$(ARCHIVE_TEST)
$(FLEET_TEST_BUILD)/asan/common.a: $(patsubst userspace/cli/%.c,$(BUILD)/tests/unit/cli/asan/objects/%.o,\
		$(wildcard userspace/cli/common/*.c userspace/cli/trace_dat/*.c) userspace/cli/record/cmdlines.c)
	$(ARCHIVE_TEST)

$(FLEET_TEST_BUILD)/plain/fleet_index: $(FLEET_TEST_BUILD)/plain/objects/fleet_index.o $(FLEET_PARTS)
	$(LINK_TEST)
$(filter $(FLEET_TEST_BUILD)/asan/%,$(FLEET_MORE_TESTS)): $(FLEET_TEST_BUILD)/asan/%: \
		$(FLEET_TEST_BUILD)/asan/objects/%.o $(FLEET_ASAN_PARTS)
	$(LINK_TEST)

.PHONY: check-unit-fleet
check-unit-fleet: $(FLEET_TEST_BINARIES)
	@tests/unit/run $(FLEET_TEST_BINARIES)
