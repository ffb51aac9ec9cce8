// SPDX-License-Identifier: GPL-2.0-only
/* Tests of fetch programs, on memory that is partly missing and that changes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dynamic_memory.h"

static struct rbmap_dynamic_line line;
static struct rbmap_fetch_args args;
static unsigned char *record;
static size_t record_size;

static int setup(void **state)
{
	(void)state;
	memory_reset();
	memset(&args, 0, sizeof(args));
	record = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(record);
	return 0;
}

static void run(const char *fields)
{
	char text[1024];

	snprintf(text, sizeof(text), "t:g/e tp %s", fields);
	line_parse(text, &line);
	free(record);
	record = record_make(&line.program, &args, &record_size);
	for (size_t i = 0; i < RECORD_HEADER; i++)
		assert_int_equal(record[i], 0xee);
}

static uint32_t faults(void)
{
	uint32_t word;

	memcpy(&word, record + line.program.faults, sizeof(word));
	return word;
}

/* The value of a numeric field, read by the format. */
static uint64_t value(unsigned int i)
{
	const struct rbmap_fetch *fetch = &line.program.fetch[i];
	uint64_t word = 0;

	memcpy(&word, record + fetch->at, fetch->size);
	return word;
}

static const char *string(unsigned int i)
{
	uint32_t where = value(i);

	assert_in_range((where & 0xffff) + (where >> 16), 0, record_size);
	assert_int_equal(record[(where & 0xffff) + (where >> 16) - 1], 0);
	return (const char *)record + (where & 0xffff);
}

static void test_registers(void **state)
{
	(void)state;
	args.registers[0] = 0x8182838485868788;
	args.registers[4] = 5;
	run("a=$arg1:u8 b=$arg1:s16 c=$arg1:u32 d=$arg1:s64 e=$arg5:u64");
	assert_int_equal(value(0), 0x88);
	assert_int_equal(value(1), 0x8788);
	assert_int_equal(value(2), 0x85868788);
	assert_true(value(3) == 0x8182838485868788);
	assert_int_equal(value(4), 5);
	assert_int_equal(faults(), 0);
	assert_int_equal(memory_reads, 0);
	run("");
	assert_int_equal(faults(), 0);
	assert_int_equal(record_size, 12);
}

static void test_stack(void **state)
{
	static const uint64_t words[] = { 6, 7, 8, 9, 10, 11, 12 };

	(void)state;
	args.stack = MEMORY;
	memory_put(MEMORY, words, sizeof(words));
	run("a=$arg6:u64 b=$arg12:u8 c=$arg9:u16");
	assert_int_equal(value(0), 6);
	assert_int_equal(value(1), 12);
	assert_int_equal(value(2), 9);
	/* Arguments beyond the stack's end fault. */
	args.stack = MEMORY_END - 16;
	memory_put(args.stack, words, 16);
	run("a=$arg6:u64 b=$arg7:u64 c=$arg8:u64 d=$arg12:string");
	assert_int_equal(value(0), 6);
	assert_int_equal(value(1), 7);
	assert_int_equal(value(2), 0);
	assert_int_equal(faults(), 0xc);
	assert_string_equal(string(3), "(fault)");
}

static void test_pointers(void **state)
{
	uint64_t first = MEMORY + 0x1000, second = MEMORY + 0x800;
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 0xf8 };

	(void)state;
	memory_put(MEMORY + 0x10, &first, 8);
	memory_put(first - 4, &second, 8);
	memory_put(second + 0x7f, bytes, sizeof(bytes));
	args.registers[1] = MEMORY;
	run("a=+0x7f(-4(+16($arg2))):u8 b=+127(-4(+16($arg2))):u64 c=+16($arg2):u64 d=+0x86(-4(+16($arg2))):s8");
	assert_int_equal(value(0), 1);
	assert_true(value(1) == 0xf807060504030201);
	assert_int_equal(value(2), first);
	assert_int_equal(value(3), 0xf8);
	assert_int_equal(faults(), 0);
	/* Each dereference may fault. */
	run("a=+8($arg1):u8 b=+0(+8($arg2)):u8 c=+0(+0(+16($arg2))):u8 d=+8192($arg2):u8 e=+8191($arg2):u16 f=-1($arg2):u8 g=+8191($arg2):u8");
	assert_int_equal(faults(), 0x3f);
	for (unsigned int i = 0; i < 6; i++)
		assert_int_equal(value(i), 0);
	/* Around the last address. */
	args.registers[0] = -4;
	args.registers[1] = 4;
	run("a=+0($arg1):u64 b=-8($arg2):u64 c=+2147483647($arg1):u8 d=-2147483647($arg2):u8");
	assert_int_equal(faults(), 0xf);
}

