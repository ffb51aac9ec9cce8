# SPDX-License-Identifier: GPL-2.0-only

.PHONY: check-packages
check-packages:
	@tests/install-packages build vm packages
	@$(MAKE) --no-print-directory -s user $(CLI_TEST_SYNTH)
	@tests/packages/run $(SUITES)
