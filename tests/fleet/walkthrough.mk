# SPDX-License-Identifier: GPL-2.0-only
#
#	make check-fleet-walkthrough	docs/walkthroughs/fleet.md, as it stands

.PHONY: check-fleet-walkthrough
check-fleet-walkthrough: $(BUILD)/rbmap $(FLEET) $(CLI_TEST_EVENTS)
	@tests/install-packages fleet-check
	@RBMAP=$(BUILD)/rbmap MAKE_EVENTS=$(CLI_TEST_EVENTS) tests/fleet/walkthrough.sh
