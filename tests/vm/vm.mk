# SPDX-License-Identifier: GPL-2.0-only
#
# Tests on stock kernels, in virtual machines: the scripts in the folders of tests/vm, and
# the programs that they run. tests/vm/sets.toml lists which ones run where.
#
#	make check-vm
#	make check-vm-long

BUILD ?= build
VM_ARCH ?= amd64

VM_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
VM_BUILD := $(BUILD)/tests/vm
VM_TAP := $(VM_DIR)/../tap
VM_CLIENT := $(VM_DIR)/client
VM_COMMON := $(wildcard $(VM_CLIENT)/*.c) $(VM_TAP)/tap.c
VM_HEADERS := $(wildcard $(VM_CLIENT)/*.h) $(VM_TAP)/tap.h

# The folders of tests, each with one program for each source. All programs go to one
# folder of the guest, so that their names must differ.
VM_FOLDERS := $(patsubst %/,%,$(sort $(dir $(wildcard $(VM_DIR)/*/*.sh))))
VM_FOLDERS := $(filter-out $(VM_DIR)/lib,$(VM_FOLDERS))
VM_PROGRAMS := $(patsubst %.c,$(VM_BUILD)/%,\
	$(notdir $(wildcard $(VM_FOLDERS:%=%/*.c))))
ifneq ($(words $(VM_PROGRAMS)),$(words $(sort $(VM_PROGRAMS))))
$(error two sources in the folders of $(VM_DIR) have the same name)
endif

VM_CFLAGS := -std=gnu11 -Wall -Wextra -pthread -I$(VM_CLIENT) -I$(VM_TAP) \
	-I$(VM_DIR)/../../uapi

VM_OBJS := $(patsubst %.c,$(VM_BUILD)/objects/%.o,$(notdir $(VM_COMMON)))
$(VM_BUILD)/objects/%.o: $(VM_CLIENT)/%.c
	$(VM_COMPILE)
$(VM_BUILD)/objects/%.o: $(VM_TAP)/%.c
	$(VM_COMPILE)
$(VM_OBJS): $(VM_DIR)/vm.mk
# The compiler writes the headers that an object depends on to a file beside it.
define VM_COMPILE
@mkdir -p $(@D)
$(CC) $(CPPFLAGS) $(CFLAGS) $(VM_CFLAGS) $(filter -I%,$(VM_LIBS_$*)) -MMD -MP -c -o $@ $<
endef
-include $(wildcard $(VM_BUILD)/objects/*.d)

# Static, so that the guest needs no libraries.
VM_LIBS_default := -static

$(VM_BUILD)/lib_reader: $(BUILD)/lib/librbmap.a
VM_LIBS_lib_reader = $(BUILD)/lib/librbmap.a \
	$(shell pkg-config --cflags --libs libtraceevent)

$(VM_BUILD)/merge_late: $(BUILD)/lib/librbmap.a
VM_LIBS_merge_late = -Iuserspace/lib -Iuapi $(BUILD)/lib/librbmap.a -static

$(VM_BUILD)/filters: $(VM_DIR)/../unit/filter/filter_grammar.c \
	$(VM_DIR)/../unit/filter/filter_grammar.h
VM_LIBS_filters = $(VM_DIR)/../unit/filter/filter_grammar.c -static

VM_LIBS_ctrl_c = -lutil -static
VM_LIBS_compat32 = $(BUILD)/lib/librbmap.a -static
$(VM_BUILD)/compat32: $(BUILD)/lib/librbmap.a

# Programs of 32 bits: with librbmap, the walkthrough's reader, a system call; x86 alone. The
# package that provides /usr/include/asm for them conflicts with the cross compiler.
VM_M32_CFLAGS := -m32 -D_FILE_OFFSET_BITS=64 -D_GNU_SOURCE= -static \
	-isystem /usr/include/x86_64-linux-gnu
VM_M32 := $(if $(filter amd64,$(VM_ARCH)),$(addprefix $(VM_BUILD)/,\
	compat32-m32 reader-m32 system_call-m32))

$(VM_BUILD)/compat32-m32: $(VM_DIR)/library/compat32.c $(VM_COMMON) \
		$(LIB_RING_SRCS:%=$(LIB_DIR)/%) $(VM_HEADERS) $(VM_DIR)/library/layout.h \
		$(LIB_DIR)/rbmap.h $(LIB_DIR)/internal.h \
		$(VM_DIR)/../../uapi/linux/rbmap.h $(VM_DIR)/vm.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(VM_CFLAGS) $(VM_M32_CFLAGS) -I$(LIB_DIR) \
		-DRBMAP_LIB_VERSION='"$(VERSION)"' -o $@ $(filter %.c,$^)

$(VM_BUILD)/reader-m32: userspace/examples/reader.c \
		$(VM_DIR)/../../uapi/linux/rbmap.h $(VM_DIR)/vm.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(VM_CFLAGS) $(VM_M32_CFLAGS) -o $@ $<

$(VM_BUILD)/system_call-m32: $(VM_DIR)/event/system_call.c $(VM_DIR)/vm.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(VM_CFLAGS) $(VM_M32_CFLAGS) -o $@ $<

# Shared: the test is about the machine's own library, and another version of it.
VM_LIBS_tracefs = $(shell pkg-config --cflags --libs libtracefs)

# Make looks for a source without a folder in all of these.
vpath %.c $(VM_FOLDERS)
# Two steps, because the cache of the compiler knows objects alone.
VM_PROGRAM_OBJS := $(VM_PROGRAMS:$(VM_BUILD)/%=$(VM_BUILD)/objects/%.o)
$(VM_PROGRAM_OBJS): $(VM_BUILD)/objects/%.o: %.c $(VM_DIR)/vm.mk
	$(VM_COMPILE)

$(VM_PROGRAMS): $(VM_BUILD)/%: $(VM_BUILD)/objects/%.o $(VM_OBJS)
	$(CC) $(CFLAGS) $(VM_CFLAGS) -o $@ $< $(VM_OBJS) $(or $(VM_LIBS_$*),$(VM_LIBS_default))

.PHONY: check-vm check-vm-long check-vm-modules check-vm-programs
check-vm-programs: $(VM_PROGRAMS) $(VM_M32) $(VM_BUILD)/libtracefs.tar \
	$(BUILD)/tests/unit/cli/plain/cli_printer \
	$(VM_BUILD)/udevadm $(VM_BUILD)/systemd-sysusers

$(VM_BUILD)/libtracefs.tar: $(VM_DIR)/lib/tracefs $(VM_DIR)/lib/unpack
	@mkdir -p $(@D)
	$< $(VM_ARCH) $@

# The programs that read the udev rule and create the group.
$(VM_BUILD)/udevadm $(VM_BUILD)/systemd-sysusers &: $(VM_DIR)/lib/unpack
	@mkdir -p $(@D)
	dir=$$($< --arch $(VM_ARCH) bookworm udev systemd-standalone-sysusers) && \
		cp "$$dir/usr/bin/udevadm" "$$dir/usr/bin/systemd-sysusers" $(@D)/

# The same for guests of another architecture, with its libraries from the cache.
.PHONY: check-vm-programs-arm64
check-vm-programs-arm64: check-vm-programs-%: $(VM_DIR)/lib/cross
	@$(VM_DIR)/../install-packages vm arm64
	+@$< $* make -s user check-vm-programs

# Build the modules that check-vm loads.
check-vm-modules:
	@$(VM_DIR)/check --build

check-vm: check-vm-programs user
	@$(VM_DIR)/check

check-vm-long: check-vm-programs user check-vm-programs-arm64
	@$(VM_DIR)/check --long
