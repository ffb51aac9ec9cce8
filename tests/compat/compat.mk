# SPDX-License-Identifier: GPL-2.0-only

.PHONY: check-compat
check-compat:
	@tests/compat/run
