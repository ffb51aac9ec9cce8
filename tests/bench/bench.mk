# SPDX-License-Identifier: GPL-2.0-only
#
#	make bench	measure the cost of rbmap and of other tracers: tests/bench/run

.PHONY: bench
bench:
	@tests/install-packages build vm debug bench
	@tests/bench/run
