# SPDX-License-Identifier: GPL-2.0-only
#
#	make check-html		look at pages of rbmap report --html in a headless Chromium
#
# The first python3 need not be the one that has Debian's modules.

.PHONY: check-html
check-html: $(BUILD)/rbmap $(CLI_TEST_EVENTS)
	@for python in python3 /usr/bin/python3; do ! $$python -c 'import PIL' 2>/dev/null || break; done; \
	RBMAP=$(BUILD)/rbmap MAKE_EVENTS=$(CLI_TEST_EVENTS) PICTURES=$(BUILD)/artefacts/html \
		$$python tests/html/check
