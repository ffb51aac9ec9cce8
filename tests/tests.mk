# SPDX-License-Identifier: GPL-2.0-only
#
#	make test T=NAME	run one test of any suite: tests/test --help
#	make check		run a choice of all tests
#	make check-full		run all tests that one machine can run
#
# Each suite prints TAP or ends with `N passed, N failed, N skipped`. The fragments in
# the folders define the suites' targets.

CHECK_UNIT := check-unit-ring check-unit-filter check-unit-dynamic \
	check-unit-lib check-unit-cli check-unit-python check-unit-babeltrace2 check-unit-fleet
# The longest suites come first. check-vm needs the modules that check-vm-modules builds.
# It runs several virtual machines at a time, with limits of time: suites without such limits
# use the CPU time that they leave.
CHECK_SUITES := check-compat check-vm-modules check-vm-runner check-mutants-share
CHECK_BESIDE := check-unit-cli check-sweep check-lint check-fleet-share check-analysis check-stress check-fuzzers \
	$(filter-out check-unit-cli,$(CHECK_UNIT)) check-html check-model-small

# Other folders have programs of tests/unit as prerequisites, which make expands when it
# reads them.
include tests/unit/unit.mk $(sort $(wildcard tests/unit/*/*.mk))
include $(filter-out tests/unit/unit.mk,$(sort $(wildcard tests/*/*.mk)))

.PHONY: test check check-full check-programs check-unit check-lint check-analysis lint check-vm-runner
test:
	@tests/install-packages names
	@tests/test $(if $(K),--kernels "$(K)") $(if $(CPUS),--cpus "$(CPUS)") -- "$(T)"

check-lint:
	@tests/lint/run

check-analysis:
	@tests/install-packages lint
	@tests/lint/analyse

lint:
	@tests/install-packages lint
	@RBMAP_TEST_ALL=1 tests/check check-lint check-analysis

check-unit: $(CHECK_UNIT)

check-vm-runner:
	@tests/tap/selftest
	@tests/selftest/check
	@tests/selftest/unless-passed
	@tests/abi/selftest
	@tests/vm/selftest/sets
	@tests/vm/selftest/clock
	@tests/vm/selftest/remembered
	@$(if $(RBMAP_TEST_SHORT),,tests/vm/selftest/built)
	@tests/vm/selftest/run

# Build all programs first, with all CPUs: suites that run at the same time would build
# some of them twice.
check-programs: user check-vm-programs $(RING_STRESS_BINARIES) $(CLI_TEST_MAKERS) \
	$(call chosen,$(RING_BINARIES) $(FILTER_TEST_BINARIES) $(DYNAMIC_TEST_BINARIES) \
		$(LIB_TEST_BINARIES) $(CLI_TEST_BINARIES) $(FLEET_TEST_BINARIES)) \
	$(SWEEP_BUILD)/sweep fleet $(FLEET_SWARM) python babeltrace2

# Install packages before the second make evaluates rules that depend on them.
check:
	@tests/install-packages build check lint vm fleet fleet-check
	@RBMAP_TEST_SHORT=1 tests/with-ccache $(MAKE) --no-print-directory -s -j"$$(nproc)" check-programs
	@RBMAP_TEST_SHORT=1 tests/with-ccache tests/check $(CHECK_SUITES) --alone check-vm --beside $(CHECK_BESIDE)

# Parts that have passed are not repeated: tests/check-full --help.
check-full:
	@tests/install-packages names
	@tests/check-full $(FULL)
