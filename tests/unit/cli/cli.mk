# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the rbmap command.
#
#	make check-unit-cli		all, each also with sanitizers

CLI_TEST_BUILD := $(BUILD)/tests/unit/cli
CLI_TESTS := cli_dat cli_control cli_recorder cli_words cli_probe \
	cli_selfcost cli_columns cli_times cli_incidents cli_leftovers cli_service \
	cli_ledger cli_pipeline cli_histogram cli_top

CLI_TEST_CFLAGS = -std=gnu11 -O1 -g -Wall -Wextra -Iuapi \
	-Iuserspace/cli -Iuserspace/lib -D_GNU_SOURCE \
	-D_FILE_OFFSET_BITS=64 -DRBMAP_LIB_VERSION='"$(VERSION)"'
CLI_TEST_SRCS := $(addprefix userspace/cli/,\
	$(addprefix common/,buf.c cli.c colour.c control.c cpustats.c events.c foreign.c json.c pipeline.c printable.c \
		service.c suggest.c) \
	$(addprefix trace_dat/,dat_assemble.c dat_compress.c dat_head.c dat_join.c dat_pages.c \
		dat_pipe.c dat_split.c dat_output.c dat_write.c kallsyms.c spool_files.c \
		symbol_use.c symbols.c times_print.c) \
	record/cmdlines.c record/incident_files.c common/selfcost.c selftest/ledger.c \
	latency/histogram.c latency/length.c top/batch.c top/counts.c top/keys.c top/layout.c top/rows.c top/sample.c \
	show/columns.c show/time_view.c) \
	$(addprefix userspace/lib/,decode.c error.c) $(wildcard userspace/lib/*/*.c)
CLI_TEST_DEPS := $(wildcard tests/unit/cli/cli_*.h) tests/unit/cli/cli.mk \
	$(wildcard uapi/linux/*.h userspace/lib/*.h userspace/lib/*/*.h userspace/cli/*/*.h)

CLI_TEST_FLAGS_plain :=
CLI_TEST_FLAGS_asan := -fsanitize=address,undefined \
	-fno-sanitize-recover=all -fno-omit-frame-pointer

CLI_TEST_BINARIES := $(foreach variant,plain asan,\
	$(addprefix $(CLI_TEST_BUILD)/$(variant)/,$(CLI_TESTS)))

# The plain programs are linked with the objects of the command and of the library.
# $(call CLI_TEST_OBJS,VARIANT,SOURCES)
CLI_TEST_OBJS = $(if $(filter plain,$(1)),$(2:userspace/%.c=$(BUILD)/%.o),\
	$(call objects_of,$(CLI_TEST_BUILD)/$(1),$(2)))

# With a library of its own
CLI_TEST_MORE := cli_recorder cli_probe cli_leftovers
CLI_TEST_SRCS_cli_recorder := userspace/cli/record/loss.c userspace/cli/record/recorder.c
CLI_TEST_SRCS_cli_probe := $(addprefix userspace/cli/probe/,dynamic.c fetch.c field_expr.c \
	btf_types.c trace_header.c)
CLI_TEST_SRCS_cli_leftovers := $(addprefix userspace/cli/,common/progress.c common/size.c \
	record/assembly.c record/directory_lock.c record/incident_leftovers.c)

# $(1): variant
define CLI_TEST_VARIANT
$(CLI_TEST_BUILD)/$(1)/%: tests/unit/cli/%.c $(call CLI_TEST_OBJS,$(1),$(CLI_TEST_SRCS)) \
		$(CLI_TEST_DEPS)
	@mkdir -p $$(@D)
	$$(CC) $$(CLI_TEST_CFLAGS) $$(CLI_TEST_FLAGS_$(1)) -o $$@ \
		$$(filter %.c %.o,$$^) $$(LDFLAGS) -lcmocka -lbpf -lzstd -lpthread -lm
endef
$(foreach variant,plain asan,$(eval $(call CLI_TEST_VARIANT,$(variant))) \
	$(foreach test,$(CLI_TEST_MORE),$(eval $(CLI_TEST_BUILD)/$(variant)/$(test): \
		$(call CLI_TEST_OBJS,$(variant),$(CLI_TEST_SRCS_$(test))))))

# ThreadSanitizer finds data races.
CLI_TEST_TSAN := $(CLI_TEST_BUILD)/tsan/cli_pipeline
$(CLI_TEST_TSAN): tests/unit/cli/cli_pipeline.c userspace/cli/common/pipeline.c $(CLI_TEST_DEPS)
	@mkdir -p $(@D)
	$(CC) $(CLI_TEST_CFLAGS) -fsanitize=thread -o $@ $(filter %.c,$^) $(LDFLAGS) -lcmocka

# Compares the printers of `rbmap report` with libtraceevent.
CLI_PRINTER_SRCS := $(addprefix userspace/cli/,\
	$(addprefix show/,columns.c time_view.c text.c expression.c printer.c printer_compile.c plugin_printer.c \
		format_check.c syscalls.c task_names.c \
		json_layout.c value_names.c event_label.c) \
	trace_dat/symbols.c common/buf.c common/colour.c common/json.c common/printable.c)
$(call shared_objects,$(CLI_TEST_BUILD)/asan,$(sort $(CLI_TEST_SRCS) $(CLI_PRINTER_SRCS) \
	$(foreach test,$(CLI_TEST_MORE),$(CLI_TEST_SRCS_$(test)))),$$(CLI_TEST_CFLAGS) \
	$$(CLI_TEST_FLAGS_asan) $$(shell pkg-config --cflags libtraceevent),$(CLI_TEST_DEPS))
# $(call CLI_TEXT_PROGRAM,VARIANT,NAME)
CLI_TEXT_PROGRAMS := cli_printer cli_format
define CLI_TEXT_PROGRAM
$(CLI_TEST_BUILD)/$(1)/$(2): tests/unit/cli/$(2).c tests/tap/tap.c \
		$(call CLI_TEST_OBJS,$(1),$(CLI_PRINTER_SRCS)) $(CLI_TEST_DEPS) tests/tap/tap.h
	@mkdir -p $$(@D)
	$$(CC) $$(filter-out -D_GNU_SOURCE,$$(CLI_TEST_CFLAGS)) -D_GNU_SOURCE= $$(CLI_TEST_FLAGS_$(1)) \
		-Itests/tap $$(shell pkg-config --cflags libtraceevent) -o $$@ \
		$$(filter %.c %.o,$$^) $$(LDFLAGS) -ltraceevent -lseccomp -lpthread
endef
$(foreach variant,plain asan,$(foreach program,$(CLI_TEXT_PROGRAMS),\
	$(eval $(call CLI_TEXT_PROGRAM,$(variant),$(program)))))
CLI_PRINTERS := $(CLI_TEST_BUILD)/plain/cli_printer $(CLI_TEST_BUILD)/asan/cli_printer
CLI_FORMATS := $(CLI_TEST_BUILD)/plain/cli_format $(CLI_TEST_BUILD)/asan/cli_format

# Make recordings and types, for the scripts.
CLI_TEST_SYNTH := $(CLI_TEST_BUILD)/plain/cli_make_recording
CLI_TEST_EVENTS := $(CLI_TEST_BUILD)/plain/cli_make_events
$(CLI_TEST_EVENTS): tests/unit/cli/interval_events.c tests/unit/cli/interval_events.h
CLI_TEST_BTF := $(CLI_TEST_BUILD)/plain/cli_make_btf
CLI_TEST_RANDOM := $(CLI_TEST_BUILD)/plain/cli_make_random
CLI_TEST_LARGE := $(CLI_TEST_BUILD)/plain/cli_make_large
CLI_TEST_MAKERS := $(CLI_TEST_SYNTH) $(CLI_TEST_EVENTS) $(CLI_TEST_BTF) $(CLI_TEST_RANDOM) \
	$(CLI_TEST_LARGE)

# A recording of CONVERT_MB, which takes as much disk; not in make check
.PHONY: check-convert-large
check-convert-large: $(CLI_TEST_MAKERS) $(BUILD)/rbmap
	@RBMAP=$(BUILD)/rbmap MAKE_RANDOM=$(CLI_TEST_RANDOM) MAKE_EVENTS=$(CLI_TEST_EVENTS) \
		MAKE_LARGE=$(CLI_TEST_LARGE) tests/cli/convert_large.sh

.PHONY: check-unit-cli
check-unit-cli: $(CLI_TEST_BINARIES) $(CLI_TEST_TSAN) $(CLI_PRINTERS) $(CLI_FORMATS) \
		$(CLI_TEST_MAKERS) $(BUILD)/rbmap
	@status=0; for test in $(CLI_TEST_BINARIES) $(CLI_TEST_TSAN); do \
		echo "# $$test"; \
		CMOCKA_MESSAGE_OUTPUT=TAP $$test || status=1; \
	done; \
	for test in $(CLI_PRINTERS); do \
		echo "# $$test"; \
		$$test tests/unit/lib/formats 2000 || status=1; \
	done; \
	for test in $(CLI_FORMATS); do \
		echo "# $$test"; \
		$$test || status=1; \
	done; \
	for test in usage options settings install report latency top html probe doctor colour convert; do \
		echo "# $$test.sh"; \
		RBMAP=$(BUILD)/rbmap MAKE_RECORDING=$(CLI_TEST_SYNTH) \
			MAKE_EVENTS=$(CLI_TEST_EVENTS) MAKE_RANDOM=$(CLI_TEST_RANDOM) \
			MAKE_LARGE=$(CLI_TEST_LARGE) CLI_TOP=$(CLI_TEST_BUILD)/plain/cli_top \
			MAKE_BTF=$(CLI_TEST_BTF) tests/cli/$$test.sh || status=1; \
	done; exit $$status
