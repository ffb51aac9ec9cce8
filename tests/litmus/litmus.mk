# SPDX-License-Identifier: GPL-2.0-only

# MODULE_DIR=DIR: another copy of module/, one with a barrier taken out for example.
.PHONY: check-litmus
check-litmus:
	@MODULE_DIR="$(MODULE_DIR)" tests/litmus/run
	@tests/litmus/selftest/run
