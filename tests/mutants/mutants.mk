# SPDX-License-Identifier: GPL-2.0-only
#
#	make check-mutants	faults in the ring, and who notices
#
# MUTANTS_ALL=1 runs each suite on each of them and fills the whole table.

.PHONY: check-mutants
check-mutants:
	@tests/mutants/selftest
	@tests/mutants/run
