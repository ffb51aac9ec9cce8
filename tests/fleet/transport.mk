# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the transports, with real servers.
#
#	make check-fleet-transport

FLEET_CONTRACT := $(BUILD)/tests/fleet/contract
FLEET_CONTRACT_SRCS := tests/fleet/contract.c $(wildcard $(FLEET_DIR)/transport/*.c \
	$(FLEET_DIR)/message/*.c)
FLEET_CONTRACT_DEPS := $(FLEET_CONTRACT_SRCS) $(wildcard $(FLEET_DIR)/transport/*.h \
	$(FLEET_DIR)/message/*.h) $(FLEET_COMMON) $(BUILD)/lib/all.a
FLEET_CONTRACT_CC = $(CC) -O1 -g $(filter-out -MMD -MP,$(FLEET_CFLAGS))
FLEET_CONTRACT_LIBS = $(FLEET_COMMON) $(BUILD)/lib/all.a \
	$(shell $(PKG_CONFIG) --libs $(FLEET_LIBS)) -lpthread -lm -ldl

$(FLEET_CONTRACT): $(FLEET_CONTRACT_DEPS) | check-fleet-libs
	@mkdir -p $(@D)
	$(FLEET_CONTRACT_CC) -fsanitize=address,undefined -fno-sanitize-recover=all -o $@ \
		$(FLEET_CONTRACT_SRCS) $(FLEET_CONTRACT_LIBS)

FLEET_TRANSPORT_TESTS := directory jetstream replicas certificates

# They mostly wait, so they run at the same time. The first one fetches the server for all.
.PHONY: check-fleet-transport
check-fleet-transport: $(FLEET) $(FLEET_CONTRACT)
	@tests/install-packages fleet-check
	@tests/fleet/nats-server >/dev/null
	@dir=$$(mktemp -d); for test in $(FLEET_TRANSPORT_TESTS); do \
		{ RBMAP_FLEET=$(FLEET) CONTRACT=$(FLEET_CONTRACT) tests/fleet/$$test.sh \
			>$$dir/$$test 2>&1 || touch $$dir/failed; } & \
	done; wait; \
	for test in $(FLEET_TRANSPORT_TESTS); do echo "# tests/fleet/$$test.sh"; cat $$dir/$$test; done; \
	test ! -e $$dir/failed; status=$$?; rm -r $$dir; exit $$status
