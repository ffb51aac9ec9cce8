# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of module/filter in user space.
#
#	make check-unit-filter		all tests, without and with sanitizers
#
# RBMAP_TEST_SEED=N sets the seed of the random tests, RBMAP_TEST_ALL=1 runs more of
# them. FILTER_DIR=DIR tests another copy of module/filter.

FILTER_DIR := module/filter
FILTER_TEST_BUILD := $(BUILD)/tests/unit/filter
FILTER_TESTS := filter_parse filter_match filter_random
FILTER_TEST_PLAIN := $(addprefix $(FILTER_TEST_BUILD)/plain/,$(FILTER_TESTS))
FILTER_TEST_ASAN := $(addprefix $(FILTER_TEST_BUILD)/asan/,$(FILTER_TESTS))
FILTER_TEST_BINARIES := $(FILTER_TEST_PLAIN) $(FILTER_TEST_ASAN)

# Each program is linked with these.
FILTER_TEST_OBJECTS := filter_fixture.o filter_grammar.o \
	$(filter-out build.o build_writer.o,$(patsubst $(FILTER_DIR)/%.c,%.o,$(wildcard $(FILTER_DIR)/*.c)))

$(FILTER_TEST_BUILD)/%: TEST_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -D_GNU_SOURCE= \
	-Iuserspace -I$(FILTER_DIR)
$(FILTER_TEST_BUILD)/%: TEST_LIBS := -lcmocka

$(FILTER_TEST_BUILD)/plain/objects/%.o: tests/unit/filter/%.c tests/unit/filter/filter.mk
	$(COMPILE_TEST)
$(FILTER_TEST_BUILD)/plain/objects/%.o: $(FILTER_DIR)/%.c tests/unit/filter/filter.mk
	$(COMPILE_TEST)
$(FILTER_TEST_BUILD)/asan/objects/%.o: tests/unit/filter/%.c tests/unit/filter/filter.mk
	$(COMPILE_TEST)
$(FILTER_TEST_BUILD)/asan/objects/%.o: $(FILTER_DIR)/%.c tests/unit/filter/filter.mk
	$(COMPILE_TEST)

$(FILTER_TEST_PLAIN): $(FILTER_TEST_BUILD)/plain/%: $(FILTER_TEST_BUILD)/plain/objects/%.o \
		$(addprefix $(FILTER_TEST_BUILD)/plain/objects/,$(FILTER_TEST_OBJECTS))
	$(LINK_TEST)
$(FILTER_TEST_ASAN): $(FILTER_TEST_BUILD)/asan/%: $(FILTER_TEST_BUILD)/asan/objects/%.o \
		$(addprefix $(FILTER_TEST_BUILD)/asan/objects/,$(FILTER_TEST_OBJECTS))
	$(LINK_TEST)

.PHONY: check-unit-filter
check-unit-filter: $(call chosen,$(FILTER_TEST_BINARIES))
	@tests/unit/run $(call chosen,$(FILTER_TEST_BINARIES))
