# SPDX-License-Identifier: GPL-2.0-only
#	make check-mutants		check that the tests find faults built into the
#					module: both of the following
#	make check-mutants-ring		faults in the ring
#	make check-mutants-module	faults in the rest of the module
#	make check-mutants-share	a share of these, another one each day
#
# MUTANTS_ALL=1 runs each suite on each fault of the ring and fills the whole table.
# MUTANTS_SHARE=K/N runs the K-th of N shares.

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
	@MUTANTS_SHARE=$(or $(MUTANTS_SHARE),today) tests/mutants/run-module
