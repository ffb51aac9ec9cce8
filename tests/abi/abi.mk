# SPDX-License-Identifier: GPL-2.0-only
#
# The programs that abi.sh runs in virtual machines. They test the interface and compare
# it with the kernel's own ring.
#
#	make check-abi

ABI_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
ABI_VM := $(ABI_DIR)/../vm
ABI_TAP := $(ABI_DIR)/../tap
ABI_SRC := $(filter-out %/fragment.c,$(wildcard $(ABI_DIR)/*.c)) \
	$(ABI_VM)/client/client.c $(ABI_TAP)/tap.c

$(BUILD)/tests/abi/abi: $(ABI_SRC) \
		$(wildcard $(ABI_DIR)/*.h $(ABI_VM)/client/*.h $(ABI_TAP)/*.h) \
		$(ABI_VM)/../../uapi/linux/rbmap.h $(ABI_DIR)/abi.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 -Wall -Wextra -pthread -static \
		-I$(ABI_DIR) -I$(ABI_VM)/client -I$(ABI_TAP) -I$(ABI_VM)/../../uapi -o $@ \
		$(filter %.c,$^)

$(BUILD)/tests/abi/fragment: $(ABI_DIR)/fragment.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 -Wall -Wextra -static -o $@ $<

ABI_PROGRAMS := $(BUILD)/tests/abi/abi $(BUILD)/tests/abi/fragment
check-vm-programs: $(ABI_PROGRAMS)

.PHONY: check-abi
check-abi: check-vm-programs user
	@$(ABI_DIR)/selftest
	@$(ABI_VM)/check 6.12/2/abi 7.2/2/abi 6.1/2/abi 5.10/2/abi 6.12/1/large
