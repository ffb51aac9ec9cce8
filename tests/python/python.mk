# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the Python package rbmap.
#
#	make check-unit-python
#
# RBMAP_TEST_SEED=N sets the seed of the random tests, RBMAP_TEST_ROUNDS=N makes them longer.

# The package with the library of this build. -X dev reports what is not closed.
PYTHON_RUN := LD_LIBRARY_PATH=$(BUILD)/lib PYTHONPATH=$(BUILD)/python $(PYTHON3) -X dev

.PHONY: check-unit-python
check-unit-python: python $(CLI_TEST_SYNTH) $(CLI_TEST_EVENTS) $(BUILD)/rbmap
	@status=0; RBMAP=$(BUILD)/rbmap MAKE_RECORDING=$(CLI_TEST_SYNTH) MAKE_EVENTS=$(CLI_TEST_EVENTS) \
		$(PYTHON_RUN) tests/python/run test_recording test_selection test_views test_hostile test_live_read || status=1; \
	RBMAP=$(BUILD)/rbmap MAKE_EVENTS=$(CLI_TEST_EVENTS) PYTHON3=$(PYTHON3) tests/python/walkthrough.sh || status=1; \
	exit $$status
