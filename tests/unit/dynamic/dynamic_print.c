// SPDX-License-Identifier: GPL-2.0-only
/* Tests that libtraceevent prints records by their formats. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>
#include <cmocka.h>

#include "dynamic_memory.h"

static struct rbmap_fetch_args args;

static const char *type_of(const struct rbmap_fetch *fetch)
{
	static char type[32];

	if (fetch->kind == RBMAP_FETCH_STRING)
		return "__data_loc char[]";
	snprintf(type, sizeof(type), "%c%u", fetch->form == 's' ? 's' : 'u',
		 8 * fetch->size);
	return type;
}

/* Write the format as module/event/format.c does. */
static size_t format_of(const struct rbmap_fetch_program *program, char *text)
{
	char *at = text;

	at += sprintf(at, "name: e\nID: 7\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:u32 __faults;\toffset:%u;\tsize:4;\tsigned:0;\n",
		program->faults);
	for (unsigned int i = 0; i < program->nr; i++) {
		const struct rbmap_fetch *fetch = &program->fetch[i];

		at += sprintf(at, "\tfield:%s %s", type_of(fetch), fetch->name);
		if (fetch->elements)
			at += sprintf(at, "[%u]", fetch->elements);
		at += sprintf(at, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n",
			      fetch->at,
			      fetch->size * (fetch->elements ?: 1),
			      fetch->form == 's');
	}
	at += sprintf(at, "\nprint fmt: ");
	at += rbmap_fetch_print_fmt(program, at, 1 << 20);
	at += sprintf(at, "\n");
	return at - text;
}

static void prints(const char *fields, const char *wanted)
{
	struct tep_handle *tep = tep_alloc();
	struct rbmap_dynamic_line line;
	struct tep_record event = { 0 };
	char *text = malloc(1 << 21);
	struct trace_seq seq;
	size_t size;

	snprintf(text, 4096, "t:g/e tp %s", fields);
	line_parse(text, &line);
	size = format_of(&line.program, text);
	assert_int_equal(tep_parse_event(tep, text, size, "g"), 0);
	event.data = record_make(&line.program, &args, &size);
	memset(event.data, 0, RECORD_HEADER);
	*(uint16_t *)event.data = 7;
	event.size = size;
	trace_seq_init(&seq);
	tep_print_event(tep, &seq, &event, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	assert_string_equal(seq.buffer, wanted);
	trace_seq_destroy(&seq);
	free(event.data);
	free(text);
	tep_free(tep);
}

static int setup(void **state)
{
	(void)state;
	memory_reset();
	memset(&args, 0, sizeof(args));
	return 0;
}

static void test_numbers(void **state)
{
	(void)state;
	args.registers[0] = -1;
	args.registers[1] = 0x80;
	prints("", "");
	prints("a=$arg1:u8 b=$arg1:u16 c=$arg1:u32 d=$arg1:u64",
	       "a=255 b=65535 c=4294967295 d=18446744073709551615");
	prints("a=$arg1:s8 b=$arg1:s16 c=$arg1:s32 d=$arg1:s64",
	       "a=-1 b=-1 c=-1 d=-1");
	prints("a=$arg1:x8 b=$arg1:x16 c=$arg1:x32 d=$arg1:x64",
	       "a=0xff b=0xffff c=0xffffffff d=0xffffffffffffffff");
	prints("a=$arg2:b1@7/8 b=$arg2:sb1@7/8 c=$arg2:sb2@6/16",
	       "a=1 b=-1 c=-2");
}

static void test_arrays(void **state)
{
	static const uint8_t bytes[] = { 1, 255, 3, 0, 5, 6, 7, 8 };

	(void)state;
	memory_put(MEMORY, bytes, sizeof(bytes));
	args.registers[0] = MEMORY;
	prints("a=+0($arg1):u8[4] b=+0($arg1):x16[2] c=+0($arg1):s8[2]",
	       "a={1,255,3,0} b={0xff01,0x3} c={1,-1}");
	prints("a=+0($arg1):u64[1] b=+4($arg1):s32[1]",
	       "a={578437695685263105} b={134678021}");
}

static void test_strings(void **state)
{
	(void)state;
	strcpy((char *)memory, "text with %s \"quotes\"");
	args.registers[0] = MEMORY;
	args.registers[1] = 5;
	prints("n=$arg2:u32 a=$arg1:string b=+5($arg1):string",
	       "n=5 a=text with %s \"quotes\" b=with %s \"quotes\"");
}

static void test_faults(void **state)
{
	char fields[2048] = "", wanted[2048] = "";

	(void)state;
	args.registers[1] = 5;
	prints("a=+0($arg1):u32 b=$arg2:u8 c=+0($arg1):string d=+0($arg1):x8[2] e=+0($arg1):s64",
	       "a=0(fault) b=5 c=(fault) d={0x0,0x0}(fault) e=0(fault)");
	/* 32 fields: the last one uses the last bit of faults. */
	for (unsigned int i = 0; i < 32; i++) {
		sprintf(fields + strlen(fields), "f%u=%s:s32 ", i,
			i % 2 ? "+0($arg1)" : "$arg2");
		sprintf(wanted + strlen(wanted), "%sf%u=%s", i ? " " : "", i,
			i % 2 ? "0(fault)" : "5");
	}
	prints(fields, wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_numbers, setup),
		cmocka_unit_test_setup(test_arrays, setup),
		cmocka_unit_test_setup(test_strings, setup),
		cmocka_unit_test_setup(test_faults, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
