# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of module/ring in user space.
#
#	make check-unit-ring		run all tests but stress, without and with sanitizers.
#	make check-stress		run ring_stress for twelve seconds, with each sanitizer.
#	make stress STRESS_SECONDS=3600	run ring_stress for an hour.
#	make coverage			check that each line and branch of the ring is run
#
# RBMAP_TEST_SEED=N sets the seed of the random tests. With RBMAP_TEST_ALL=1
# ring_nested tries all pairs of places, not only some of them.
# MODULE_DIR=DIR tests the ring of another copy of module/.

MODULE_DIR ?= module
RING_DIR := $(MODULE_DIR)/ring
RING_TEST_BUILD := $(BUILD)/tests/unit/ring
RING_TESTS := ring_words ring_encoding ring_wrap ring_reader ring_nested
RING_BINARIES := $(addprefix $(RING_TEST_BUILD)/plain/,$(RING_TESTS)) \
	$(addprefix $(RING_TEST_BUILD)/asan/,$(RING_TESTS))
# The last one gets half of the time, because the thread sanitizer makes rounds slow.
RING_STRESS_BINARIES := $(addprefix $(RING_TEST_BUILD)/,plain/ring_stress asan/ring_stress tsan/ring_stress)
RING_COVERAGE := $(addprefix $(RING_TEST_BUILD)/cov/,$(RING_TESTS))
STRESS_SECONDS ?= 3600

RING_SOURCES := $(wildcard $(RING_DIR)/*.c)
RING_FIXTURE := tests/unit/ring/ring_fixture.c tests/unit/ring/ring_calls.c
RING_HEADERS := uapi/linux/rbmap.h $(wildcard tests/unit/ring/*.h tests/shim/rbmap/ring/*.h tests/tap/*.h \
	$(MODULE_DIR)/include/rbmap/ring/*.h)

RING_TEST_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -pthread -D_GNU_SOURCE= \
	-Itests/shim -Itests/tap -Itests/unit/ring -Iuapi -I$(MODULE_DIR)/include
$(RING_TEST_BUILD)/%: TEST_CFLAGS := $(RING_TEST_CFLAGS)
# A makefile is read before anything is installed: ask pkg-config when it is needed.
$(RING_TEST_BUILD)/%: TEST_LIBS = -lcmocka $(shell pkg-config --libs libtraceevent)

# ---- programs that are linked with the same objects of the ring

RING_LINKED := ring_words ring_encoding ring_wrap ring_reader ring_stress
RING_TEST_OBJECTS := ring_fixture.o ring_calls.o $(patsubst $(RING_DIR)/%.c,%.o,$(RING_SOURCES))

$(RING_TEST_BUILD)/plain/objects/%.o: tests/unit/ring/%.c tests/unit/ring/ring.mk
	$(COMPILE_TEST)
$(RING_TEST_BUILD)/plain/objects/%.o: $(RING_DIR)/%.c tests/unit/ring/ring.mk
	$(COMPILE_TEST)
$(RING_TEST_BUILD)/asan/objects/%.o: tests/unit/ring/%.c tests/unit/ring/ring.mk
	$(COMPILE_TEST)
$(RING_TEST_BUILD)/asan/objects/%.o: $(RING_DIR)/%.c tests/unit/ring/ring.mk
	$(COMPILE_TEST)

$(addprefix $(RING_TEST_BUILD)/plain/,$(RING_LINKED)): \
$(RING_TEST_BUILD)/plain/%: $(RING_TEST_BUILD)/plain/objects/%.o \
		$(addprefix $(RING_TEST_BUILD)/plain/objects/,$(RING_TEST_OBJECTS))
	$(LINK_TEST)
$(addprefix $(RING_TEST_BUILD)/asan/,$(RING_LINKED)): \
$(RING_TEST_BUILD)/asan/%: $(RING_TEST_BUILD)/asan/objects/%.o \
		$(addprefix $(RING_TEST_BUILD)/asan/objects/,$(RING_TEST_OBJECTS))
	$(LINK_TEST)

# The other tests print their results through cmocka.
$(RING_STRESS_BINARIES): tests/tap/tap.c

# ---- programs with flags of their own, which compile the ring themselves

# The ring calls ring_point() before each access to shared memory: see ring_points.h.
RING_HOOKED := $(addprefix $(RING_TEST_BUILD)/,plain/ring_nested asan/ring_nested cov/ring_nested \
	tsan/ring_stress)
$(RING_HOOKED): TEST_CFLAGS := $(RING_TEST_CFLAGS) -include ring_points.h
$(filter %/ring_nested,$(RING_HOOKED)): tests/unit/ring/ring_nested.c
$(filter %/ring_stress,$(RING_HOOKED)): tests/unit/ring/ring_stress.c

# Compile each function as it is written, also functions that nothing calls.
$(RING_TEST_BUILD)/cov/%: VARIANT_CFLAGS := -O0 --coverage -fprofile-update=atomic \
	-fkeep-inline-functions -fkeep-static-functions -include ring_coverage.h
$(filter-out $(RING_HOOKED),$(RING_COVERAGE)): $(RING_TEST_BUILD)/cov/%: tests/unit/ring/%.c

$(sort $(RING_HOOKED) $(RING_COVERAGE)): $(RING_FIXTURE) $(RING_SOURCES) $(RING_HEADERS) \
		tests/unit/ring/ring.mk
	$(LINK_TEST)

# ---- run them

.PHONY: check-unit-ring check-stress stress coverage
check-unit-ring: $(call chosen,$(RING_BINARIES))
	@tests/unit/run $(call chosen,$(RING_BINARIES))

check-stress: STRESS_SECONDS := 12
check-stress stress: $(RING_STRESS_BINARIES)
	@tests/unit/ring/stress $(STRESS_SECONDS) $(RING_STRESS_BINARIES)

# Leave out ring_stress: code that only random threads reach is not reliably tested.
coverage: $(RING_COVERAGE)
	@rm -f $(RING_TEST_BUILD)/cov/*.gcda
	@for test in $^; do \
		$$test >$$test.log 2>&1 || { cat $$test.log; exit 1; }; \
	done
	@rm -rf $(RING_TEST_BUILD)/cov/words
	@mkdir $(RING_TEST_BUILD)/cov/words
	@cp $(RING_TEST_BUILD)/cov/ring_words-* $(RING_TEST_BUILD)/cov/words
	@. tests/tap/tap.sh; \
	! tests/unit/ring/coverage $(MODULE_DIR) $(RING_TEST_BUILD)/cov/words \
		>$(RING_TEST_BUILD)/cov/words.log; \
	ok "coverage fails if only ring_words has run" test $$? = 0; \
	rm -r $(RING_TEST_BUILD)/cov/words; \
	results '' tests/unit/ring/coverage $(MODULE_DIR) $(RING_TEST_BUILD)/cov; \
	done_testing
