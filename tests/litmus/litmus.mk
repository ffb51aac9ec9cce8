# SPDX-License-Identifier: GPL-2.0-only

# RING_DIR=DIR: a ring somewhere else, one with a barrier taken out for example.
.PHONY: check-litmus
check-litmus:
	@RING_DIR="$(RING_DIR)" tests/litmus/run
	@tests/litmus/selftest/run
