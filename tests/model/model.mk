# SPDX-License-Identifier: GPL-2.0-only
#
# The models of the ring and of ring lifetimes.
#
#	make check-model-small	small configurations: seconds; part of `make check`
#	make check-model	all configurations and faults: minutes

.PHONY: check-model check-model-small
check-model:
	@tests/install-packages check
	@status=0; tests/model/run || status=1; \
	tests/model/run --mutants || status=1; exit $$status

check-model-small:
	@tests/model/run --small
