# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the collector, its index, and the administrator's commands.
#
#	make check-fleet-collect

FLEET_HOST := $(BUILD)/tests/fleet/fleet_host
$(FLEET_HOST): tests/fleet/fleet_host.c $(FLEET_PARTS)
	$(LINK_TEST)

# The commands with sanitizers: most of the scripts run with them.
FLEET_ASAN := $(BUILD)/tests/fleet/asan/rbmap-fleet
$(FLEET_ASAN): $(BUILD)/tests/unit/fleet/asan/objects/main.o $(FLEET_ASAN_PARTS)
	$(LINK_TEST)

.PHONY: check-fleet-collect
check-fleet-collect: fleet $(FLEET_HOST) $(FLEET_INDEX) $(FLEET_ASAN) $(CLI_TEST_SYNTH)
	@status=0; tests/unit/run $(FLEET_INDEX) || status=1; \
	RBMAP_FLEET=$(FLEET) RBMAP_FLEET_ASAN=$(FLEET_ASAN) FLEET_HOST=$(FLEET_HOST) \
		MAKE_RECORDING=$(CLI_TEST_SYNTH) tests/fleet/collect.sh || status=1; \
	exit $$status
