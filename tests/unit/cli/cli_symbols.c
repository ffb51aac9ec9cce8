// SPDX-License-Identifier: GPL-2.0-only
/* The addresses that events print as symbols, and the symbols that are asked for. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli_synth.h"
#include "symbols/symbol_use.h"
#include "symbols/symbols.h"

#define BASE		0xffffffff81000000ull
#define NR_FIELDS	8

/* An event with fields of 8 bytes, a to h. */
static const char fields[] =
	"name: call\nID: 3\n" SYNTH_COMMON
	"\tfield:void * a;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long b;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 c[2];\toffset:24;\tsize:16;\tsigned:0;\n"
	"\tfield:void * ab;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:int e;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:int f;\toffset:52;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: ";

static uint64_t asked[70000];
static size_t nr_asked;
static int read_result;

/* Each address has a function that begins 16 bytes before. */
static int read_symbols(const uint64_t *addr, size_t nr, struct buf *kallsyms)
{
	for (size_t i = 0; i < nr; i++) {
		asked[nr_asked++] = addr[i];
		buf_printf(kallsyms, "%016" PRIx64 " t f%" PRIx64 "\n", addr[i] - 16, addr[i]);
	}
	return read_result;
}

static int setup(void **state)
{
	(void)state;
	nr_asked = 0;
	read_result = 0;
	return 0;
}

static bool was_asked(uint64_t addr)
{
	for (size_t i = 0; i < nr_asked; i++)
		if (asked[i] == addr)
			return true;
	return false;
}

/* Add an event of six words, the first one at offset 8. */
static void add_event(struct symbol_use *use, const uint64_t *words)
{
	struct {
		struct rbmap_event_common common;
		uint64_t words[6];
	} ev = { .common = { .type = SYNTH_CALL } };
	struct synth s = { 0 };

	memcpy(ev.words, words, sizeof(ev.words));
	synth_begin(&s, 5000);
	assert_true(synth_add(&s, 5000, &ev, sizeof(ev)));
	assert_int_equal(symbol_use_add_page(use, s.bytes, SYNTH_SUBBUF), 0);
}

/* @wanted: the fields that are asked for as addresses, as numbers of the words from offset 8 */
static void check(const char *print, const char *wanted)
{
	const uint64_t words[6] = { BASE, BASE + 1, BASE + 2, BASE + 3, BASE + 4, BASE + 5 };
	struct symbol_use *use = symbol_use_new();
	struct buf out = { 0 };
	char format[1024];

	assert_non_null(use);
	nr_asked = 0;
	snprintf(format, sizeof(format), "%s%s\n", fields, print);
	assert_int_equal(symbol_use_add_format(use, format), 0);
	add_event(use, words);
	assert_int_equal(symbol_use_read(use, read_symbols, &out), 0);
	for (int i = 0; i < 6; i++)
		if (was_asked(words[i]) != (strchr(wanted, '0' + i) != NULL))
			fail_msg("%s: word %d is wrong", print, i);
	buf_free(&out);
	symbol_use_free(use);
}

static void test_fields(void **state)
{
	(void)state;
	check("\"%ps\", REC->a", "0");
	check("\"%p %pS\", REC->a, REC->b", "1");
	check("\"a=%pS\", (void *)REC->ab", "4");
	check("\"%d%%pS %p\", REC->e, REC->a", "");
	check("\"%*d %-16ps\", 3, REC->e, (void *)REC->b", "1");
	check("\"%.*s %pF %lx\", 1, \"x,%ps\", REC->b, REC->a", "1");
	check("\"%s \" \"%pB\", __print_symbolic(REC->e, { 0, \"a,b\" }), REC->a", "0");
	check("\"%ps\", REC->c", "23");
	check("\"%ps\", (REC->a ? REC->a : REC->b)", "01");
	check("\"\\\"%ps\\\" %p\", REC->a, REC->b", "0");
	check("\"%ps %s\", REC->e, \"REC->a\"", "");
	check("\"%ps", "");
	check("\"%ps\"", "");
	check("", "");
	check("\"%ps %", "");
}

/* Hashes and addresses of programs are not asked for. */
static void test_halves(void **state)
{
	const uint64_t words[][6] = { { 0x12345678 }, { 0x7fffffffffff }, { 0 }, { BASE } };
	struct symbol_use *use = symbol_use_new();
	struct buf out = { 0 };
	char format[1024];

	(void)state;
	snprintf(format, sizeof(format), "%s\"%%ps\", REC->a\n", fields);
	assert_int_equal(symbol_use_add_format(use, format), 0);
	for (int i = 0; i < 3; i++)
		add_event(use, words[i]);
	assert_int_equal(symbol_use_read(use, read_symbols, &out), 0);
	assert_int_equal(nr_asked, 0);
	assert_int_equal(out.size, 0);
	add_event(use, words[3]);
	read_result = -EPERM;
	assert_int_equal(symbol_use_read(use, read_symbols, &out), -EPERM);
	assert_int_equal(out.size, 0);
	read_result = 0;
	assert_int_equal(symbol_use_read(use, read_symbols, &out), 0);
	buf_add(&out, "", 1);
	assert_string_equal(out.data, "ffffffff80fffff0 t fffffffff81000000\n");
	buf_free(&out);
	symbol_use_free(use);
}

/* There is a limit, and addresses beyond it are counted. */
static void test_limit(void **state)
{
	struct symbol_use *use = symbol_use_new();
	struct buf out = { 0 };
	uint64_t words[6] = { 0 };
	char format[1024];

	(void)state;
	snprintf(format, sizeof(format), "%s\"%%ps\", REC->a\n", fields);
	assert_int_equal(symbol_use_add_format(use, format), 0);
	for (unsigned int i = 0; i < 65536; i++) {
		words[0] = BASE + 64 * i;
		add_event(use, words);
	}
	assert_int_equal(symbol_use_left_out(use), 0);
	add_event(use, words);
	assert_int_equal(symbol_use_left_out(use), 0);
	for (unsigned int i = 0; i < 3; i++) {
		words[0] = BASE + 1 + i;
		add_event(use, words);
	}
	assert_int_equal(symbol_use_left_out(use), 3);
	assert_int_equal(symbol_use_read(use, read_symbols, &out), 0);
	assert_int_equal(nr_asked, 65536);
	buf_free(&out);
	symbol_use_free(use);
}

/* A user's address is behind the offsets of variables, and belongs to none of them. */
static void test_absolute(void **state)
{
	static const char text[] = "0000000000000000 A fixed_percpu_data\n"
				   "0000000000036000 A __per_cpu_end\n"
				   "ffffffff81000000 T _text\n"
				   "ffffffff81000010 a absolute\n";
	struct symbols *symbols = symbols_new();

	(void)state;
	assert_non_null(symbols);
	assert_int_equal(symbols_add(symbols, text, strlen(text)), 0);
	assert_null(symbols_find(symbols, 0x47b5e1));
	assert_string_equal(symbols_find(symbols, 0xffffffff81000018)->name, "_text");
	symbols_free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_fields, setup),
		cmocka_unit_test_setup(test_halves, setup),
		cmocka_unit_test_setup(test_limit, setup),
		cmocka_unit_test(test_absolute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
