# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the collector and the administrator's commands.
#
#	make check-fleet-collect

FLEET_HOST := $(BUILD)/tests/fleet/fleet_host
FLEET_PARTS := $(filter-out $(BUILD)/fleet/objects/main.o,$(FLEET_OBJS)) $(FLEET_COMMON) $(BUILD)/lib/all.a
$(FLEET_HOST): tests/fleet/fleet_host.c $(FLEET_PARTS)
	$(LINK_TEST)

# The commands with sanitizers: most of the scripts run with them.
FLEET_ASAN := $(BUILD)/tests/fleet/asan/rbmap-fleet
$(FLEET_ASAN): $(patsubst $(BUILD)/fleet/objects/%,$(BUILD)/tests/unit/fleet/asan/objects/%,$(FLEET_OBJS)) \
		$(filter-out %/fleet.a,$(FLEET_TEST_ASAN_LIBS))
	$(LINK_TEST)

.PHONY: check-fleet-collect
check-fleet-collect: fleet $(FLEET_HOST) $(FLEET_ASAN) $(CLI_TEST_SYNTH)
	@RBMAP_FLEET=$(FLEET) RBMAP_FLEET_ASAN=$(FLEET_ASAN) FLEET_HOST=$(FLEET_HOST) \
		MAKE_RECORDING=$(CLI_TEST_SYNTH) tests/fleet/collect.sh
