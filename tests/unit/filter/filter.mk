# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of module/filter in user space.
#
#	make check-unit-filter		all tests, without and with sanitizers
#
# RBMAP_TEST_SEED=N sets the seed of the random tests, RBMAP_TEST_ALL=1 runs more of
# them.

FILTER_DIR := module/filter
FILTER_TEST_BUILD := $(BUILD)/tests/unit/filter
FILTER_TESTS := filter_parse filter_match filter_random

FILTER_TEST_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -D_GNU_SOURCE \
	-Itests/shim -Itests/unit/filter -I$(FILTER_DIR)
FILTER_TEST_SRCS := tests/unit/filter/filter_fixture.c tests/unit/filter/filter_grammar.c \
	$(filter-out %/build.c %/build_writer.c,$(wildcard $(FILTER_DIR)/*.c))
FILTER_TEST_DEPS := $(wildcard $(FILTER_DIR)/*.h tests/shim/filter/*.h) tests/unit/filter/filter_fixture.h \
	tests/unit/filter/filter_grammar.h tests/unit/filter/filter.mk

FILTER_TEST_FLAGS_plain :=
FILTER_TEST_FLAGS_asan := -fsanitize=address,undefined \
	-fno-sanitize-recover=all -fno-omit-frame-pointer

FILTER_TEST_BINARIES := $(foreach variant,plain asan,\
	$(addprefix $(FILTER_TEST_BUILD)/$(variant)/,$(FILTER_TESTS)))

# $(1): variant
define FILTER_TEST_VARIANT
$(FILTER_TEST_BUILD)/$(1)/%: tests/unit/filter/%.c \
		$(call objects_of,$(FILTER_TEST_BUILD)/$(1),$(FILTER_TEST_SRCS)) $(FILTER_TEST_DEPS)
	@mkdir -p $$(@D)
	$$(CC) $$(FILTER_TEST_CFLAGS) $$(FILTER_TEST_FLAGS_$(1)) -o $$@ \
		$$(filter %.c %.o,$$^) $$(LDFLAGS) -lcmocka
endef
$(foreach variant,plain asan,$(eval $(call FILTER_TEST_VARIANT,$(variant))) \
	$(call shared_objects,$(FILTER_TEST_BUILD)/$(variant),$(FILTER_TEST_SRCS),\
		$$(FILTER_TEST_CFLAGS) $$(FILTER_TEST_FLAGS_$(variant)),$(FILTER_TEST_DEPS)))

.PHONY: check-unit-filter
check-unit-filter: $(FILTER_TEST_BINARIES)
	@status=0; for test in $(FILTER_TEST_BINARIES); do \
		echo "# $$test"; \
		CMOCKA_MESSAGE_OUTPUT=TAP $$test || status=1; \
	done; exit $$status
