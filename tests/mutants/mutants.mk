# SPDX-License-Identifier: GPL-2.0-only
#	make check-mutants		check that the tests find faults built into the
#					module: both of the following
#	make check-mutants-ring		faults in the ring
#	make check-mutants-module	faults in the rest of the module
#	make check-mutants-share	a few of these, which make check tries
#
# MUTANTS_ALL=1 runs each suite on each fault of the ring and fills the whole table.

.PHONY: check-mutants check-mutants-ring check-mutants-module check-mutants-share
check-mutants:
	@tests/check --alone check-mutants-ring check-mutants-module

check-mutants-ring:
	@tests/mutants/selftest ring
	@tests/mutants/run

check-mutants-module: user check-vm-programs
	@tests/mutants/selftest module
	@tests/mutants/run-module

check-mutants-share: user check-vm-programs
	@tests/mutants/run-module --check
