// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the formats: each kind of field, values within and beyond the event, formats of
 * files, compared with libtraceevent, and damaged texts.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/rbmap.h>

#include "rbmap.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable()
#define __lsan_enable()
#endif

#define COMMON								\
	"format:\n"							\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char all_kinds[] =
	"name: all\nID: 77\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:s8 tiny;\toffset:24;\tsize:1;\tsigned:1;\n"
	"\tfield:unsigned short port;\toffset:26;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned long args[3];\toffset:32;\tsize:24;\tsigned:0;\n"
	"\tfield:__u8 addr[ETH_ALEN];\toffset:56;\tsize:6;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:64;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc s32[] nrs;\toffset:68;\tsize:4;\tsigned:1;\n"
	"\tfield:const void * ptr;\toffset:72;\tsize:8;\tsigned:0;\n"
	"\tfield:struct pair pair;\toffset:80;\tsize:3;\tsigned:0;\n"
	"\tfield:char rest[];\toffset:84;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"%s\", REC->comm\n";

#define EVENT_SIZE	112
#define NAME_AT		88
#define NUMBERS_AT	100

struct one {
	struct rbmap_formats *formats;
	const struct rbmap_format *format;
	unsigned char *data;
	struct rbmap_event ev;
};

static void put(unsigned char *at, const void *value, size_t size)
{
	memcpy(at, value, size);
}

static struct one make(void)
{
	static const int32_t nrs[] = { -5, INT32_MAX };
	struct one one = { .data = calloc(1, EVENT_SIZE) };
	const uint32_t name = NAME_AT | 6 << 16, numbers = (NUMBERS_AT - 72) | 8 << 16;
	const uint64_t args[] = { 1, UINT64_MAX, 3 };
	const uint16_t id = 77, port = 65535;

	assert_int_equal(rbmap_formats_new(&one.formats), 0);
	assert_int_equal(rbmap_formats_add(one.formats, "kinds", all_kinds,
					   strlen(all_kinds)), 0);
	put(one.data, &id, sizeof(id));
	put(one.data + 8, "sixteen-bytes-ab", 16);
	one.data[24] = 0x80;
	put(one.data + 26, &port, sizeof(port));
	put(one.data + 32, args, sizeof(args));
	put(one.data + 56, "\1\2\3\4\5\377", 6);
	put(one.data + 64, &name, sizeof(name));
	put(one.data + 68, &numbers, sizeof(numbers));
	put(one.data + NAME_AT, "name\0x", 6);
	put(one.data + NUMBERS_AT, nrs, sizeof(nrs));
	one.ev = (struct rbmap_event){ .data = one.data, .size = EVENT_SIZE };
	one.format = rbmap_formats_of(one.formats, &one.ev);
	assert_non_null(one.format);
	return one;
}

static void drop(struct one *one)
{
	rbmap_formats_free(one->formats);
	free(one->data);
}

static const struct rbmap_format_field *field(const struct one *one, const char *name)
{
	const struct rbmap_format_field *f = rbmap_format_field_by_name(one->format, name);

	assert_non_null(f);
	return f;
}

static uint64_t number(const struct one *one, const char *name, size_t index)
{
	uint64_t value;

	assert_int_equal(rbmap_field_number(field(one, name), &one->ev, index, &value), 0);
	return value;
}

static void assert_string(const struct one *one, const char *name, const char *wanted)
{
	const char *text;
	size_t len;

	assert_int_equal(rbmap_field_string(field(one, name), &one->ev, &text, &len), 0);
	assert_int_equal(len, strlen(wanted));
	assert_memory_equal(text, wanted, len);
}

static void assert_field(const struct one *one, const char *name, const char *type,
			 uint32_t element, uint32_t flags)
{
	const struct rbmap_format_field *f = field(one, name);

	assert_string_equal(f->type, type);
	assert_int_equal(f->element_size, element);
	assert_int_equal(f->flags, flags);
}

