# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the collector, its index, and the administrator's commands.
#
#	make check-fleet-collect

FLEET_COLLECT_BUILD := $(BUILD)/tests/fleet
FLEET_HOST	:= $(FLEET_COLLECT_BUILD)/fleet_host
FLEET_INDEX	:= $(addprefix $(FLEET_COLLECT_BUILD)/,plain/fleet_index asan/fleet_index)
# The objects of rbmap-fleet without its main program
FLEET_PARTS	= $(filter-out $(FLEET_BUILD)/objects/main.o,$(FLEET_OBJS)) $(FLEET_COMMON) \
	$(BUILD)/lib/all.a
FLEET_LDLIBS	= $(shell $(PKG_CONFIG) --libs $(FLEET_LIBS)) -lpthread -lm -ldl

$(FLEET_HOST): tests/fleet/fleet_host.c $(FLEET_PARTS)
	@mkdir -p $(@D)
	$(CC) -O2 -g $(FLEET_CFLAGS) -o $@ $^ $(LDFLAGS) $(FLEET_LDLIBS)

FLEET_INDEX_SRCS := $(wildcard $(FLEET_DIR)/index/*.c $(FLEET_DIR)/message/*.c $(FLEET_DIR)/stream/*.c) \
	$(addprefix $(CLI_DIR)/common/,buf.c service.c write_all.c) \
	userspace/lib/decode.c
FLEET_INDEX_DEPS := $(wildcard $(FLEET_DIR)/*/*.h) tests/fleet/collect.mk
FLEET_INDEX_FLAGS_plain :=
FLEET_INDEX_FLAGS_asan := -fsanitize=address,undefined -fno-sanitize-recover=all
$(FLEET_COLLECT_BUILD)/%/fleet_index: tests/unit/fleet/fleet_index.c $(FLEET_INDEX_SRCS) $(FLEET_INDEX_DEPS)
	@mkdir -p $(@D)
	$(CC) -O1 -g $(filter-out -MMD -MP,$(FLEET_CFLAGS)) $(FLEET_INDEX_FLAGS_$*) -o $@ \
		$(filter %.c,$^) $(LDFLAGS) -lcmocka $(FLEET_LDLIBS)

# The commands with sanitizers: most of the script runs with them.
FLEET_ASAN	:= $(FLEET_COLLECT_BUILD)/asan/rbmap-fleet
FLEET_ASAN_SRCS	= $(patsubst $(FLEET_BUILD)/objects/%.o,$(FLEET_DIR)/%.c,$(FLEET_OBJS))
$(FLEET_ASAN): $(FLEET_OBJS) $(FLEET_COMMON) $(BUILD)/lib/all.a $(FLEET_INDEX_DEPS)
	@mkdir -p $(@D)
	$(CC) -O1 -g $(filter-out -MMD -MP,$(FLEET_CFLAGS)) $(FLEET_INDEX_FLAGS_asan) \
		-fno-omit-frame-pointer -o $@ $(FLEET_ASAN_SRCS) $(FLEET_COMMON) $(BUILD)/lib/all.a \
		$(LDFLAGS) $(FLEET_LDLIBS)

.PHONY: check-fleet-collect
check-fleet-collect: fleet $(FLEET_HOST) $(FLEET_INDEX) $(FLEET_ASAN) $(CLI_TEST_SYNTH)
	@status=0; for test in $(FLEET_INDEX); do \
		echo "# $$test"; \
		CMOCKA_MESSAGE_OUTPUT=TAP $$test || status=1; \
	done; \
	RBMAP_FLEET=$(FLEET) RBMAP_FLEET_ASAN=$(FLEET_ASAN) FLEET_HOST=$(FLEET_HOST) \
		MAKE_RECORDING=$(CLI_TEST_SYNTH) tests/fleet/collect.sh || status=1; \
	exit $$status
