# SPDX-License-Identifier: GPL-2.0-only
#
# Tests on kernels built for them: kernels with debugging checks (tests/vm/sets.toml
# lists the runs), and a kernel that clang has built, with control-flow integrity.
#
#	make check-debug
#	make check-clang

DEBUG_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
DEBUG_VM := $(DEBUG_DIR)/../vm
DEBUG_TAP := $(DEBUG_DIR)/../tap

$(BUILD)/tests/debug/faults: $(DEBUG_DIR)/faults.c $(DEBUG_VM)/client/client.c \
		$(DEBUG_TAP)/tap.c $(wildcard $(DEBUG_VM)/client/*.h $(DEBUG_TAP)/*.h)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 -Wall -Wextra -static \
		-I$(DEBUG_VM)/client -I$(DEBUG_TAP) -I$(DEBUG_VM)/../../uapi -o $@ $(filter %.c,$^)

.PHONY: check-debug check-clang
check-debug:
	@tests/install-packages build check vm debug
	@$(MAKE) --no-print-directory -s -j"$$(nproc)" user check-vm-programs \
		$(BUILD)/tests/debug/faults
	@$(DEBUG_DIR)/check

check-clang:
	@tests/install-packages build check vm debug clang
	@$(MAKE) --no-print-directory -s -j"$$(nproc)" user check-vm-programs
	@$(DEBUG_VM)/check 6.12-clang/2/rest 6.12-clang/2/ring 6.12-clang/2/sizes