static void test_kinds(void **state)
{
	struct one one = make();

	(void)state;
	assert_string_equal(one.format->system, "kinds");
	assert_string_equal(one.format->name, "all");
	assert_string_equal(one.format->print, "\"%s\", REC->comm");
	assert_int_equal(one.format->id, 77);
	assert_int_equal(one.format->size, 84);
	assert_int_equal(one.format->nr_fields, 14);
	assert_field(&one, "common_pid", "int", 4, RBMAP_FIELD_SIGNED | RBMAP_FIELD_COMMON);
	assert_field(&one, "comm", "char[16]", 1, RBMAP_FIELD_ARRAY | RBMAP_FIELD_STRING);
	assert_field(&one, "tiny", "s8", 1, RBMAP_FIELD_SIGNED);
	assert_field(&one, "args", "unsigned long[3]", 8, RBMAP_FIELD_ARRAY);
	assert_field(&one, "addr", "__u8[ETH_ALEN]", 1, RBMAP_FIELD_ARRAY);
	assert_field(&one, "name", "__data_loc char[]", 1,
		     RBMAP_FIELD_ARRAY | RBMAP_FIELD_STRING | RBMAP_FIELD_DYNAMIC);
	assert_field(&one, "nrs", "__rel_loc s32[]", 4, RBMAP_FIELD_ARRAY | RBMAP_FIELD_DYNAMIC |
		     RBMAP_FIELD_RELATIVE | RBMAP_FIELD_SIGNED);
	assert_field(&one, "ptr", "const void *", 8, RBMAP_FIELD_POINTER);
	assert_field(&one, "rest", "char[]", 1, RBMAP_FIELD_ARRAY | RBMAP_FIELD_STRING);
	assert_null(rbmap_format_field(one.format, 14));
	assert_null(rbmap_format_field_by_name(one.format, "common"));
	drop(&one);
}

static void test_values(void **state)
{
	struct one one = make();
	const void *data;
	uint64_t value;
	size_t size;

	(void)state;
	assert_string(&one, "comm", "sixteen-bytes-ab");
	assert_string(&one, "name", "name");
	assert_true((int64_t)number(&one, "tiny", 0) == -128);
	assert_int_equal(number(&one, "port", 0), 65535);
	assert_true(number(&one, "args", 1) == UINT64_MAX);
	assert_true((int64_t)number(&one, "nrs", 0) == -5);
	assert_int_equal(number(&one, "nrs", 1), INT32_MAX);
	assert_int_equal(number(&one, "addr", 5), 255);
	assert_int_equal(rbmap_field_number(field(&one, "args"), &one.ev, 3, &value), -ERANGE);
	assert_int_equal(rbmap_field_number(field(&one, "port"), &one.ev, 1, &value), -ERANGE);
	assert_int_equal(rbmap_field_number(field(&one, "pair"), &one.ev, 0, &value), -EINVAL);
	assert_int_equal(rbmap_field_string(field(&one, "args"), &one.ev, (const char **)&data,
					    &size), -EINVAL);
	assert_int_equal(rbmap_field_data(field(&one, "rest"), &one.ev, &data, &size), 0);
	assert_int_equal(size, EVENT_SIZE - 84);
	drop(&one);
}

/* Each event that is too short, and each place outside of the event */
static void test_bounds(void **state)
{
	struct one one = make();
	const void *data;
	uint32_t place;
	size_t size;

	(void)state;
	for (uint32_t i = 0; i < one.format->nr_fields; i++) {
		const struct rbmap_format_field *f = rbmap_format_field(one.format, i);
		uint32_t need = f->offset + f->size;

		if (!strcmp(f->name, "name"))
			need = NAME_AT + 6;
		if (!strcmp(f->name, "nrs"))
			need = NUMBERS_AT + 8;
		one.ev.size = need;
		assert_int_equal(rbmap_field_data(f, &one.ev, &data, &size), 0);
		one.ev.size = need - 1;
		assert_int_equal(rbmap_field_data(f, &one.ev, &data, &size),
				 RBMAP_ERR_CORRUPT);
	}
	one.ev.size = EVENT_SIZE;
	place = EVENT_SIZE;
	put(one.data + 64, &place, sizeof(place));
	assert_string(&one, "name", "");
	place = EVENT_SIZE | 1 << 16;
	put(one.data + 64, &place, sizeof(place));
	assert_int_equal(rbmap_field_data(field(&one, "name"), &one.ev, &data, &size),
			 RBMAP_ERR_CORRUPT);
	place = UINT32_MAX;
	put(one.data + 68, &place, sizeof(place));
	assert_int_equal(rbmap_field_data(field(&one, "nrs"), &one.ev, &data, &size),
			 RBMAP_ERR_CORRUPT);
	drop(&one);
}

static int add(struct rbmap_formats *formats, const char *system, const char *text)
{
	return rbmap_formats_add(formats, system, text, strlen(text));
}

