# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of streams: the agent's spool, and all the way from rings to recordings.
#
#	make check-fleet-stream		all; it takes a minute and a half

FLEET_STREAM_BUILD := $(BUILD)/tests/fleet/stream
FLEET_STREAM_CFLAGS = -std=gnu11 -O1 -g -Wall -Wextra -Iuapi -Iuserspace/fleet -Iuserspace/cli \
	-Iuserspace/lib -Itests/unit/lib -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
	-DRBMAP_LIB_VERSION='"$(VERSION)"'
FLEET_STREAM_ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
FLEET_STREAM_SRCS := $(wildcard $(FLEET_DIR)/ship/*.c $(FLEET_DIR)/message/*.c \
	$(FLEET_DIR)/transport/*.c $(FLEET_DIR)/stream/*.c $(CLI_DIR)/common/*.c \
	userspace/lib/*.c userspace/lib/*/*.c) $(CLI_DIR)/record/cmdlines.c
FLEET_STREAM_OBJS := $(FLEET_STREAM_SRCS:%.c=$(FLEET_STREAM_BUILD)/asan/%.o)
FLEET_STREAM_DEPS := tests/fleet/stream.mk $(wildcard userspace/fleet/*/*.h userspace/lib/*.h \
	tests/unit/lib/live_ring.h)

$(FLEET_STREAM_BUILD)/asan/%.o: %.c $(FLEET_STREAM_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FLEET_STREAM_CFLAGS) $(FLEET_STREAM_ASAN) -c -o $@ $<

# The linker takes what is used: some of common/ needs libraries that the agent does not.
$(FLEET_STREAM_BUILD)/asan/all.a: $(FLEET_STREAM_OBJS)
	rm -f $@
	ar rcs $@ $^

# The rings are in memory that the agents share. transport/ has a live_free(), too.
$(FLEET_STREAM_BUILD)/asan/live_ring.o: tests/unit/lib/live_ring.c $(FLEET_STREAM_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FLEET_STREAM_CFLAGS) $(FLEET_STREAM_ASAN) -Itests/shim -Imodule/include \
		-Daligned_alloc=shared_alloc -Dfree=shared_free -Dlive_free=live_ring_free -c -o $@ $<

FLEET_STREAM_RING := $(FLEET_STREAM_BUILD)/asan/live_ring.o \
	$(patsubst module/ring/%.c,$(FLEET_STREAM_BUILD)/asan/ring/%.o,$(wildcard module/ring/*.c))
$(FLEET_STREAM_BUILD)/asan/ring/%.o: module/ring/%.c $(FLEET_STREAM_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FLEET_STREAM_CFLAGS) $(FLEET_STREAM_ASAN) -Itests/shim -Imodule/include -c -o $@ $<

FLEET_STREAM_HOST := $(FLEET_STREAM_BUILD)/asan/fleet_stream_host
FLEET_STREAM_UNIT := $(FLEET_STREAM_BUILD)/asan/fleet_stream_spool
$(FLEET_STREAM_HOST): tests/fleet/fleet_stream_host.c $(FLEET_STREAM_RING) \
		$(FLEET_STREAM_BUILD)/asan/all.a
	$(CC) $(FLEET_STREAM_CFLAGS) $(FLEET_STREAM_ASAN) -o $@ $^ $(LDFLAGS) $(FLEET_LDLIBS)
$(FLEET_STREAM_UNIT): tests/unit/fleet/fleet_stream_spool.c $(FLEET_STREAM_BUILD)/asan/all.a
	$(CC) $(FLEET_STREAM_CFLAGS) $(FLEET_STREAM_ASAN) -o $@ $^ $(LDFLAGS) -lcmocka $(FLEET_LDLIBS)

.PHONY: check-fleet-stream
check-fleet-stream: fleet $(FLEET_STREAM_HOST) $(FLEET_STREAM_UNIT) $(BUILD)/rbmap | check-fleet-servers
	@status=0; \
	echo "# fleet_stream_spool"; \
	CMOCKA_MESSAGE_OUTPUT=TAP $(FLEET_STREAM_UNIT) || status=1; \
	echo "# stream.sh"; \
	RBMAP_FLEET=$(FLEET) STREAM_HOST=$(FLEET_STREAM_HOST) RBMAP=$(BUILD)/rbmap \
		tests/fleet/stream.sh || status=1; \
	exit $$status
