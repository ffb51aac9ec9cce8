# SPDX-License-Identifier: GPL-2.0-only
#
#	make bench	what rbmap costs, beside what else there is: tests/bench/run

.PHONY: bench
bench:
	@tests/install-packages build vm debug bench
	@tests/bench/run
