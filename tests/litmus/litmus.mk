# SPDX-License-Identifier: GPL-2.0-only

# MODULE_DIR=DIR: test another copy of module/, for example one without a barrier.
.PHONY: check-litmus
check-litmus:
	@MODULE_DIR="$(MODULE_DIR)" tests/litmus/run
	@tests/litmus/selftest/run
