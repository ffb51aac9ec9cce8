# SPDX-License-Identifier: GPL-2.0-only
#
#	make fuzz		run each for FUZZ_SECONDS (60)
#	make fuzz-user		those of user space, with clang's libFuzzer
#	make fuzz-fleet		messages for the collector
#
#	make fuzz-vm		system calls on a kernel with KASAN, lockdep and kmemleak,
#				and at the same time on one with KCSAN
#
# cli_text takes the formats below RBMAP_FUZZ_EVENTS: those of the module if it is loaded,
# else those of tests/unit/lib.

FUZZ_CC		?= clang
FUZZ_SECONDS	?= 60
FUZZ_BUILD	:= $(BUILD)/fuzz
export RBMAP_FUZZ_EVENTS ?= $(or $(wildcard /sys/kernel/rbmap/events),$(FUZZ_BUILD)/formats)
FUZZ_CFLAGS	= -std=gnu11 -g -O1 -Wall -Wextra -D_GNU_SOURCE -Iuapi \
		  -Iuserspace -I$(LIB_DIR) -fsanitize=fuzzer,address,undefined \
		  -fno-sanitize-recover=all \
		  -DRBMAP_LIB_VERSION='"$(VERSION)"' \
		  $(shell pkg-config --cflags libtraceevent)

FUZZ_LIB	:= $(LIB_SRCS:%=$(LIB_DIR)/%)
FUZZ_BASE	:= $(wildcard userspace/base/*.c)
# The tables of tasks, disks and hosts in a recording
FUZZ_TABLES	:= $(addprefix userspace/lib/recording/,dat_cgroups.c dat_devices.c dat_hosts.c)
# The fuzzers have no recording.
FUZZ_TEXT	:= $(FUZZ_BASE) $(filter-out %/json_head.c %/rbmap_report.c %/session_recording.c, \
		   $(wildcard userspace/lib/print/*.c userspace/lib/print/fields/*.c)) userspace/lib/symbols/symbols.c $(FUZZ_TABLES)
FUZZ_FIELDS	:= $(FUZZ_BASE) $(addprefix userspace/live/probe/,fetch.c fetch_place.c field_expr.c btf_types.c)
FUZZ_DAT	:= $(FUZZ_BASE) $(wildcard $(addprefix userspace/lib/,recording/write/*.c \
		   recording/assemble/*.c symbols/*.c))
# Small limits, so that an input can exceed them
FUZZ_LIMITS	:= -DDAT_HEADERS_MAX=0x400000 -DDAT_DATA_BASE=0x400000 -DDAT_MEMORY_BASE=0x400000
FUZZ_INTERVALS	:= $(FUZZ_BASE) $(filter-out %/load.c,$(wildcard userspace/intervals/*.c \
		   userspace/intervals/summary/*.c)) \
		   $(addprefix userspace/lib/print/,columns.c task_fields.c task_names.c time_view.c fields/syscall_abi.c \
		   fields/syscalls.c) $(wildcard userspace/lib/formats/*.c) userspace/lib/symbols/symbols.c \
		   $(FUZZ_TABLES)
FUZZ_HTML	:= $(addprefix userspace/cli/report/html/,cpu_lane.c device_lane.c interval_lane.c \
		   meta.c page.c task_lane.c) $(wildcard userspace/cli/report/html/data/*.c) \
		   userspace/command/pipeline.c userspace/input/selector.c
FUZZ_CONVERT	:= $(filter-out userspace/lib/print/json_lines.c,$(FUZZ_TEXT)) \
		   $(addprefix userspace/cli/convert/,output.c systrace.c $(notdir \
		   $(wildcard userspace/cli/convert/perfetto*.c)))
FUZZ_CLI_HEADERS := $(wildcard userspace/*/*.h userspace/*/*/*.h userspace/*/*/*/*.h userspace/*/*/*/*/*.h)
FUZZERS		:= lib_decode lib_formats lib_map lib_observe lib_merge lib_open filter_text cli_fields \
		   dynamic_line cli_text cli_dat cli_filter cli_intervals cli_why cli_convert cli_html

