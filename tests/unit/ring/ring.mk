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

BUILD ?= build

RING_TEST_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
# MODULE_DIR=DIR tests the ring of another copy of module/.
MODULE_DIR ?= $(RING_TEST_DIR)/../../../module
RING_DIR := $(MODULE_DIR)/ring
RING_INCLUDE := $(MODULE_DIR)/include
RING_TEST_BUILD := $(BUILD)/tests/unit/ring

RING_TEST_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -pthread \
	-I$(RING_TEST_DIR)/../../shim -I$(RING_TEST_DIR)/../../tap -I$(RING_TEST_DIR) \
	-I$(RING_TEST_DIR)/../../../uapi -I$(RING_INCLUDE)
RING_TEST_LIBS = -lcmocka $(shell pkg-config --libs libtraceevent)

RING_TEST_DEPS := $(wildcard $(RING_TEST_DIR)/ring_*.h $(RING_TEST_DIR)/../../shim/rbmap/ring/*.h \
	$(RING_INCLUDE)/rbmap/ring/*.h) \
	$(RING_TEST_DIR)/../../../uapi/linux/rbmap.h $(RING_TEST_DIR)/ring.mk
RING_FIXTURE := $(RING_TEST_DIR)/ring_fixture.c $(RING_TEST_DIR)/ring_calls.c
RING_SOURCES := $(wildcard $(RING_DIR)/*.c)

RING_FLAGS_plain :=
RING_FLAGS_asan := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
RING_FLAGS_tsan := -fsanitize=thread
# Compile each function as it is written, also functions that nothing calls.
RING_FLAGS_cov := -O0 --coverage -fprofile-update=atomic \
	-fkeep-inline-functions -fkeep-static-functions -include ring_coverage.h

RING_TESTS := ring_words ring_encoding ring_wrap ring_reader ring_nested

# Call ring_point() before each access to shared memory: see ring_points.h.
RING_CFLAGS_plain/ring_nested := -include ring_points.h
RING_CFLAGS_asan/ring_nested := -include ring_points.h
RING_CFLAGS_cov/ring_nested := -include ring_points.h
RING_CFLAGS_tsan/ring_stress := -D_GNU_SOURCE= -include ring_points.h

RING_BINARIES := $(foreach variant,plain asan,\
	$(addprefix $(RING_TEST_BUILD)/$(variant)/,$(RING_TESTS)))

# The thread sanitizer makes rounds slow: it gets half of the time.
STRESS_SECONDS ?= 3600
RING_STRESS := plain asan tsan
RING_STRESS_BINARIES := $(patsubst %,$(RING_TEST_BUILD)/%/ring_stress,$(RING_STRESS))

# The other tests print their results through cmocka.
$(RING_STRESS_BINARIES): $(RING_TEST_DIR)/../../tap/tap.c $(RING_TEST_DIR)/../../tap/tap.h

# A program with options of its own, or that counts the lines it runs, compiles the ring
# itself. $(call RING_OBJS,VARIANT,TEST)
RING_OBJS = $(if $(filter cov,$(1))$(RING_CFLAGS_$(1)/$(2)),$(RING_FIXTURE) $(RING_SOURCES),\
	$(call objects_of,$(RING_TEST_BUILD)/$(1),$(RING_FIXTURE) $(RING_SOURCES)))

# $(1): variant, $(2): test
define RING_PROGRAM
$(RING_TEST_BUILD)/$(1)/$(2): $(RING_TEST_DIR)/$(2).c $(call RING_OBJS,$(1),$(2)) \
		$(RING_TEST_DEPS)
	@mkdir -p $$(@D)
	$$(CC) $$(RING_TEST_CFLAGS) $$(RING_FLAGS_$(1)) $(RING_CFLAGS_$(1)/$(2)) -o $$@ \
		$$(filter %.c %.o,$$^) $$(LDFLAGS) $$(RING_TEST_LIBS)
endef
$(foreach variant,plain asan tsan cov,$(foreach test,$(RING_TESTS) ring_stress,\
	$(eval $(call RING_PROGRAM,$(variant),$(test)))))
$(foreach variant,plain asan,$(call shared_objects,$(RING_TEST_BUILD)/$(variant),\
	$(RING_FIXTURE) $(RING_SOURCES),$$(RING_TEST_CFLAGS) $$(RING_FLAGS_$(variant)),\
	$(RING_TEST_DEPS)))

.PHONY: check-unit-ring check-stress stress coverage
check-unit-ring: $(RING_BINARIES)
	@status=0; for test in $(RING_BINARIES); do \
		echo "# $$test"; \
		CMOCKA_MESSAGE_OUTPUT=TAP $$test || status=1; \
	done; exit $$status

check-stress: STRESS_SECONDS := 12
check-stress stress: $(RING_STRESS_BINARIES)
	@$(RING_TEST_DIR)/stress $(STRESS_SECONDS) $(RING_STRESS_BINARIES)

# Leave out ring_stress: code that only random threads reach is not reliably tested.
coverage: $(addprefix $(RING_TEST_BUILD)/cov/,$(RING_TESTS))
	@rm -f $(RING_TEST_BUILD)/cov/*.gcda
	@for test in $^; do \
		$$test >$$test.log 2>&1 || { cat $$test.log; exit 1; }; \
	done
	@rm -rf $(RING_TEST_BUILD)/cov/words
	@mkdir $(RING_TEST_BUILD)/cov/words
	@cp $(RING_TEST_BUILD)/cov/ring_words-* $(RING_TEST_BUILD)/cov/words
	@. $(RING_TEST_DIR)/../../tap/tap.sh; \
	! $(RING_TEST_DIR)/coverage $(MODULE_DIR) $(RING_TEST_BUILD)/cov/words \
		>$(RING_TEST_BUILD)/cov/words.log; \
	ok "coverage fails if only ring_words has run" test $$? = 0; \
	rm -r $(RING_TEST_BUILD)/cov/words; \
	results '' $(RING_TEST_DIR)/coverage $(MODULE_DIR) $(RING_TEST_BUILD)/cov; \
	done_testing
