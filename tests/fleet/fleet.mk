# SPDX-License-Identifier: GPL-2.0-only
#
# The whole fleet under faults, with real servers, agents and collectors.
#
#	make check-fleet		everything of the fleet; it takes 25 minutes
#	make check-fleet-chaos		kills at random moments: ROUNDS=100 SEED=...
#	make check-fleet-share		a part of them that takes less than a minute

FLEET_LAB = RBMAP=$(BUILD)/rbmap RBMAP_FLEET=$(FLEET) RBMAP_FLEET_ASAN=$(FLEET_ASAN) \
	MAKE_INCIDENT=$(FLEET_MAKE_INCIDENT)
FLEET_LAB_PROGRAMS = $(BUILD)/rbmap $(FLEET) $(FLEET_ASAN) $(FLEET_MAKE_INCIDENT)
ROUNDS ?= 100

# The programs that the scripts run, built as those of tests/unit/fleet
$(BUILD)/tests/fleet/%: TEST_CFLAGS = -O1 -g $(filter-out -MMD -MP,$(FLEET_CFLAGS))
$(BUILD)/tests/fleet/%: TEST_LIBS = $(FLEET_LDLIBS)
$(BUILD)/tests/fleet/asan/%: VARIANT_CFLAGS := $(SANITIZE)

.PHONY: check-fleet-chaos check-fleet-servers
check-fleet-servers:
	@tests/install-packages fleet-check
	@tests/fleet/nats-server >/dev/null

check-fleet-chaos: $(FLEET_LAB_PROGRAMS) | check-fleet-servers
	@$(FLEET_LAB) tests/fleet/chaos --rounds $(ROUNDS) $(if $(SEED),--seed $(SEED))

# The hosts of the swarm, without libnats
FLEET_SWARM := $(BUILD)/tests/fleet/fleet_swarm
FLEET_SWARM_SRCS := $(addprefix tests/fleet/,swarm.c swarm_nats.c swarm_directory.c)
$(FLEET_SWARM): $(FLEET_SWARM_SRCS) tests/fleet/swarm.h $(FLEET_PARTS)
	$(LINK_TEST)

# 10000 hosts need 20000 descriptors. On two cores they take three minutes.
HOSTS ?= 10000
.PHONY: check-fleet-swarm
check-fleet-swarm: $(FLEET) $(FLEET_SWARM) | check-fleet-servers
	@RBMAP_FLEET=$(FLEET) FLEET_SWARM=$(FLEET_SWARM) tests/fleet/swarm.sh $(HOSTS) nats

# The merge of recordings
.PHONY: check-fleet-merge
check-fleet-merge: $(FLEET) $(BUILD)/rbmap $(CLI_TEST_SYNTH) $(CLI_TEST_EVENTS)
	@RBMAP=$(BUILD)/rbmap MAKE_RECORDING=$(CLI_TEST_SYNTH) MAKE_EVENTS=$(CLI_TEST_EVENTS) \
		tests/fleet/merge.sh

# The names of hosts in each view of that
.PHONY: check-fleet-hosts
check-fleet-hosts: $(FLEET) $(BUILD)/rbmap $(CLI_TEST_EVENTS) python babeltrace2
	@RBMAP=$(BUILD)/rbmap MAKE_EVENTS=$(CLI_TEST_EVENTS) PYTHON3=$(PYTHON3) \
		tests/fleet/host_views.sh

# The part in make check: these, and two hundred hosts
.PHONY: check-fleet-share check-fleet-faults check-fleet
check-fleet-share: check-fleet-merge check-fleet-hosts $(FLEET_SWARM) | check-fleet-servers
	@RBMAP_FLEET=$(FLEET) FLEET_SWARM=$(FLEET_SWARM) tests/fleet/swarm.sh 200 dir nats

check-fleet-faults: $(FLEET_LAB_PROGRAMS) | check-fleet-servers
	@$(FLEET_LAB) tests/fleet/faults

# With the rings of the module, in a virtual machine
.PHONY: check-fleet-vm
check-fleet-vm: check-vm-programs user fleet
	@tests/vm/check 6.12/2/fleet

check-fleet:
	@tests/install-packages build check fleet fleet-check
	@status=0; for part in merge hosts transport ship collect stream vm admin walkthrough faults swarm chaos; do \
		echo "# check-fleet-$$part"; \
		$(MAKE) --no-print-directory check-fleet-$$part || status=1; \
	done; exit $$status
