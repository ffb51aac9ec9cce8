# SPDX-License-Identifier: GPL-2.0-only
#
#	make check-html		look at pages of rbmap report --html in a headless Chromium
#	make pictures		make the pictures of docs/answers.md again; needs a virtual machine

.PHONY: check-html pictures
pictures: user check-vm-programs
	@$(PYTHON3) tests/html/pictures

check-html: $(BUILD)/rbmap $(CLI_TEST_EVENTS)
	@RBMAP=$(BUILD)/rbmap MAKE_EVENTS=$(CLI_TEST_EVENTS) PICTURES=$(BUILD)/artefacts/html \
		$(PYTHON3) tests/html/check
