# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the transports, with real servers.
#
#	make check-fleet-transport

FLEET_CONTRACT := $(BUILD)/tests/fleet/contract
FLEET_CONTRACT_ASAN := $(BUILD)/tests/fleet/contract-asan
FLEET_CONTRACT_SRCS := tests/fleet/contract.c $(wildcard $(FLEET_DIR)/transport/*.c \
	$(FLEET_DIR)/message/*.c)
FLEET_CONTRACT_DEPS := $(FLEET_CONTRACT_SRCS) $(wildcard $(FLEET_DIR)/transport/*.h \
	$(FLEET_DIR)/message/*.h) $(FLEET_COMMON) $(BUILD)/lib/all.a
FLEET_CONTRACT_CC = $(CC) -O1 -g $(filter-out -MMD -MP,$(FLEET_CFLAGS))
FLEET_CONTRACT_LIBS = $(FLEET_COMMON) $(BUILD)/lib/all.a \
	$(shell $(PKG_CONFIG) --libs $(FLEET_LIBS)) -lpthread -lm -ldl

$(FLEET_CONTRACT): $(FLEET_CONTRACT_DEPS) | check-fleet-libs
	@mkdir -p $(@D)
	$(FLEET_CONTRACT_CC) -o $@ $(FLEET_CONTRACT_SRCS) $(FLEET_CONTRACT_LIBS)

$(FLEET_CONTRACT_ASAN): $(FLEET_CONTRACT_DEPS) | check-fleet-libs
	@mkdir -p $(@D)
	$(FLEET_CONTRACT_CC) -fsanitize=address,undefined -fno-sanitize-recover=all -o $@ \
		$(FLEET_CONTRACT_SRCS) $(FLEET_CONTRACT_LIBS)

.PHONY: check-fleet-transport
check-fleet-transport: $(FLEET) $(FLEET_CONTRACT) $(FLEET_CONTRACT_ASAN)
	@status=0; for test in directory jetstream certificates; do \
		echo "# tests/fleet/$$test.sh"; \
		RBMAP_FLEET=$(FLEET) CONTRACT=$(FLEET_CONTRACT_ASAN) \
			tests/fleet/$$test.sh || status=1; \
	done; exit $$status
