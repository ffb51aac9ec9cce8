# SPDX-License-Identifier: GPL-2.0-only
#
#	make check-corpus	recordings of trace-cmd, compared with trace-cmd report

.PHONY: check-corpus
check-corpus: $(BUILD)/rbmap check-vm-programs
	@RBMAP=$(BUILD)/rbmap tests/corpus/run
