# SPDX-License-Identifier: GPL-2.0-only
#
#	make bench	measure the cost of rbmap and of other tracers: tests/bench/run
#
#	make bench-here	the same on this machine and its kernel: tests/bench/here
#
#	make bench-html	measure pages of rbmap report --html: tests/bench/html
#
#	make bench-views	measure views and exports of one recording: tests/bench/views

.PHONY: bench bench-here bench-html bench-views
bench-views: $(BUILD)/rbmap $(CLI_TEST_EVENTS) babeltrace2
	@tests/bench/views

bench-html: $(BUILD)/rbmap $(CLI_TEST_EVENTS)
	@tests/bench/html

bench-here:
	@tests/bench/here

bench:
	@tests/install-packages build vm debug bench
	@$(MAKE) --no-print-directory -s user
	@tests/bench/run
