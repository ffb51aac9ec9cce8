# SPDX-License-Identifier: GPL-2.0-only
#
# The whole fleet under faults, with real servers, agents and collectors.
#
#	make check-fleet		everything of the fleet; it takes about 25 minutes
#	make check-fleet-chaos		kills at random moments: ROUNDS=100 SEED=...
#	make check-fleet-share		a part of them that takes less than a minute

FLEET_LAB := RBMAP=$(BUILD)/rbmap RBMAP_FLEET=$(FLEET) RBMAP_FLEET_ASAN=$(FLEET_ASAN) \
	MAKE_INCIDENT=$(FLEET_MAKE_INCIDENT)
FLEET_LAB_PROGRAMS := $(BUILD)/rbmap $(FLEET) $(FLEET_ASAN) $(FLEET_MAKE_INCIDENT)
ROUNDS ?= 100

.PHONY: check-fleet-chaos check-fleet-servers
check-fleet-servers:
	@tests/install-packages fleet-check
	@tests/fleet/nats-server >/dev/null

check-fleet-chaos: $(FLEET_LAB_PROGRAMS) | check-fleet-servers
	@$(FLEET_LAB) tests/fleet/chaos --rounds $(ROUNDS) $(if $(SEED),--seed $(SEED))
