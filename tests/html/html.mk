# SPDX-License-Identifier: GPL-2.0-only
#
#	make check-html		look at pages of rbmap report --html in a headless Chromium

.PHONY: check-html
check-html: $(BUILD)/rbmap $(CLI_TEST_EVENTS)
	@RBMAP=$(BUILD)/rbmap MAKE_EVENTS=$(CLI_TEST_EVENTS) PICTURES=$(BUILD)/artefacts/html \
		$(PYTHON3) tests/html/check