$(FUZZ_BUILD)/lib_%: tests/fuzz/lib_%.c tests/fuzz/lib_device.c $(FUZZ_LIB) \
		tests/fuzz/lib_device.h
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^)

# The program has these system calls itself.
$(FUZZ_BUILD)/lib_open: tests/fuzz/lib_open.c $(FUZZ_LIB)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -Wl,--wrap=fstat,--wrap=ioctl,--wrap=mmap,--wrap=splice \
		-o $@ $^

$(FUZZ_BUILD)/cli_dat: tests/fuzz/cli_dat.c $(FUZZ_DAT) $(FUZZ_LIB) tests/unit/cli/cli_synth.h \
		$(FUZZ_CLI_HEADERS)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) $(FUZZ_LIMITS) $(USER_INCLUDES) -Iuserspace/cli -o $@ \
		$(filter %.c,$^) -lzstd

$(FUZZ_BUILD)/filter_text: tests/fuzz/filter_text.c \
		tests/unit/filter/filter_fixture.c tests/unit/filter/filter_fixture.h \
		$(filter-out %/build.c %/build_writer.c,$(wildcard module/filter/*.[ch])) \
		userspace/filter/platform.h
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -Iuserspace -Itests/unit/filter -Imodule/filter -o $@ \
		$(filter %.c,$^)

FUZZ_FILTER	:= $(KERNEL_FILTER_SRCS) userspace/filter/event_filter.c $(wildcard userspace/lib/formats/*.c) \
		   userspace/lib/error.c
$(FUZZ_BUILD)/cli_filter: tests/fuzz/cli_filter.c $(FUZZ_FILTER) $(wildcard module/filter/*.h) $(FUZZ_CLI_HEADERS)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -I. -o $@ $(filter %.c,$^)

$(FUZZ_BUILD)/dynamic_line: tests/fuzz/dynamic_line.c \
		tests/unit/dynamic/dynamic_memory.c tests/unit/dynamic/dynamic_memory.h \
		$(addprefix module/dynamic/,parse.c fetch.c print.c) \
		$(wildcard module/dynamic/*.h tests/shim/dynamic/*.h)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -Itests/shim -Imodule/dynamic -Imodule -Imodule/include -o $@ $(filter %.c,$^)

# Formats without the comments of the files.
$(FUZZ_BUILD)/formats: $(wildcard tests/unit/lib/formats/*/*/format tests/fuzz/formats/*/*/format)
	@for format in $^; do \
		to=$@/$${format#tests/*/formats/} && mkdir -p "$${to%/format}" && \
		sed '/^#/d' "$$format" >"$$to" || exit 1; \
	done

$(FUZZ_BUILD)/cli_text: tests/fuzz/cli_text.c $(FUZZ_TEXT) $(FUZZ_CLI_HEADERS) | $(FUZZ_BUILD)/formats
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) $(USER_INCLUDES) -Iuserspace/cli -o $@ $(filter %.c,$^) \
		-ltraceevent -lseccomp

# The program has the recording itself.
$(FUZZ_BUILD)/cli_convert: tests/fuzz/cli_convert.c $(FUZZ_CONVERT) $(CLI_MADE_C) $(FUZZ_CLI_HEADERS) \
		| $(FUZZ_BUILD)/formats
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) $(USER_INCLUDES) -Iuserspace/cli -I$(CLI_MADE) -o $@ $(filter %.c,$^) \
		-ltraceevent -lseccomp -lprotobuf-c

FUZZ_EVENTS	:= tests/fuzz/fuzz_events.c tests/unit/cli/interval_events.c
FUZZ_EVENTS_HEADERS := tests/fuzz/fuzz_events.h tests/unit/cli/interval_events.h

