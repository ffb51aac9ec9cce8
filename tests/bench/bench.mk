# SPDX-License-Identifier: GPL-2.0-only
#
#	make bench	measure the cost of rbmap and of other tracers: tests/bench/run
#
#	make bench-here	the same on this machine and its kernel: tests/bench/here
#
#	make bench-html	measure pages of rbmap report --html: tests/bench/html

.PHONY: bench bench-here bench-html
bench-html: $(BUILD)/rbmap $(CLI_TEST_EVENTS)
	@tests/bench/html

bench-here:
	@tests/bench/here

bench:
	@tests/install-packages build vm debug bench
	@$(MAKE) --no-print-directory -s user
	@tests/bench/run
