# SPDX-License-Identifier: GPL-2.0-only

# The commands of README on bare Debian systems:
#
#	make check-systems SYSTEMS=trixie COMMANDS="demo check"
.PHONY: check-systems
check-systems:
	@tests/install-packages packages
	@SYSTEMS="$(SYSTEMS)" COMMANDS="$(COMMANDS)" EMPTY_CACHE="$(EMPTY_CACHE)" tests/systems/run
