# SPDX-License-Identifier: GPL-2.0-only
#
#	make check-sweep	every interrupt of the ring, and every one of it
#
# RBMAP_TEST_ALL=1 tries every act in every other.  MODULE_DIR=DIR BUILD=DIR
# tests the ring of another copy of module/.  $(SWEEP_BUILD)/sweep TEXT runs scenarios with TEXT in
# their name.

MODULE_DIR ?= module
SHIM_DIR ?= tests/shim
SWEEP_RING_DIR := $(MODULE_DIR)/ring
SWEEP_RING_INCLUDE := $(MODULE_DIR)/include
SWEEP_BUILD := $(BUILD)/tests/sweep

# What the kernel has for its own code, as far as the ring can tell.
SWEEP_RING_CFLAGS := -mno-red-zone -mgeneral-regs-only -fno-pie \
	-fno-strict-aliasing -fno-strict-overflow -fcf-protection=none

SWEEP_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -gdwarf-4 -Wall -Wextra -fno-pie -fcf-protection=none \
	-I$(SHIM_DIR) -Itests/unit -Iuapi -I$(SWEEP_RING_INCLUDE)
SWEEP_DEPS := $(wildcard tests/sweep/*.h tests/unit/ring_*.h \
	$(SHIM_DIR)/rbmap/ring/*.h $(SWEEP_RING_INCLUDE)/rbmap/ring/*.h) uapi/linux/rbmap.h \
	tests/sweep/sweep.mk

SWEEP_RING_OBJS := $(patsubst $(SWEEP_RING_DIR)/%.c,$(SWEEP_BUILD)/ring/%.o,\
	$(wildcard $(SWEEP_RING_DIR)/*.c)) $(SWEEP_BUILD)/ring/ring_calls.o

# One section for the ring's code, and nothing else in it.
define SWEEP_RING_OBJ
@mkdir -p $(@D)
$(CC) $(SWEEP_CFLAGS) $(SWEEP_RING_CFLAGS) -c -o $@ $<
objcopy --rename-section .text=ring_text $@
@! objdump -h $@ | grep -E '\.text\.' || { rm $@; false; }
endef

$(SWEEP_BUILD)/ring/%.o: $(SWEEP_RING_DIR)/%.c $(SWEEP_DEPS)
	$(SWEEP_RING_OBJ)

$(SWEEP_BUILD)/ring/ring_calls.o: tests/unit/ring_calls.c $(SWEEP_DEPS)
	$(SWEEP_RING_OBJ)

$(SWEEP_BUILD)/sweep: $(wildcard tests/sweep/*.[cS]) \
		tests/unit/ring_fixture.c $(SWEEP_RING_OBJS) $(SWEEP_DEPS)
	@mkdir -p $(@D)
	$(CC) $(SWEEP_CFLAGS) -no-pie -o $@ $(filter %.c %.S %.o,$^) -lcmocka \
		$(shell pkg-config --libs libtraceevent)

.PHONY: check-sweep
ifeq ($(shell uname -m),x86_64)
check-sweep: $(SWEEP_BUILD)/sweep
ifeq ($(MODULE_DIR),module)
	@$<
	@tests/sweep/broken $(BUILD) $(MODULE_DIR)
else
# 2: instructions were not reached.  A ring that is broken may have such.
	@$< || [ $$? = 2 ]
endif
else
check-sweep:
	@echo "ok - check-sweep # SKIP single steps are those of x86-64"
endif