$(FUZZ_BUILD)/cli_html: tests/fuzz/cli_html.c $(FUZZ_EVENTS) $(FUZZ_HTML) \
		$(sort $(FUZZ_INTERVALS) $(FUZZ_TEXT) $(FUZZ_FILTER)) $(wildcard module/filter/*.h) \
		$(FUZZ_CLI_HEADERS) $(FUZZ_EVENTS_HEADERS)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) $(USER_INCLUDES) -Iuserspace/cli -I. -o $@ $(filter %.c,$^) \
		-ltraceevent -lseccomp -lz

$(FUZZ_BUILD)/cli_intervals: tests/fuzz/cli_intervals.c $(FUZZ_EVENTS) $(FUZZ_INTERVALS) \
		$(FUZZ_CLI_HEADERS) $(FUZZ_EVENTS_HEADERS)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) $(USER_INCLUDES) -Iuserspace/cli -o $@ $(filter %.c,$^) \
		-ltraceevent -lseccomp

FUZZ_WHY	:= $(addprefix userspace/intervals/why/,cause.c cause_run.c cause_sleep.c history.c \
		   sentence.c stall.c why_view.c)
$(FUZZ_BUILD)/cli_why: tests/fuzz/cli_why.c $(FUZZ_EVENTS) $(FUZZ_INTERVALS) $(FUZZ_WHY) \
		$(FUZZ_CLI_HEADERS) $(FUZZ_EVENTS_HEADERS)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) $(USER_INCLUDES) -Iuserspace/cli -o $@ $(filter %.c,$^) \
		-ltraceevent -lseccomp

$(FUZZ_BUILD)/cli_fields: tests/fuzz/cli_fields.c $(FUZZ_FIELDS) $(FUZZ_CLI_HEADERS)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) $(USER_INCLUDES) -Iuserspace/cli -o $@ $(filter %.c,$^) -lbpf

# Linked statically, for a guest.
FUZZ_DEVICE	:= $(BUILD)/tests/fuzz/fuzz_device

$(FUZZ_DEVICE): $(wildcard tests/fuzz/device*.[ch]) tests/tap/tap.c tests/tap/tap.h \
		tests/vm/client/client.c tests/vm/client/client.h \
		tests/unit/filter/filter_grammar.c tests/unit/filter/filter_grammar.h \
		uapi/linux/rbmap.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 -Wall -Wextra -static -pthread \
		-Iuapi -Itests/vm/client -Itests/tap -o $@ $(filter %.c,$^)

check-vm-programs: $(FUZZ_DEVICE)

# fuzz-user does not need the libraries of the fleet's commands.
$(FUZZ_BUILD)/fleet_message: tests/fuzz/fleet_message.c $(FLEET_COMMON) $(BUILD)/lib/all.a \
		$(filter-out $(FLEET_DIR)/main.c,$(wildcard $(FLEET_DIR)/*.c $(FLEET_DIR)/*/*.c $(FLEET_DIR)/*/*/*.c)) \
		$(wildcard $(FLEET_DIR)/*/*.h $(FLEET_DIR)/*/*/*.h) | check-fleet-libs
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) $(filter-out -MMD -MP,$(FLEET_CFLAGS)) -o $@ \
		$(filter %.c,$^) $(filter %.a,$^) $(shell $(PKG_CONFIG) --libs $(FLEET_LIBS)) -lpthread -lm -ldl

.PHONY: fuzz fuzz-user fuzz-fleet fuzz-vm list-fuzzers check-fuzzers
fuzz-fleet: $(FUZZ_BUILD)/fleet_message
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_BUILD=$(FUZZ_BUILD) tests/fuzz/run fleet_message

fuzz: fuzz-user fuzz-vm

fuzz-vm:
	@tests/install-packages build check vm debug
	@$(MAKE) --no-print-directory -s user check-vm-programs
	@for flavour in kasan kcsan; do \
		tests/vm/lib/kernel fetch 6.12 --flavour $$flavour >/dev/null || exit 1; \
	done
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/vm/check --jobs 2 6.12-kasan/2/fuzz 6.12-kcsan/2/fuzz

fuzz-user: $(FUZZERS:%=$(FUZZ_BUILD)/%)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_BUILD=$(FUZZ_BUILD) tests/fuzz/run $(FUZZERS)

# Without the sanitizers and without a run
check-fuzzers: user
	@BUILD=$(BUILD) tests/fuzz/links $(FUZZERS)

# For make test
list-fuzzers:
	@printf '%s\n' $(FUZZERS) fleet_message
