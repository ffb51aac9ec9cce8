# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of dynamic events in user space: lines, programs, the probe.
#
#	make check-unit-dynamic		all tests, without and with sanitizers
#
# RBMAP_TEST_SEED=N sets the seed of the random tests. DYNAMIC_DIR=DIR tests another copy
# of module/dynamic.

DYNAMIC_DIR := module/dynamic
DYNAMIC_TEST_BUILD := $(BUILD)/tests/unit/dynamic
DYNAMIC_TESTS := dynamic_parse dynamic_fetch dynamic_probe dynamic_print
DYNAMIC_TEST_PLAIN := $(addprefix $(DYNAMIC_TEST_BUILD)/plain/,$(DYNAMIC_TESTS))
DYNAMIC_TEST_ASAN := $(addprefix $(DYNAMIC_TEST_BUILD)/asan/,$(DYNAMIC_TESTS))
DYNAMIC_TEST_BINARIES := $(DYNAMIC_TEST_PLAIN) $(DYNAMIC_TEST_ASAN)

# Each program is linked with these.
DYNAMIC_TEST_OBJECTS := dynamic_memory.o parse.o fetch.o print.o

# A makefile is read before anything is installed: ask pkg-config when it is needed.
$(DYNAMIC_TEST_BUILD)/%: TEST_CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra -D_GNU_SOURCE= \
	-Itests/shim -I$(DYNAMIC_DIR) -I$(DYNAMIC_DIR)/.. -I$(DYNAMIC_DIR)/../include -Iuapi \
	$(shell pkg-config --cflags libtraceevent)
$(DYNAMIC_TEST_BUILD)/%: TEST_LIBS = -lcmocka $(shell pkg-config --libs libtraceevent)

$(DYNAMIC_TEST_BUILD)/plain/objects/%.o: tests/unit/dynamic/%.c tests/unit/dynamic/dynamic.mk
	$(COMPILE_TEST)
$(DYNAMIC_TEST_BUILD)/plain/objects/%.o: $(DYNAMIC_DIR)/%.c tests/unit/dynamic/dynamic.mk
	$(COMPILE_TEST)
$(DYNAMIC_TEST_BUILD)/asan/objects/%.o: tests/unit/dynamic/%.c tests/unit/dynamic/dynamic.mk
	$(COMPILE_TEST)
$(DYNAMIC_TEST_BUILD)/asan/objects/%.o: $(DYNAMIC_DIR)/%.c tests/unit/dynamic/dynamic.mk
	$(COMPILE_TEST)

# dynamic_probe defines the functions that the probe calls.
$(DYNAMIC_TEST_BUILD)/plain/dynamic_probe: $(DYNAMIC_TEST_BUILD)/plain/objects/callback.o
$(DYNAMIC_TEST_BUILD)/asan/dynamic_probe: $(DYNAMIC_TEST_BUILD)/asan/objects/callback.o

$(DYNAMIC_TEST_PLAIN): $(DYNAMIC_TEST_BUILD)/plain/%: $(DYNAMIC_TEST_BUILD)/plain/objects/%.o \
		$(addprefix $(DYNAMIC_TEST_BUILD)/plain/objects/,$(DYNAMIC_TEST_OBJECTS))
	$(LINK_TEST)
$(DYNAMIC_TEST_ASAN): $(DYNAMIC_TEST_BUILD)/asan/%: $(DYNAMIC_TEST_BUILD)/asan/objects/%.o \
		$(addprefix $(DYNAMIC_TEST_BUILD)/asan/objects/,$(DYNAMIC_TEST_OBJECTS))
	$(LINK_TEST)

.PHONY: check-unit-dynamic
check-unit-dynamic: $(call chosen,$(DYNAMIC_TEST_BINARIES))
	@tests/unit/run $(call chosen,$(DYNAMIC_TEST_BINARIES))