static void test_bits(void **state)
{
	static const uint32_t word = 0xb5c0ffee;

	(void)state;
	memory_put(MEMORY, &word, sizeof(word));
	args.registers[0] = MEMORY;
	args.registers[1] = 0xffffffffffffff6d;
	run("a=+0($arg1):b4@0/32 b=+0($arg1):b12@12/32 c=+0($arg1):sb4@28/32 d=$arg2:b3@1/8 e=$arg2:sb2@5/8 f=$arg2:b1@0/64 g=$arg2:sb64@0/64 h=+0($arg1):b32@0/32");
	assert_int_equal(value(0), 0xe);
	assert_int_equal(value(1), 0xc0f);
	assert_int_equal(value(2), 0xfffffffb);
	assert_int_equal(value(3), 6);
	assert_int_equal(value(4), 0xff);
	assert_int_equal(value(5), 1);
	assert_true(value(6) == 0xffffffffffffff6d);
	assert_int_equal(value(7), word);
}

static void test_arrays(void **state)
{
	static const int16_t numbers[] = { 1, -2, 3, -4 };

	(void)state;
	memory_put(MEMORY_END - sizeof(numbers), numbers, sizeof(numbers));
	args.registers[0] = MEMORY_END - sizeof(numbers);
	run("a=+0($arg1):s16[4] b=$arg1:u8 c=+0($arg1):s16[5] d=+1($arg1):s64[1]");
	assert_memory_equal(record + line.program.fetch[0].at, numbers,
			    sizeof(numbers));
	/* An array is read completely or not at all. */
	assert_int_equal(faults(), 0xc);
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(record[line.program.fetch[2].at + i], 0);
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(record[line.program.fetch[3].at + i], 0);
}

/* Strings of each length up to truncated ones, at each alignment, at the end of memory. */
static void test_strings(void **state)
{
	char text[400], wanted[400];

	(void)state;
	for (unsigned int len = 0; len < 300; len++) {
		unsigned int cut = len > 255 ? 255 : len;

		memset(text, 'x', len);
		text[len] = 0;
		for (unsigned int i = 0; i < len; i++)
			text[i] = 'a' + (i + len) % 26;
		memcpy(wanted, text, cut);
		wanted[cut] = 0;
		memory_put(MEMORY_END - len - 1, text, len + 1);
		args.registers[0] = MEMORY_END - len - 1;
		args.registers[1] = MEMORY + 64 + len % 8;
		memory_put(args.registers[1], text, len + 1);
		args.registers[2] = MEMORY + 8;
		memory_put(MEMORY + 8, &args.registers[1], 8);
		run("a=$arg1:string n=$arg1:u8 b=+0(+0($arg3)):string c=+3(+0($arg3)):string");
		assert_string_equal(string(0), wanted);
		assert_string_equal(string(2), wanted);
		if (len >= 3 && len <= 258)
			assert_string_equal(string(3), text + 3);
		assert_int_equal(faults(), 0);
		assert_int_equal(record_size, line.program.size +
				 (value(0) >> 16) + (value(2) >> 16) +
				 (value(3) >> 16));
		assert_int_equal(value(0) >> 16, cut + 1);
	}
	/* A string without an end. */
	memset(memory + MEMORY_SIZE - 20, 'x', 20);
	args.registers[0] = MEMORY_END - 20;
	run("a=$arg1:string b=$arg2:string");
	assert_string_equal(string(0), "(fault)");
	assert_int_equal(faults(), 1);
}

/* Strings that change between measuring and copying: shorter, longer, gone. */

static unsigned long change_at;
static void (*change)(void);

static void change_hook(unsigned long nr)
{
	if (nr == change_at)
		change();
}

static void get_shorter(void)
{
	memory[2] = 0;
}

static void get_longer(void)
{
	memset(memory, 'y', 600);
}

/* Later reads fault, as if the memory had gone. */
static void get_lost(void)
{
	args.blind = true;
}

