# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the rbmap command.
#
#	make check-unit-cli		all, each also with sanitizers
#	make check-convert-large	a recording of CONVERT_MB (2048), which takes as much
#					disk; not in make check

CLI_TEST_BUILD := $(BUILD)/tests/unit/cli
# Tests of recordings, with dat_fixture.c
CLI_DAT_TESTS := cli_dat_assemble cli_dat_files cli_dat_read cli_dat_write
CLI_TESTS := cli_costs $(CLI_DAT_TESTS) cli_filter cli_cgroups cli_devices cli_control cli_recorder cli_words cli_tables cli_probe cli_selfcost cli_columns cli_times \
	cli_incidents cli_leftovers cli_output cli_service cli_ledger cli_pipeline cli_histogram cli_history cli_symbols cli_top cli_open_files cli_dump_request cli_rotation cli_crash_guard cli_live_events cli_trigger cli_hostile
# They compare the printers of `rbmap report` with libtraceevent.
CLI_PRINTER_TESTS := cli_printer cli_format
CLI_TEST_PLAIN := $(addprefix $(CLI_TEST_BUILD)/plain/,$(CLI_TESTS) $(CLI_PRINTER_TESTS))
CLI_TEST_ASAN := $(addprefix $(CLI_TEST_BUILD)/asan/,$(CLI_TESTS) $(CLI_PRINTER_TESTS))
CLI_TEST_TSAN := $(CLI_TEST_BUILD)/tsan/cli_pipeline
CLI_TEST_BINARIES := $(CLI_TEST_PLAIN) $(CLI_TEST_ASAN) $(CLI_TEST_TSAN)

# Programs that make recordings and types, for the scripts
CLI_TEST_SYNTH := $(CLI_TEST_BUILD)/plain/cli_make_recording
CLI_TEST_EVENTS := $(CLI_TEST_BUILD)/plain/cli_make_events
CLI_TEST_BTF := $(CLI_TEST_BUILD)/plain/cli_make_btf
CLI_TEST_RANDOM := $(CLI_TEST_BUILD)/plain/cli_make_random
CLI_TEST_LARGE := $(CLI_TEST_BUILD)/plain/cli_make_large
CLI_TEST_MAKERS := $(CLI_TEST_SYNTH) $(CLI_TEST_EVENTS) $(CLI_TEST_BTF) $(CLI_TEST_RANDOM) $(CLI_TEST_LARGE)

# A makefile is read before anything is installed: ask pkg-config when it is needed.
$(CLI_TEST_BUILD)/%: TEST_CFLAGS = -std=gnu11 -O1 -g -Wall -Wextra -D_GNU_SOURCE= -D_FILE_OFFSET_BITS=64 \
	$(USER_INCLUDES) -Iuserspace/cli -Itests/tap $(shell pkg-config --cflags libtraceevent)
$(CLI_TEST_BUILD)/%: TEST_LIBS := -lcmocka -lbpf -lzstd -lpthread -lm
$(addprefix $(CLI_TEST_BUILD)/plain/,$(CLI_PRINTER_TESTS)) \
$(addprefix $(CLI_TEST_BUILD)/asan/,$(CLI_PRINTER_TESTS)): TEST_LIBS := -ltraceevent -lseccomp -lpthread
$(CLI_TEST_BUILD)/plain/cli_hostile $(CLI_TEST_BUILD)/asan/cli_hostile: TEST_LIBS += -ltraceevent -lseccomp

# The command's sources that the tests use. Plain programs are linked with the objects of
# build/userspace and build/lib.
CLI_TEST_SRCS := \
	$(call user_sources,$(COMMON_DIRS) $(PRINT_DIRS) filter input intervals intervals/summary intervals/why $(LIVE_DIRS)) \
	cli/new_probe/trace_header.c $(addprefix cli/record/,directory.c rotation.c trigger.c) \
	cli/stream/output.c $(addprefix cli/top/,batch.c counts.c keys.c layout.c rows.c sample.c)
CLI_TEST_PLAIN_LIBS := $(CLI_TEST_BUILD)/plain/cli.a $(KERNEL_FILTER_OBJS) $(BUILD)/lib/all.a
CLI_TEST_ASAN_LIBS := $(CLI_TEST_BUILD)/asan/cli.a $(KERNEL_FILTER_SRCS:%.c=$(CLI_TEST_BUILD)/asan/objects/%.o) $(BUILD)/tests/unit/lib/asan/lib.a

