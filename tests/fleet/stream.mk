# SPDX-License-Identifier: GPL-2.0-only
#
# A test of streams, all the way from rings to recordings.
#
#	make check-fleet-stream		it takes a minute and a half

FLEET_STREAM_HOST := $(BUILD)/tests/fleet/asan/fleet_stream_host
$(FLEET_STREAM_HOST): tests/fleet/fleet_stream_host.c $(BUILD)/tests/fleet/asan/live_ring.o \
		$(patsubst module/ring/%.c,$(BUILD)/tests/unit/ring/asan/objects/%.o,$(wildcard module/ring/*.c)) \
		$(FLEET_TEST_ASAN_LIBS)
	$(LINK_TEST)

# The rings are in memory that the agents share. transport/ has a live_free(), too.
$(BUILD)/tests/fleet/asan/live_ring.o: TEST_CFLAGS = -O1 -g $(filter-out -MMD -MP,$(FLEET_CFLAGS)) -Itests/shim -Imodule/include \
	-Daligned_alloc=shared_alloc -Dfree=shared_free -Dlive_free=live_ring_free
$(BUILD)/tests/fleet/asan/live_ring.o: tests/unit/lib/live_ring.c tests/unit/lib/live_ring.h
	$(COMPILE_TEST)

.PHONY: check-fleet-stream
check-fleet-stream: fleet $(FLEET_STREAM_HOST) $(BUILD)/rbmap | check-fleet-servers
	@RBMAP_FLEET=$(FLEET) STREAM_HOST=$(FLEET_STREAM_HOST) RBMAP=$(BUILD)/rbmap \
		tests/fleet/stream.sh
