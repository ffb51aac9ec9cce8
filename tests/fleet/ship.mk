# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of `rbmap ship`.
#
#	make check-fleet-ship		it takes a minute and a half

FLEET_COLLECTOR := $(BUILD)/tests/fleet/fleet_collector
$(FLEET_COLLECTOR): tests/fleet/fleet_collector.c \
		$(filter $(BUILD)/fleet/objects/message/% $(BUILD)/fleet/objects/transport/%,$(FLEET_OBJS)) \
		$(FLEET_COMMON) $(BUILD)/lib/all.a
	$(LINK_TEST)

FLEET_MAKE_INCIDENT := $(BUILD)/tests/fleet/fleet_make_incident
$(FLEET_MAKE_INCIDENT): tests/fleet/fleet_make_incident.c tests/unit/cli/cli_synth.h $(FLEET_COMMON) \
		$(BUILD)/lib/all.a
	$(LINK_TEST)

.PHONY: check-fleet-ship
check-fleet-ship: fleet $(FLEET_ASAN) $(FLEET_COLLECTOR) $(FLEET_MAKE_INCIDENT) $(CLI_TEST_SYNTH) \
		$(BUILD)/rbmap
	@FLEET=$(FLEET) FLEET_ASAN=$(FLEET_ASAN) COLLECTOR=$(FLEET_COLLECTOR) \
		MAKE_INCIDENT=$(FLEET_MAKE_INCIDENT) MAKE_RECORDING=$(CLI_TEST_SYNTH) \
		RBMAP=$(BUILD)/rbmap tests/fleet/ship.sh
