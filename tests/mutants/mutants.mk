# SPDX-License-Identifier: GPL-2.0-only
#	make check-mutants		check that the tests find faults built into the
#					module and into user space: the following three
#	make check-mutants-ring		faults in the ring
#	make check-mutants-module	faults in the rest of the module
#	make check-mutants-user		faults in user space, and that tests of make check
#					find them; 15 minutes
#	make check-mutants-share	a few of those of the module, which make check tries
#
# MUTANTS_ALL=1 runs each suite on each fault of the ring and fills the whole table.

.PHONY: check-mutants check-mutants-ring check-mutants-module check-mutants-user \
	check-mutants-share
check-mutants:
	@tests/check --alone check-mutants-ring check-mutants-module check-mutants-user

check-mutants-ring:
	@tests/mutants/selftest ring
	@tests/mutants/run

check-mutants-module: user check-vm-programs
	@tests/mutants/selftest module
	@tests/mutants/run-module

check-mutants-user:
	@tests/install-packages build check fleet
	@tests/mutants/selftest user
	@tests/mutants/run-user

check-mutants-share: user check-vm-programs
	@tests/mutants/run-module --check