/* Sizes that do not follow from the type, and fields without a gap between them */
static void test_sizes(void **state)
{
	static const char text[] =
		"name: sizes\nID: 78\n" COMMON
		"\tfield:short below;\toffset:8;\tsize:2;\tsigned:1;\n"
		"\tfield:u32 odd[3];\toffset:10;\tsize:10;\tsigned:0;\n"
		"\tfield:unsigned char bytes[4];\toffset:20;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc const void *[] callers;\toffset:24;\tsize:4;\tsigned:0;\n"
		"\tfield:cpumask_t masks[2];\toffset:28;\tsize:32;\tsigned:0;\n\n";
	const int16_t below = -2;
	unsigned char data[64] = { 78 };
	struct one one = { .data = data, .ev = { .data = data, .size = 60 } };

	(void)state;
	put(data + 8, &below, sizeof(below));
	assert_int_equal(rbmap_formats_new(&one.formats), 0);
	assert_int_equal(add(one.formats, "s", text), 0);
	one.format = rbmap_formats_of(one.formats, &one.ev);
	assert_non_null(one.format);
	assert_int_equal(one.format->size, 60);
	assert_true((int64_t)number(&one, "below", 0) == -2);
	assert_field(&one, "odd", "u32[3]", 1, RBMAP_FIELD_ARRAY);
	assert_field(&one, "bytes", "unsigned char[4]", 1, RBMAP_FIELD_ARRAY);
	assert_field(&one, "callers", "__data_loc const void *[]", 8,
		     RBMAP_FIELD_ARRAY | RBMAP_FIELD_DYNAMIC);
	assert_field(&one, "masks", "cpumask_t[2]", 16, RBMAP_FIELD_ARRAY);
	rbmap_formats_free(one.formats);
}

/* A stack has as many functions as its record, and its format says eight. */
static void test_stack(void **state)
{
	static const char text[] =
		"name: kernel_stack\nID: 4\n" COMMON
		"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n";
	static const char *const system[] = { "ftrace", "other" };
	static const size_t wanted[] = { 24, 64 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		unsigned char data[80] = { 4 };
		struct one one = { .data = data, .ev = { .data = data } };
		const void *at;
		size_t size;

		assert_int_equal(rbmap_formats_new(&one.formats), 0);
		assert_int_equal(add(one.formats, system[i], text), 0);
		one.format = rbmap_formats_by_id(one.formats, 4);
		one.ev.size = 16 + wanted[i];
		assert_int_equal(rbmap_field_data(field(&one, "caller"), &one.ev, &at, &size), 0);
		assert_int_equal(size, wanted[i]);
		rbmap_formats_free(one.formats);
	}
}

static void test_table(void **state)
{
	const struct rbmap_format *f = NULL;
	struct rbmap_formats *formats;
	struct rbmap_event ev = { .data = "\1\0\0\0\0\0\0\0", .size = 8 };

	(void)state;
	assert_int_equal(rbmap_formats_new(&formats), 0);
	assert_null(rbmap_formats_next(formats, NULL));
	assert_int_equal(add(formats, "b", "name: same\nID: 65535\nformat:\n"), 0);
	assert_int_equal(add(formats, "a", "name: same\nID: 1\nformat:\n"), 0);
	assert_int_equal(add(formats, "c", "name: other\nID: 1\nformat:\n"), -EEXIST);
	assert_string_equal(rbmap_formats_by_id(formats, 1)->system, "a");
	assert_null(rbmap_formats_by_id(formats, 2));
	assert_null(rbmap_formats_by_id(formats, 65536));
	assert_string_equal(rbmap_formats_by_name(formats, "b", "same")->system, "b");
	assert_string_equal(rbmap_formats_by_name(formats, NULL, "same")->system, "a");
	assert_null(rbmap_formats_by_name(formats, NULL, "other"));
	assert_int_equal(rbmap_formats_of(formats, &ev)->id, 1);
	ev.size = 7;
	assert_null(rbmap_formats_of(formats, &ev));
	f = rbmap_formats_next(formats, f);
	assert_int_equal(f->id, 1);
	f = rbmap_formats_next(formats, f);
	assert_int_equal(f->id, 65535);
	assert_null(rbmap_formats_next(formats, f));
	rbmap_formats_free(formats);
	rbmap_formats_free(NULL);
}