$(CLI_TEST_BUILD)/plain/objects/%.o: tests/unit/cli/%.c tests/unit/cli/cli.mk
	$(COMPILE_TEST)
$(CLI_TEST_BUILD)/asan/objects/%.o: tests/unit/cli/%.c tests/unit/cli/cli.mk
	$(COMPILE_TEST)
$(CLI_TEST_BUILD)/asan/objects/%.o: userspace/%.c tests/unit/cli/cli.mk
	$(COMPILE_TEST)
$(CLI_TEST_BUILD)/asan/objects/module/%.o: module/%.c tests/unit/cli/cli.mk
	$(COMPILE_TEST)
$(CLI_TEST_BUILD)/asan/objects/filter/%.o: TEST_CFLAGS += -I.
$(CLI_TEST_BUILD)/plain/cli.a: $(CLI_TEST_SRCS:%.c=$(USER_BUILD)/%.o) tests/unit/cli/cli.mk
	$(ARCHIVE_TEST)
$(CLI_TEST_BUILD)/asan/cli.a: $(CLI_TEST_SRCS:%.c=$(CLI_TEST_BUILD)/asan/objects/%.o) tests/unit/cli/cli.mk
	$(ARCHIVE_TEST)

$(CLI_TEST_PLAIN) $(CLI_TEST_MAKERS): $(CLI_TEST_BUILD)/plain/%: $(CLI_TEST_BUILD)/plain/objects/%.o \
		$(CLI_TEST_PLAIN_LIBS)
	$(LINK_TEST)
$(CLI_TEST_ASAN): $(CLI_TEST_BUILD)/asan/%: $(CLI_TEST_BUILD)/asan/objects/%.o $(CLI_TEST_ASAN_LIBS)
	$(LINK_TEST)
$(CLI_TEST_EVENTS): $(CLI_TEST_BUILD)/plain/objects/interval_events.o
$(addprefix $(CLI_TEST_BUILD)/plain/,$(CLI_DAT_TESTS)): $(CLI_TEST_BUILD)/plain/objects/dat_fixture.o
$(addprefix $(CLI_TEST_BUILD)/asan/,$(CLI_DAT_TESTS)): $(CLI_TEST_BUILD)/asan/objects/dat_fixture.o
$(filter $(addprefix %/,$(CLI_PRINTER_TESTS)),$(CLI_TEST_BINARIES)): tests/tap/tap.c

# ThreadSanitizer finds data races.
$(CLI_TEST_TSAN): tests/unit/cli/cli_pipeline.c userspace/command/pipeline.c \
		userspace/command/pipeline.h tests/unit/cli/cli.mk
	$(LINK_TEST)

.PHONY: check-convert-large
check-convert-large: $(CLI_TEST_MAKERS) $(BUILD)/rbmap
	@RBMAP=$(BUILD)/rbmap MAKE_RANDOM=$(CLI_TEST_RANDOM) MAKE_EVENTS=$(CLI_TEST_EVENTS) \
		MAKE_LARGE=$(CLI_TEST_LARGE) tests/cli/convert_large.sh

.PHONY: check-unit-cli
check-unit-cli: $(call chosen,$(CLI_TEST_BINARIES)) $(CLI_TEST_MAKERS) $(CLI_TEST_BUILD)/plain/cli_top $(BUILD)/rbmap $(BUILD)/examples/print_recording fleet
	@status=0; tests/unit/run $(call chosen,$(CLI_TEST_BINARIES)) || status=1; \
	for test in usage options settings install report versions selection cut foreign print_recording latency why top html probe doctor colour convert; do \
		echo "# $$test.sh"; \
		RBMAP=$(BUILD)/rbmap MAKE_RECORDING=$(CLI_TEST_SYNTH) \
			MAKE_EVENTS=$(CLI_TEST_EVENTS) MAKE_RANDOM=$(CLI_TEST_RANDOM) \
			MAKE_LARGE=$(CLI_TEST_LARGE) CLI_TOP=$(CLI_TEST_BUILD)/plain/cli_top \
			MAKE_BTF=$(CLI_TEST_BTF) PRINT_RECORDING=$(BUILD)/examples/print_recording \
			tests/cli/$$test.sh || status=1; \
	done; exit $$status
