# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the plugin of babeltrace2.
#
#	make check-unit-babeltrace2

.PHONY: check-unit-babeltrace2
check-unit-babeltrace2: babeltrace2 $(CLI_TEST_SYNTH) $(CLI_TEST_EVENTS) $(BUILD)/rbmap
	@RBMAP=$(BUILD)/rbmap MAKE_RECORDING=$(CLI_TEST_SYNTH) MAKE_EVENTS=$(CLI_TEST_EVENTS) \
		tests/babeltrace2/plugin.sh
