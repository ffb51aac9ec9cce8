# SPDX-License-Identifier: GPL-2.0-only
#
#	make check-sweep	interrupt the ring at each instruction
#
# RBMAP_TEST_ALL=1 tries every act in every other.  MODULE_DIR=DIR BUILD=DIR
# tests the ring of another copy of module/.  $(SWEEP_BUILD)/sweep TEXT runs only
# the scenarios with TEXT in their name.

MODULE_DIR ?= module
SHIM_DIR ?= tests/shim
SWEEP_RING_DIR := $(MODULE_DIR)/ring
SWEEP_RING_INCLUDE := $(MODULE_DIR)/include
SWEEP_BUILD := $(BUILD)/tests/sweep

# The kernel's own options, as far as they affect the ring.
SWEEP_RING_CFLAGS := -mno-red-zone -mgeneral-regs-only -fno-pie \
	-fno-strict-aliasing -fno-strict-overflow -fcf-protection=none

SWEEP_CFLAGS := -std=gnu11 -D_GNU_SOURCE= -O2 -gdwarf-4 -Wall -Wextra -fno-pie -fcf-protection=none \
	-I$(SHIM_DIR) -Itests/unit/ring -Itests/tap -Iuapi -I$(SWEEP_RING_INCLUDE)
SWEEP_DEPS := $(wildcard tests/sweep/*.h tests/tap/*.h tests/unit/ring/ring_*.h \
	$(SHIM_DIR)/rbmap/ring/*.h $(SWEEP_RING_INCLUDE)/rbmap/ring/*.h) uapi/linux/rbmap.h \
	tests/sweep/sweep.mk

SWEEP_RING_OBJS := $(patsubst $(SWEEP_RING_DIR)/%.c,$(SWEEP_BUILD)/ring/%.o,\
	$(wildcard $(SWEEP_RING_DIR)/*.c)) $(SWEEP_BUILD)/ring/ring_calls.o

# Put the ring's code, and nothing else, into one section.
define SWEEP_RING_OBJ
@mkdir -p $(@D)
$(CC) $(SWEEP_CFLAGS) $(SWEEP_RING_CFLAGS) -c -o $@ $<
objcopy --rename-section .text=ring_text $@
@! objdump -h $@ | grep -E '\.text\.' || { rm $@; false; }
endef

$(SWEEP_BUILD)/ring/%.o: $(SWEEP_RING_DIR)/%.c $(SWEEP_DEPS)
	$(SWEEP_RING_OBJ)

$(SWEEP_BUILD)/ring/ring_calls.o: tests/unit/ring/ring_calls.c $(SWEEP_DEPS)
	$(SWEEP_RING_OBJ)

# Objects, because ccache does not keep programs
SWEEP_TEST_OBJS := $(patsubst tests/%,$(SWEEP_BUILD)/objects/%.o,$(wildcard tests/sweep/*.[cS]) \
	tests/tap/tap.c tests/unit/ring/ring_fixture.c)
$(SWEEP_BUILD)/objects/%.o: tests/% $(SWEEP_DEPS)
	@mkdir -p $(@D)
	$(CC) $(SWEEP_CFLAGS) -c -o $@ $<

$(SWEEP_BUILD)/sweep: $(SWEEP_TEST_OBJS) $(SWEEP_RING_OBJS)
	$(CC) $(SWEEP_CFLAGS) -no-pie -o $@ $^ -lcmocka $(shell pkg-config --libs libtraceevent)

.PHONY: check-sweep
ifeq ($(shell uname -m),x86_64)
check-sweep: $(SWEEP_BUILD)/sweep
ifeq ($(MODULE_DIR),module)
	@$<
	@tests/sweep/broken $(BUILD) $(MODULE_DIR)
else
# Status 2: some instructions were not reached, which is possible in a broken ring.
	@$< || [ $$? = 2 ]
endif
else
check-sweep:
	@. tests/tap/tap.sh; skip "the sweep single-steps x86-64 code only" check-sweep; done_testing
endif