static void test_changes(void **state)
{
	static void (*const changes[])(void) = {
		get_shorter, get_longer, get_lost
	};
	unsigned long reads;

	(void)state;
	for (unsigned int kind = 0; kind < 3; kind++) {
		for (reads = 0; reads < 12; reads++) {
			memory_reset();
			args.blind = false;
			strcpy((char *)memory, "a string of some length");
			args.registers[0] = MEMORY;
			change = changes[kind];
			change_at = reads;
			memory_hook = change_hook;
			run("a=$arg1:string b=+0($arg1):string");
			/* string() checks the terminating 0 and the bounds. */
			assert_true(strlen(string(0)) <= 255);
			assert_true(strlen(string(1)) <= 255);
			if (kind == 2)
				continue;
			assert_int_equal(faults(), 0);
			for (const char *c = string(1); *c; c++)
				assert_true(*c == 'y' ||
					    strchr("a string of some length", *c));
		}
	}
}

/* "(fault)" is truncated to the room of the string. */
static void test_short_fault(void **state)
{
	(void)state;
	strcpy((char *)memory, "abc");
	args.registers[0] = MEMORY;
	change = get_lost;
	change_at = 1;
	memory_hook = change_hook;
	run("a=$arg1:string");
	assert_int_equal(value(0) >> 16, 4);
	/* blind is tested before the hook is called: set it before the run. */
	memory_reset();
	args.blind = true;
	run("a=$arg1:string b=+0($arg1):u8 c=$arg1:u8 d=$arg6:u8");
	assert_string_equal(string(0), "(fault)");
	assert_int_equal(faults(), 0xb);
	assert_int_equal(memory_reads, 0);
}

/* Only kernel addresses in 64-bit hexadecimal fields are hidden. */
static void test_hidden(void **state)
{
	uint64_t address = MEMORY + 0x123, words[] = { address, 7, address };

	(void)state;
	memory_put(MEMORY, words, sizeof(words));
	args.registers[0] = address;
	args.registers[1] = MEMORY;
	args.registers[2] = -22;
	args.registers[3] = 0x7fffffffffff;
	run("a=$arg1:x64 b=+0($arg2):x64 c=+0($arg2):x64[3] d=$arg1:u64 e=$arg3:x64 f=$arg4:x64 g=$arg1:x32");
	assert_int_equal(value(0), (uint32_t)address ^ 0x5a5a5a5a);
	assert_int_equal(value(1), value(0));
	words[0] = value(0);
	words[2] = value(0);
	assert_memory_equal(record + line.program.fetch[2].at, words,
			    sizeof(words));
	assert_true(value(3) == address);
	assert_true(value(4) == (uint64_t)-22);
	assert_true(value(5) == 0x7fffffffffff);
	assert_int_equal(value(6), (uint32_t)address);
	args.addresses = 1;
	run("a=$arg1:x64");
	assert_true(value(0) == address);
}

/* A record with addresses that is hidden afterwards is one that was hidden at once. */
static void test_hidden_later(void **state)
{
	static const char line_text[] =
		"a=$arg1:x64 b=+0($arg2):x64 s=+32($arg2):string c=+0($arg2):x64[3] d=$arg1:u64 e=$arg3:x64 f=+0($arg2):u64[2] g=$arg1:x32 h=$arg4:x64";
	uint64_t address = MEMORY + 0x123, words[] = { address, 7, address, -1 };
	unsigned char hidden[RECORD_MAX];
	size_t size;

	(void)state;
	memory_put(MEMORY, words, sizeof(words));
	memory_put(MEMORY + 32, "text", 5);
	args.registers[0] = address;
	args.registers[1] = MEMORY;
	args.registers[2] = -22;
	args.registers[3] = 0x7fffffffffff;
	run(line_text);
	size = record_size;
	memcpy(hidden, record, size);
	args.addresses = 1;
	run(line_text);
	assert_int_equal(record_size, size);
	assert_memory_not_equal(record, hidden, size);
	rbmap_fetch_hide_all(&line.program, record, size);
	assert_memory_equal(record, hidden, size);
}

/* All bytes of the fields are written, those of fields that fault as well. */
static void test_written(void **state)
{
	(void)state;
	args.registers[1] = 0xffffffffffffffff;
	run("a=$arg2:u8 b=$arg2:s8 c=$arg2:u16 d=$arg1:string");
	for (size_t i = RECORD_HEADER; i < record_size; i++)
		assert_int_not_equal(record[i], 0xee);
	run("a=+0($arg1):u32 b=+0($arg1):x64[2] c=+0(+0($arg1)):s16[3] d=+0($arg1):b3@1/16");
	assert_int_equal(faults(), 0xf);
	for (size_t i = RECORD_HEADER; i < record_size; i++)
		assert_int_not_equal(record[i], 0xee);
}

