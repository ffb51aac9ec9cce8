# SPDX-License-Identifier: GPL-2.0-only
#
# Each suite prints TAP or ends with `N passed, N failed, N skipped`; the
# fragments have their targets.

CHECK_UNIT := check-unit-ring check-unit-filter check-unit-dynamic \
	check-unit-lib check-unit-cli
CHECK_SUITES := check-lint $(CHECK_UNIT) check-sweep check-model-small \
	check-stress check-compat check-vm-runner check-vm

include $(sort $(wildcard tests/*/*.mk))

.PHONY: check check-unit check-lint check-vm-runner
check-lint:
	@tests/lint/run

check-unit: $(CHECK_UNIT)

check-vm-runner:
	@tests/abi/selftest
	@tests/vm/selftest/run

# What the tests need is there before make looks at what depends on it.
check:
	@tests/install-packages build check vm arm64
	@$(MAKE) --no-print-directory -s -j"$$(nproc)" user
	@tests/check $(CHECK_SUITES)
