# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of dynamic events in user space: lines, programs, the probe.
#
#	make check-unit-dynamic		all tests, without and with sanitizers
#
# RBMAP_TEST_SEED=N sets the seed of the random tests.

DYNAMIC_DIR := module/dynamic
DYNAMIC_TEST_BUILD := $(BUILD)/tests/unit/dynamic
DYNAMIC_TESTS := dynamic_parse dynamic_fetch dynamic_probe dynamic_print

# A makefile is read before anything is installed: ask pkg-config when it is needed.
DYNAMIC_TEST_CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra -D_GNU_SOURCE \
	-Itests/shim -I$(DYNAMIC_DIR) -I$(DYNAMIC_DIR)/.. -I$(DYNAMIC_DIR)/../include -Iuapi \
	$(shell pkg-config --cflags libtraceevent)
DYNAMIC_TEST_LIBS = -lcmocka $(shell pkg-config --libs libtraceevent)
DYNAMIC_TEST_SRCS := tests/unit/dynamic/dynamic_memory.c \
	$(addprefix $(DYNAMIC_DIR)/,parse.c fetch.c print.c)
DYNAMIC_TEST_DEPS := tests/unit/dynamic/dynamic_memory.h tests/unit/dynamic/dynamic.mk $(DYNAMIC_DIR)/../lib/text.h \
	$(wildcard $(DYNAMIC_DIR)/*.h tests/shim/dynamic/*.h tests/shim/rbmap/ring/*.h)

DYNAMIC_TEST_FLAGS_plain :=
DYNAMIC_TEST_FLAGS_asan := -fsanitize=address,undefined \
	-fno-sanitize-recover=all -fno-omit-frame-pointer

DYNAMIC_TEST_BINARIES := $(foreach variant,plain asan,\
	$(addprefix $(DYNAMIC_TEST_BUILD)/$(variant)/,$(DYNAMIC_TESTS)))

# $(1): variant
define DYNAMIC_TEST_VARIANT
$(DYNAMIC_TEST_BUILD)/$(1)/%: tests/unit/dynamic/%.c \
		$(call objects_of,$(DYNAMIC_TEST_BUILD)/$(1),$(DYNAMIC_TEST_SRCS)) $(DYNAMIC_TEST_DEPS)
	@mkdir -p $$(@D)
	$$(CC) $$(DYNAMIC_TEST_CFLAGS) $$(DYNAMIC_TEST_FLAGS_$(1)) -o $$@ \
		$$(filter %.c %.o,$$^) $$(LDFLAGS) $$(DYNAMIC_TEST_LIBS)
endef
$(foreach variant,plain asan,$(eval $(call DYNAMIC_TEST_VARIANT,$(variant))) \
	$(call shared_objects,$(DYNAMIC_TEST_BUILD)/$(variant),$(DYNAMIC_TEST_SRCS),\
		$$(DYNAMIC_TEST_CFLAGS) $$(DYNAMIC_TEST_FLAGS_$(variant)),$(DYNAMIC_TEST_DEPS)))

# The test defines the functions that the probe calls.
$(foreach variant,plain asan,$(DYNAMIC_TEST_BUILD)/$(variant)/dynamic_probe): \
	$(DYNAMIC_DIR)/callback.c

.PHONY: check-unit-dynamic
check-unit-dynamic: $(DYNAMIC_TEST_BINARIES)
	@status=0; for test in $(DYNAMIC_TEST_BINARIES); do \
		echo "# $$test"; \
		CMOCKA_MESSAGE_OUTPUT=TAP $$test || status=1; \
	done; exit $$status
