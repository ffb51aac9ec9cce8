# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the parts of the package rbmap-fleet.
#
#	make check-unit-fleet		all, without and with sanitizers

FLEET_TEST_BUILD := $(BUILD)/tests/unit/fleet
FLEET_TESTS := fleet_memory fleet_message fleet_permits
FLEET_TEST_CFLAGS = -std=gnu11 -O1 -g -Wall -Wextra -Iuapi -Iuserspace/fleet -Iuserspace/cli \
	-Iuserspace/lib -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
FLEET_TEST_SRCS_fleet_memory := userspace/fleet/ship/memory.c
FLEET_TEST_SRCS_fleet_message := $(wildcard userspace/fleet/message/*.c) userspace/cli/common/buf.c
FLEET_TEST_LIBS_fleet_message := -lcrypto
FLEET_TEST_SRCS_fleet_permits := userspace/fleet/collect/permits.c
FLEET_TEST_DEPS := tests/unit/fleet/fleet.mk $(wildcard userspace/fleet/*/*.h userspace/cli/common/*.h)
FLEET_TEST_FLAGS_plain :=
FLEET_TEST_FLAGS_asan := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
FLEET_TEST_BINARIES := $(foreach variant,plain asan,\
	$(addprefix $(FLEET_TEST_BUILD)/$(variant)/,$(FLEET_TESTS)))

# $(1): variant, $(2): test
define FLEET_TEST
$(FLEET_TEST_BUILD)/$(1)/$(2): tests/unit/fleet/$(2).c $(FLEET_TEST_SRCS_$(2)) $(FLEET_TEST_DEPS)
	@mkdir -p $$(@D)
	$$(CC) $$(FLEET_TEST_CFLAGS) $$(FLEET_TEST_FLAGS_$(1)) -o $$@ $$(filter %.c,$$^) \
		$$(LDFLAGS) -lcmocka -lzstd -lz $$(FLEET_TEST_LIBS_$(2))
endef
$(foreach variant,plain asan,$(foreach test,$(FLEET_TESTS),\
	$(eval $(call FLEET_TEST,$(variant),$(test)))))

.PHONY: check-unit-fleet
check-unit-fleet: $(FLEET_TEST_BINARIES)
	@status=0; for test in $(FLEET_TEST_BINARIES); do \
		echo "# $$test"; \
		CMOCKA_MESSAGE_OUTPUT=TAP $$test || status=1; \
	done; exit $$status
