# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of librbmap.
#
#	make check-unit-lib		all tests, without and with sanitizers
#
# RBMAP_TEST_SEED=N sets the seed of the random tests.

LIB_TEST_BUILD := $(BUILD)/tests/unit/lib
LIB_TESTS := lib_decode lib_formats lib_map lib_merge lib_moment lib_observe lib_recording

# A makefile is read before anything is installed: ask pkg-config when it is needed.
LIB_TEST_CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra -Iuapi -Iuserspace/lib -D_GNU_SOURCE \
	-DRBMAP_LIB_VERSION='"$(VERSION)"' \
	$(shell pkg-config --cflags libtraceevent)
LIB_TEST_LIBS = -lcmocka $(shell pkg-config --libs libtraceevent)
LIB_TEST_DEPS := tests/unit/lib/lib_synth.h tests/unit/lib/live_ring.h tests/unit/lib/lib.mk \
	uapi/linux/rbmap.h $(wildcard userspace/lib/*.h userspace/lib/*/*.h)

LIB_TEST_SRCS := tests/unit/lib/lib_synth.c $(LIB_SRCS:%=$(LIB_DIR)/%)
LIB_TEST_FLAGS_plain :=
LIB_TEST_FLAGS_asan := -fsanitize=address,undefined \
	-fno-sanitize-recover=all -fno-omit-frame-pointer

LIB_TEST_BINARIES := $(foreach variant,plain asan,\
	$(addprefix $(LIB_TEST_BUILD)/$(variant)/,$(LIB_TESTS)))

# lib_observe runs the module's ring.
$(LIB_TEST_BUILD)/plain/lib_observe $(LIB_TEST_BUILD)/asan/lib_observe: \
	tests/unit/lib/live_ring.c $(wildcard module/ring/*.c module/include/rbmap/ring/*.h)
LIB_TEST_CFLAGS_lib_observe := -pthread -Itests/shim -Imodule/include

# Compile the library's sources: tests use its internal functions.  $(1): variant
define LIB_TEST_VARIANT
$(LIB_TEST_BUILD)/$(1)/%: tests/unit/lib/%.c $(call objects_of,$(LIB_TEST_BUILD)/$(1),$(LIB_TEST_SRCS)) \
		$(LIB_TEST_DEPS)
	@mkdir -p $$(@D)
	$$(CC) $$(LIB_TEST_CFLAGS) $$(LIB_TEST_CFLAGS_$$*) $$(LIB_TEST_FLAGS_$(1)) -o $$@ \
		$$(filter %.c %.o,$$^) $$(LDFLAGS) $$(LIB_TEST_LIBS)
endef
$(foreach variant,plain asan,$(eval $(call LIB_TEST_VARIANT,$(variant))) \
	$(call shared_objects,$(LIB_TEST_BUILD)/$(variant),$(LIB_TEST_SRCS),\
		$$(LIB_TEST_CFLAGS) $$(LIB_TEST_FLAGS_$(variant)),$(LIB_TEST_DEPS)))

# The recordings of lib_recording are written by the command's sources. --wrap simulates
# a library that is not installed.  $(1): variant
define LIB_RECORDING
$(LIB_TEST_BUILD)/$(1)/lib_recording: tests/unit/lib/lib_recording.c \
		$(call CLI_TEST_OBJS,$(1),$(CLI_TEST_SRCS)) $(CLI_TEST_DEPS) tests/unit/lib/lib.mk
	@mkdir -p $$(@D)
	$$(CC) $$(CLI_TEST_CFLAGS) $$(CLI_TEST_FLAGS_$(1)) -o $$@ $$(filter %.c %.o,$$^) \
		$$(LDFLAGS) -Wl,--wrap=dlopen -lcmocka -lbpf -lzstd -lpthread -lm
endef
$(foreach variant,plain asan,$(eval $(call LIB_RECORDING,$(variant))))

.PHONY: check-unit-lib
check-unit-lib: $(LIB_TEST_BINARIES)
	@status=0; for test in $(LIB_TEST_BINARIES); do \
		echo "# $$test"; \
		CMOCKA_MESSAGE_OUTPUT=TAP $$test || status=1; \
	done; exit $$status
