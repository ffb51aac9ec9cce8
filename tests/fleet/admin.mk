# SPDX-License-Identifier: GPL-2.0-only
#
#	make check-fleet-admin		installation, services, settings, users

.PHONY: check-fleet-admin
check-fleet-admin: $(BUILD)/rbmap $(FLEET) $(CLI_TEST_SYNTH)
	@RBMAP=$(BUILD)/rbmap RBMAP_FLEET=$(FLEET) MAKE_RECORDING=$(CLI_TEST_SYNTH) tests/fleet/admin.sh
