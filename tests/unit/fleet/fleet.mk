# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the parts of the package rbmap-fleet.
#
#	make check-unit-fleet		without and with sanitizers

FLEET_TEST_BUILD := $(BUILD)/tests/unit/fleet
FLEET_TESTS := fleet_admin fleet_agent fleet_batch fleet_batching fleet_budget fleet_copies fleet_directory fleet_memory fleet_message fleet_permits fleet_index \
	fleet_spool fleet_store fleet_stream_spool fleet_sums
FLEET_TEST_PLAIN := $(addprefix $(FLEET_TEST_BUILD)/plain/,$(FLEET_TESTS))
FLEET_TEST_ASAN := $(addprefix $(FLEET_TEST_BUILD)/asan/,$(FLEET_TESTS))
FLEET_TEST_BINARIES := $(FLEET_TEST_PLAIN) $(FLEET_TEST_ASAN)

# A makefile is read before anything is installed: ask pkg-config when it is needed.
FLEET_LDLIBS = $(shell $(PKG_CONFIG) --libs $(FLEET_LIBS)) -lpthread -lm -ldl
$(FLEET_TEST_BUILD)/%: TEST_CFLAGS = -O1 -g $(filter-out -MMD -MP,$(FLEET_CFLAGS))
$(FLEET_TEST_BUILD)/%: TEST_LIBS = -lcmocka $(FLEET_LDLIBS)

# The sources that the tests use, of the package and of the command. Plain programs are
# linked with the objects of build/fleet, build/userspace and build/lib.
FLEET_TEST_SRCS := $(patsubst userspace/fleet/%,%,$(wildcard $(addprefix userspace/fleet/,\
	*/*.c */*/*.c)))
FLEET_TEST_PLAIN_LIBS := $(FLEET_TEST_BUILD)/plain/fleet.a $(FLEET_COMMON) $(BUILD)/lib/all.a
FLEET_TEST_ASAN_LIBS := $(FLEET_TEST_BUILD)/asan/fleet.a $(FLEET_TEST_BUILD)/asan/common.a \
	$(BUILD)/tests/unit/lib/asan/lib.a

$(FLEET_TEST_BUILD)/plain/objects/%.o: tests/unit/fleet/%.c tests/unit/fleet/fleet.mk | check-fleet-libs
	$(COMPILE_TEST)
$(FLEET_TEST_BUILD)/asan/objects/%.o: tests/unit/fleet/%.c tests/unit/fleet/fleet.mk | check-fleet-libs
	$(COMPILE_TEST)
$(FLEET_TEST_BUILD)/asan/objects/%.o: userspace/fleet/%.c tests/unit/fleet/fleet.mk | check-fleet-libs
	$(COMPILE_TEST)
$(FLEET_TEST_BUILD)/plain/fleet.a: $(FLEET_TEST_SRCS:%.c=$(BUILD)/fleet/objects/%.o) tests/unit/fleet/fleet.mk
	$(ARCHIVE_TEST)
$(FLEET_TEST_BUILD)/asan/fleet.a: $(FLEET_TEST_SRCS:%.c=$(FLEET_TEST_BUILD)/asan/objects/%.o) tests/unit/fleet/fleet.mk
	$(ARCHIVE_TEST)
$(FLEET_TEST_BUILD)/asan/common.a: $(COMMON_SRCS:%.c=$(BUILD)/tests/unit/cli/asan/objects/%.o) tests/unit/fleet/fleet.mk
	$(ARCHIVE_TEST)

$(FLEET_TEST_PLAIN): $(FLEET_TEST_BUILD)/plain/%: $(FLEET_TEST_BUILD)/plain/objects/%.o \
		$(FLEET_TEST_PLAIN_LIBS)
	$(LINK_TEST)
$(FLEET_TEST_ASAN): $(FLEET_TEST_BUILD)/asan/%: $(FLEET_TEST_BUILD)/asan/objects/%.o \
		$(FLEET_TEST_ASAN_LIBS)
	$(LINK_TEST)

.PHONY: check-unit-fleet
check-unit-fleet: $(call chosen,$(FLEET_TEST_BINARIES))
	@tests/unit/run $(call chosen,$(FLEET_TEST_BINARIES))