static void test_invalid(void **state)
{
	static const char *const invalid[] = {
		"", "name: x", "name: \nID: 1\nformat:\n", "ID: 1\nname: x\nformat:\n",
		"name: x\nID: 65536\nformat:\n", "name: x\nID: -1\nformat:\n",
		"name: x\nID: 99999999999999999999\nformat:\n", "name: x\nID: 1\n",
#define LINE(line) "name: x\nID: 1\nformat:\n\t" line "\n"
		LINE("field:int x;"), LINE("field:int x; offset:0;"),
		LINE("field:int x; offset:0; size:65536;"),
		LINE("field:int x; offset:65536; size:4;"),
		LINE("field:int x; offset:-1; size:4;"), LINE("field:x; offset:0; size:4;"),
		LINE("field:; offset:0; size:4;"), LINE("field:int x]; offset:0; size:4;"),
		LINE("field:int [4]; offset:0; size:4;"), LINE("field:[]; offset:0; size:4;"),
		LINE("field:__data_loc char[] x; offset:0; size:8;"),
		LINE("field:__data_loc char[] x; offset:0; size:0;"),
	};
	struct rbmap_formats *formats;

	(void)state;
	assert_int_equal(rbmap_formats_new(&formats), 0);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		assert_int_equal(add(formats, "s", invalid[i]), -EINVAL);
	assert_null(rbmap_formats_next(formats, NULL));
	/* A 0 in the text, and a text without an end */
	assert_int_equal(rbmap_formats_add(formats, "s", LINE("field:int a\0b; offset:0; size:4;"),
					   sizeof(LINE("field:int a\0b; offset:0; size:4;")) - 1),
			 -EINVAL);
	assert_int_equal(rbmap_formats_add(formats, "s", all_kinds, 40), -EINVAL);
	rbmap_formats_free(formats);
}

/* ---- files */

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *text = malloc(1 << 20);

	if (!file || !text) {
		free(text);
		return NULL;
	}
	*size = fread(text, 1, 1 << 20, file);
	fclose(file);
	return text;
}

static void compare_field(const char *event, const struct rbmap_format_field *f,
			  const struct tep_format_field *t)
{
	/* "__data_loc cpumask_t mask" has no brackets. */
	bool dynamic = t->flags & TEP_FIELD_IS_DYNAMIC;
	/* A record of a stack has as many functions as there were. */
	bool is_stack = !strcmp(event, "kernel_stack") && !strcmp(f->name, "caller") && !f->size;

	if (strcmp(f->name, t->name) || f->offset != (uint32_t)t->offset ||
	    (f->size != (uint32_t)t->size && !is_stack) ||
	    !(f->flags & RBMAP_FIELD_SIGNED) != !(t->flags & TEP_FIELD_IS_SIGNED) ||
	    !(f->flags & RBMAP_FIELD_ARRAY) != !(t->flags & TEP_FIELD_IS_ARRAY || dynamic) ||
	    !(f->flags & RBMAP_FIELD_DYNAMIC) != !dynamic ||
	    !(f->flags & RBMAP_FIELD_RELATIVE) != !(t->flags & TEP_FIELD_IS_RELATIVE))
		fail_msg("%s: %s differs: offset %u %d, size %u %d, flags %x %lx", event,
			 f->name, f->offset, t->offset, f->size, t->size, f->flags, t->flags);
	/* libtraceevent takes the elements of a type that it does not know for long ones. */
	if (f->flags & RBMAP_FIELD_ARRAY && t->elementsize && f->size &&
	    f->element_size != t->elementsize && t->elementsize != sizeof(long))
		fail_msg("%s: %s: elements of %u and %u bytes", event, f->name,
			 f->element_size, t->elementsize);
}

static void compare(const struct rbmap_format *f, const char *text, size_t size)
{
	struct tep_format_field *t;
	struct tep_handle *tep;
	struct tep_event *event;
	unsigned int i = 0;

	/* libtraceevent forgets parts of some print formats. */
	__lsan_disable();
	tep = tep_alloc();
	tep_set_long_size(tep, sizeof(long));
	tep_set_loglevel(TEP_LOG_NONE);
	if (!tep_parse_format(tep, &event, text, size, f->system) && event) {
		assert_string_equal(f->name, event->name);
		assert_int_equal(f->id, event->id);
		for (t = event->format.common_fields; t; t = t->next)
			compare_field(f->name, rbmap_format_field(f, i++), t);
		for (t = event->format.fields; t; t = t->next)
			compare_field(f->name, rbmap_format_field(f, i++), t);
		assert_int_equal(i, f->nr_fields);
	}
	tep_free(tep);
	__lsan_enable();
}

