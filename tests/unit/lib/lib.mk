# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of librbmap.
#
#	make check-unit-lib		all tests, without and with sanitizers
#
# RBMAP_TEST_SEED=N sets the seed of the random tests.

LIB_TEST_BUILD := $(BUILD)/tests/unit/lib
LIB_TESTS := lib_decode lib_formats lib_map lib_merge lib_moment lib_observe lib_recording
LIB_TEST_PLAIN := $(addprefix $(LIB_TEST_BUILD)/plain/,$(LIB_TESTS))
LIB_TEST_ASAN := $(addprefix $(LIB_TEST_BUILD)/asan/,$(LIB_TESTS))
LIB_TEST_BINARIES := $(LIB_TEST_PLAIN) $(LIB_TEST_ASAN)

# A makefile is read before anything is installed: ask pkg-config when it is needed.
# lib_recording needs userspace/cli, lib_observe needs tests/shim and module/include.
$(LIB_TEST_BUILD)/%: TEST_CFLAGS = -std=gnu11 -O1 -g -Wall -Wextra -pthread -D_GNU_SOURCE= \
	-D_FILE_OFFSET_BITS=64 -DRBMAP_LIB_VERSION='"$(VERSION)"' $(USER_INCLUDES) \
	-Iuserspace/cli -Itests/shim -Imodule/include $(shell pkg-config --cflags libtraceevent)
$(LIB_TEST_BUILD)/%: TEST_LIBS = -lcmocka $(shell pkg-config --libs libtraceevent)

$(LIB_TEST_BUILD)/plain/objects/%.o: tests/unit/lib/%.c tests/unit/lib/lib.mk
	$(COMPILE_TEST)
$(LIB_TEST_BUILD)/asan/objects/%.o: tests/unit/lib/%.c tests/unit/lib/lib.mk
	$(COMPILE_TEST)

# The library, with its internal functions. Plain programs are linked with the objects of
# build/lib.
LIB_TEST_ASAN_LIB := $(LIB_TEST_BUILD)/asan/lib.a
$(LIB_TEST_BUILD)/asan/objects/%.o: userspace/lib/%.c tests/unit/lib/lib.mk
	$(COMPILE_TEST)
$(LIB_TEST_ASAN_LIB): $(LIB_SRCS:%.c=$(LIB_TEST_BUILD)/asan/objects/%.o)
	$(ARCHIVE_TEST)

# lib_observe runs the module's ring.
LIB_TEST_RING := $(patsubst module/ring/%.c,%.o,$(wildcard module/ring/*.c))
$(LIB_TEST_BUILD)/plain/lib_observe: $(LIB_TEST_BUILD)/plain/objects/live_ring.o \
	$(addprefix $(BUILD)/tests/unit/ring/plain/objects/,$(LIB_TEST_RING))
$(LIB_TEST_BUILD)/asan/lib_observe: $(LIB_TEST_BUILD)/asan/objects/live_ring.o \
	$(addprefix $(BUILD)/tests/unit/ring/asan/objects/,$(LIB_TEST_RING))

# The command's sources write the recordings of lib_recording. --wrap simulates a library
# that is not installed.
$(LIB_TEST_BUILD)/plain/lib_recording: $(BUILD)/tests/unit/cli/plain/cli.a
$(LIB_TEST_BUILD)/asan/lib_recording: $(BUILD)/tests/unit/cli/asan/cli.a
$(filter %/lib_recording,$(LIB_TEST_BINARIES)): \
	TEST_LIBS := -Wl,--wrap=dlopen -lcmocka -lzstd -ltraceevent -lseccomp -lpthread -lm

$(LIB_TEST_PLAIN): $(LIB_TEST_BUILD)/plain/%: $(LIB_TEST_BUILD)/plain/objects/%.o \
		$(LIB_TEST_BUILD)/plain/objects/lib_synth.o $(BUILD)/lib/all.a
	$(LINK_TEST)
$(LIB_TEST_ASAN): $(LIB_TEST_BUILD)/asan/%: $(LIB_TEST_BUILD)/asan/objects/%.o \
		$(LIB_TEST_BUILD)/asan/objects/lib_synth.o $(LIB_TEST_ASAN_LIB)
	$(LINK_TEST)

.PHONY: check-unit-lib
check-unit-lib: $(call chosen,$(LIB_TEST_BINARIES))
	@tests/unit/run $(call chosen,$(LIB_TEST_BINARIES))
