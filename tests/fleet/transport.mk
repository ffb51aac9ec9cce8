# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the transports, with real servers.
#
#	make check-fleet-transport

FLEET_CONTRACT := $(BUILD)/tests/fleet/asan/contract
$(FLEET_CONTRACT): tests/fleet/contract.c $(FLEET_TEST_ASAN_LIBS)
	$(LINK_TEST)

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