static unsigned int compare_all(const struct rbmap_formats *formats, const char *dir)
{
	const struct rbmap_format *f = NULL;
	unsigned int nr = 0;
	char path[PATH_MAX];

	while ((f = rbmap_formats_next(formats, f))) {
		size_t size = 0;
		char *text;

		snprintf(path, sizeof(path), "%s/%s/%s/format", dir, f->system, f->name);
		text = read_file(path, &size);
		assert_non_null(text);
		compare(f, text, size);
		free(text);
		nr++;
	}
	return nr;
}

/* The files in tests/unit/lib/formats begin with a comment, which those of a kernel lack. */
static void copy_formats(const char *from, const char *to)
{
	char command[2 * PATH_MAX];

	snprintf(command, sizeof(command), "cp -r %s/. %s && find %s -name format -exec "
		 "sed -i '/^#/d' {} +", from, to, to);
	assert_int_equal(system(command), 0);
}

/* A file of more than 1 MiB is no format, whatever its beginning is. */
static void test_large_file(void **state)
{
	char dir[] = "/tmp/rbmap-lib-formats.XXXXXX", command[256];
	struct rbmap_formats *formats;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "mkdir -p %s/s/e && "
		 "printf 'name: e\\nID: 9\\nformat:\\n\\nprint fmt: ' >%s/s/e/format && "
		 "head -c 1048576 /dev/zero | tr '\\0' x >>%s/s/e/format", dir, dir, dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(rbmap_formats_new(&formats), 0);
	assert_int_equal(rbmap_formats_load(formats, dir), 0);
	assert_null(rbmap_formats_by_id(formats, 9));
	rbmap_formats_free(formats);
	snprintf(command, sizeof(command), "truncate -s 1000000 %s/s/e/format", dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(rbmap_formats_new(&formats), 0);
	assert_int_equal(rbmap_formats_load(formats, dir), 1);
	rbmap_formats_free(formats);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static void test_files(void **state)
{
	static const char kernel[] = "/sys/kernel/tracing/events";
	char dir[] = "/tmp/rbmap-lib-formats.XXXXXX", command[64];
	struct rbmap_formats *formats;
	int nr;

	(void)state;
	assert_non_null(mkdtemp(dir));
	copy_formats("tests/unit/lib/formats", dir);
	assert_int_equal(rbmap_formats_new(&formats), 0);
	nr = rbmap_formats_load(formats, dir);
	assert_true(nr > 10);
	assert_int_equal(compare_all(formats, dir), nr);
	assert_int_equal(rbmap_formats_load(formats, dir), 0);
	assert_int_equal(rbmap_formats_load(formats, "/dev/null"), -ENOTDIR);
	assert_int_equal(rbmap_formats_load(formats, "/no such"), -ENOENT);
	rbmap_formats_free(formats);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);

	if (access(kernel, R_OK | X_OK))
		return;
	assert_int_equal(rbmap_formats_new(&formats), 0);
	nr = rbmap_formats_load(formats, kernel);
	print_message("# %d formats of this kernel\n", nr);
	assert_true(nr >= 0);
	assert_int_equal(compare_all(formats, kernel), nr);
	rbmap_formats_free(formats);
}

/* A text that ends anywhere, and one with each byte changed */
static void test_damaged(void **state)
{
	size_t all = strlen(all_kinds);
	struct rbmap_formats *formats;

	(void)state;
	for (size_t i = 0; i < all; i++) {
		/* Sanitizers find reads beyond the end. */
		char *text = malloc(all);

		memcpy(text, all_kinds, all);
		text[i] ^= 1 + (i * 7) % 255;
		assert_int_equal(rbmap_formats_new(&formats), 0);
		(void)rbmap_formats_add(formats, "s", text, all);
		rbmap_formats_free(formats);
		free(text);

		text = malloc(i + 1);
		memcpy(text, all_kinds, i);
		assert_int_equal(rbmap_formats_new(&formats), 0);
		(void)rbmap_formats_add(formats, "s", text, i);
		rbmap_formats_free(formats);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_invalid),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_large_file),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("lib_formats", tests, NULL, NULL);
}