/*
 * Random programs on random memory, in which some pointers are valid.  The values must
 * be those of the programs' text.
 */

static uint64_t random_state;

static unsigned int pick(unsigned int n)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) % n;
}

struct wanted {
	bool		good;
	uint64_t	number;
};

static bool peek(uint64_t address, void *to, size_t size)
{
	if (address < MEMORY || address + size > MEMORY_END ||
	    address + size < address)
		return false;
	memcpy(to, memory + (address - MEMORY), size);
	return true;
}

/* Write the text of a random field, and compute its value. */
static void a_field(char *text, unsigned int i, struct wanted *wanted)
{
	static const unsigned int sizes[] = { 8, 16, 32, 64 };
	unsigned int bits = sizes[pick(4)], nr = pick(4), arg = 1 + pick(8);
	unsigned int width, bit;
	char inner[256], outer[256];
	uint64_t at = 0;

	wanted->good = arg <= 5 || peek(args.stack + 8 * (arg - 6), &at, 8);
	if (arg <= 5)
		at = args.registers[arg - 1];
	snprintf(inner, sizeof(inner), "$arg%u", arg);
	for (unsigned int k = 0; k < nr; k++) {
		int offset = (int)pick(200) - 100;

		snprintf(outer, sizeof(outer), pick(2) ? "%c%u(%s)" :
			 "%c0x%x(%s)", offset < 0 ? '-' : '+', abs(offset),
			 inner);
		strcpy(inner, outer);
		if (k && wanted->good)
			wanted->good = peek(at, &at, 8);
		at += offset;
	}
	wanted->number = 0;
	if (wanted->good && nr)
		wanted->good = peek(at, &wanted->number, bits / 8);
	else if (wanted->good)
		wanted->number = at;
	if (pick(2)) {
		sprintf(text, " f%u=%s:%c%u", i, inner, "us"[pick(2)], bits);
	} else {
		width = 1 + pick(bits);
		bit = pick(bits - width + 1);
		sprintf(text, " f%u=%s:b%u@%u/%u", i, inner, width, bit, bits);
		for (unsigned int k = 0; k < 64; k++) {
			if (k < bit || k >= bit + width)
				wanted->number &= ~(1ULL << k);
		}
		wanted->number >>= bit;
	}
	if (!wanted->good)
		wanted->number = 0;
	if (bits < 64)
		wanted->number &= (1ULL << bits) - 1;
}

static void test_random(void **state)
{
	const char *seed = getenv("RBMAP_TEST_SEED");
	struct wanted wanted[32];
	unsigned int good = 0, bad = 0;
	char text[4096];

	(void)state;
	random_state = seed ? strtoull(seed, NULL, 0) : 1;
	for (unsigned int round = 0; round < 20000; round++) {
		unsigned int nr = 1 + pick(8);

		if (round % 100 == 0) {
			for (unsigned int i = 0; i < MEMORY_SIZE; i += 8) {
				uint64_t word = pick(3) ? MEMORY + pick(MEMORY_SIZE) :
					(uint64_t)pick(-1U) * pick(-1U);

				memcpy(memory + i, &word, 8);
			}
		}
		for (unsigned int i = 0; i < 5; i++)
			args.registers[i] = pick(5) ? MEMORY + 8 * pick(1024) :
					    (uint64_t)pick(-1U) * pick(-1U);
		args.stack = MEMORY + MEMORY_SIZE - 8 * pick(8);
		*text = 0;
		for (unsigned int i = 0; i < nr; i++)
			a_field(text + strlen(text), i, &wanted[i]);
		run(text + 1);
		for (unsigned int i = 0; i < nr; i++) {
			if (value(i) != wanted[i].number ||
			    !(faults() >> i & 1) != wanted[i].good)
				fail_msg("round %u: \"%s\": field %u is %llx, faults %x; want %llx",
					 round, text, i,
					 (unsigned long long)value(i), faults(),
					 (unsigned long long)wanted[i].number);
			good += wanted[i].good;
			bad += !wanted[i].good;
		}
	}
	print_message("# %u fields with a value, %u with a fault\n", good, bad);
	assert_true(good > 10000 && bad > 10000);
}

int main(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(test_registers), test(test_stack), test(test_pointers),
		test(test_bits), test(test_arrays), test(test_strings),
		test(test_changes), test(test_short_fault), test(test_hidden),
		test(test_hidden_later),
		test(test_written), test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
