// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fields of probes: what users write, and what the kernel is to fetch for it;
 * and dynamic_events, where they are listed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "cli_btf.h"
#include "live/probe/dynamic.h"
#include "live/probe/fetch.h"
#include "new_probe/trace_header.h"

static struct btf_types_module kernel;
static struct btf_types types = { .v = &kernel, .nr = 1 };
static struct tracepoint_args work;

static int setup(void **state)
{
	char error[1024];

	(void)state;
	kernel.btf = synth_btf();
	return !btf_types_tracepoint(&types, "work", &work, error, sizeof(error));
}

static int teardown(void **state)
{
	(void)state;
	btf__free(kernel.btf);
	return 0;
}

struct pair {
	const char *field, *wanted;
};

/* @wanted: the field as the kernel takes it; or, of a refusal, a part of it. */
static void check_args(const struct tracepoint_args *args, const struct pair *pair, bool good)
{
	struct field_expr expr;
	struct buf out = { 0 };
	char error[4096] = "";
	bool ok;

	ok = field_parse(&expr, pair->field, error, sizeof(error)) &&
	     fetch_field(&out, args, &expr, error, sizeof(error));
	buf_add(&out, "", 1);
	if (ok != good)
		fail_msg("%s: %s", pair->field, ok ? out.data : error);
	if (good && strcmp(out.data + 1, pair->wanted))
		fail_msg("%s: %s", pair->field, out.data + 1);
	if (!good && !strstr(error, pair->wanted))
		fail_msg("%s: %s", pair->field, error);
	assert_null(strchr(error, '\n'));
	buf_free(&out);
}

static void check(const struct pair *pair, bool good)
{
	check_args(&work, pair, good);
}

static void test_good(void **state)
{
	static const struct pair good[] = {
		/* arguments */
		{ "count", "count=$arg2:s32" },
		{ "n=count", "n=$arg2:s32" },
		{ "arg2", "arg2=$arg2:s32" },
		{ "$arg2", "arg2=$arg2:s32" },
		{ "count:u8", "count=$arg2:u8" },
		{ "count:x32", "count=$arg2:x32" },
		{ "flag", "flag=$arg3:u8" },
		{ "task", "task=$arg1:x64" },
		{ "name", "name=$arg4:x64" },
		{ "name:string", "name=+0($arg4):string" },
		{ "name[3]", "name_3=+3($arg4):s8" },
		{ "name:x8[4]", "name=+0($arg4):x8[4]" },
		/* members */
		{ "task->pid", "task_pid=+8($arg1):s32" },
		{ "task[0].pid", "task_0_pid=+8($arg1):s32" },
		{ "task[2].pid", "task_2_pid=+8200($arg1):s32" },
		{ "task->comm", "task_comm=+16($arg1):string" },
		{ "task->comm:string", "task_comm=+16($arg1):string" },
		{ "task->comm:x8", "task_comm=+16($arg1):x8[16]" },
		{ "task->comm:u32[2]", "task_comm=+16($arg1):u32[2]" },
		{ "task->comm[0xf]", "task_comm_15=+31($arg1):s8" },
		{ "task->loose", "task_loose=+320($arg1):string" },
		{ "task->parent->pid", "task_parent_pid=+8(+32($arg1)):s32" },
		{ "task->parent->parent->title:string",
		  "task_parent_parent_title=+0(+40(+32(+32($arg1)))):string" },
		{ "task->title", "task_title=+40($arg1):x64" },
		{ "task->state", "task_state=+48($arg1):u32" },
		{ "task->first", "task_first=+56($arg1):u64" },
		{ "task->second", "task_second=+66($arg1):u16" },
		{ "task->third", "task_third=+68($arg1):u8" },
		{ "task->inner.b", "task_inner_b=+76($arg1):u32" },
		{ "task->inner.label:string",
		  "task_inner_label=+0(+80($arg1)):string" },
		{ "task->inners[3].b", "task_inners_3_b=+140($arg1):u32" },
		{ "task->inners->b", "task_inners_b=+92($arg1):u32" },
		{ "task->matrix[1][2]", "task_matrix_1_2=+172($arg1):u32" },
		{ "task->matrix[1]", "task_matrix_1=+164($arg1):u32[3]" },
		{ "task->numbers", "task_numbers=+176($arg1):u16[5]" },
		{ "task->numbers:x16[2]", "task_numbers=+176($arg1):x16[2]" },
		{ "task->bytes", "task_bytes=+186($arg1):u8[6]" },
		{ "task->bytes:x8", "task_bytes=+186($arg1):x8[6]" },
		{ "task->bytes:string", "task_bytes=+186($arg1):string" },
		{ "task->color", "task_color=+192($arg1):u32" },
		{ "task->sign", "task_sign=+196($arg1):s32" },
		{ "task->wide", "task_wide=+200($arg1):u64" },
		{ "task->secret", "task_secret=+208($arg1):x64" },
		{ "task->call", "task_call=+216($arg1):x64" },
		{ "task->alive", "task_alive=+244($arg1):u8" },
		{ "task->letter", "task_letter=+245($arg1):s8" },
		{ "task->pointers", "task_pointers=+248($arg1):x64[2]" },
		{ "task->pointers[1]:string",
		  "task_pointers_1=+0(+256($arg1)):string" },
		{ "task->data:string", "task_data=+0(+264($arg1)):string" },
		{ "task->data:u64[2]", "task_data=+0(+264($arg1)):u64[2]" },
		{ "task->long_one:x32[64]", "task_long_one=+512($arg1):x32[64]" },
		{ "task->flexible[7]", "task_flexible_7=+4124($arg1):u32" },
		{ "task->flexible:u32[2]",
		  "task_flexible=+4096($arg1):u32[2]" },
		/* bit-fields */
		{ "task->low", "task_low=+280($arg1):b3@0/8" },
		{ "task->high", "task_high=+280($arg1):sb7@3/16" },
		{ "task->full", "task_full=+284($arg1):b32@0/32" },
		{ "task->astride", "task_astride=+287($arg1):b6@5/16" },
		{ "task->mood", "task_mood=+308($arg1):sb2@0/8" },
		/* names */
		{ "task->parent->parent->parent->parent->parent->pid",
		  "parent_parent_parent_parent_pid=+8(+32(+32(+32(+32(+32($arg1)))))):s32" },
		{ "task->parent->parent->parent->parent->comm[3]",
		  "parent_parent_parent_comm_3=+19(+32(+32(+32(+32($arg1))))):s8" },
		{ "task->a_member_whose_name_has_more_than_32_characters",
		  "a_member_whose_name_has_more_tha=+272($arg1):u64" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		check(&good[i], true);
}

static void test_refused(void **state)
{
	static const struct pair bad[] = {
		/* syntax */
		{ "", "'', character 1: an argument of the tracepoint is missing" },
		{ "=count", "character 1: an argument of the tracepoint is missing" },
		{ "n=", "'n=', character 3: an argument of the tracepoint is missing" },
		{ "3", "character 1: an argument of the tracepoint is missing" },
		{ "$", "an argument of the tracepoint is missing" },
		{ "count ", "'count ', character 6: unexpected characters" },
		{ "task->", "character 7: the name of a member is missing" },
		{ "task.", "character 6: the name of a member is missing" },
		{ "task->pid.", "the name of a member is missing" },
		{ "task-pid", "'task-pid', character 5: unexpected characters" },
		{ "task->comm[", "a number between [ and ] is missing" },
		{ "task->comm[-1]", "a number between [ and ] is missing" },
		{ "task->comm[x]", "a number between [ and ] is missing" },
		{ "task->comm[0x]", "a number between [ and ] is missing" },
		{ "task->comm[1", "a ']' is missing" },
		{ "task->comm[2147483648]", "the number is too large" },
		{ "task->comm[99999999999999999999999]",
		  "the number is too large" },
		{ "count:", "unknown type: use u8 to u64" },
		{ "count:u7", "'count:u7', character 7: unknown type" },
		{ "count:u128", "unknown type" },
		{ "count:d32", "unknown type" },
		{ "count:strings", "unknown type" },
		{ "count:string[2]", "unexpected characters" },
		{ "task->bytes:u8[0]", "at least one element" },
		{ "count:u8x", "unknown type" },
		{ "count=count=count", "unexpected characters" },
		{ "a_name_that_has_33_characters_xxx=count",
		  "a field's name has at most 32 characters" },
		/* arguments */
		{ "cuont", "no argument 'cuont': the arguments are task, count, flag, name, pair, behind" },
		{ "arg7", "no argument 'arg7'" },
		{ "arg0", "no argument 'arg0'" },
		{ "$count", "no argument 'count'" },
		{ "pair", "the argument pair is not passed in a register" },
		{ "behind", "the argument pair is not passed in a register, and behind cannot be fetched" },
		/* members */
		{ "task->pidd", "task (struct task_struct) has no member 'pidd': similar names: pid" },
		{ "task->nothing", "has no member 'nothing': it has 34 members, \"rbmap probe fields work 'task'\" lists them" },
		{ "task->inner.c", "task->inner (struct inner) has no member 'c': its members are a, b, label" },
		{ "task.pid", "task (struct task_struct *) is a pointer: write task->pid" },
		{ "task->inner->a", "task->inner (struct inner) is not a pointer: write task->inner.a" },
		{ "task->inners.a", "task->inners (struct inner [4]) is an array: write task->inners[0].a" },
		{ "task->pid->x", "task->pid (pid_t) is not a pointer and has no member 'x'" },
		{ "task->title->x", "is not a structure and has no member 'x'" },
		{ "task->pid.x", "is not a structure and has no member 'x'" },
		{ "count->x", "count (int) is not a pointer" },
		{ "task->secret->x", "is declared only: this kernel's BTF does not describe its members" },
		{ "task->secret[0]", "elements of unknown size" },
		{ "task->data[1]", "elements of unknown size" },
		{ "task->call[0]", "elements of unknown size" },
		{ "task->comm[16]", "task->comm (char [16]) has no element 16: its elements are 0 to 15" },
		{ "task->pid[0]", "is neither an array nor a pointer" },
		{ "count[0]", "is neither an array nor a pointer" },
		{ "task[1000000].pid", "more than 2 GiB behind" },
		{ "task->parent->parent->parent->parent->parent->parent->parent->parent->pid",
		  "is the 9th pointer of the path, but a field may follow at most 8" },
		{ "task->parent->parent->parent->parent->parent->parent->parent->title:string",
		  "is the 9th pointer of the path" },
		/* types */
		{ "task->inner", "task->inner (struct inner) is a structure, choose a member: its members are a, b, label" },
		{ "task->inner:u32", "is a structure" },
		{ "task->inners", "is not an array of numbers: choose an element, task->inners[0]" },
		{ "task->matrix", "is not an array of numbers: choose an element, task->matrix[0]" },
		{ "task->flexible", "has an unknown number of elements: choose an element, task->flexible[0]" },
		{ "task->big", "is not a number that a field can hold" },
		{ "task->weight", "task->weight (float) is not a number that a field can hold" },
		{ "task->pid:string", "task->pid (pid_t) is not a text: ':string' is for char pointers and char arrays" },
		{ "task:string", "is not a text" },
		{ "task->pid:u64", "task->pid (pid_t) has 32 bits: 64 are too many" },
		{ "flag:x16", "flag (bool) has 8 bits: 16 are too many" },
		{ "count:u8[2]", "is neither an array nor a pointer: remove '[2]'" },
		{ "task->long_one", "task->long_one (unsigned int [65]) has more elements than the 64 of a field: give a number, 'task->long_one:u32[64]'" },
		{ "task->long_one:x8", "more elements than the 64" },
		{ "task:u8[65]", "more elements than the 64" },
		{ "task->bytes:u8[7]", "has 6 bytes: 7 elements of 1 bytes are too many" },
		{ "task->bytes:u32[2]", "has 6 bytes: 2 elements of 4 bytes are too many" },
		{ "task->low:u8", "task->low (unsigned int) is a bit-field of 3 bits: remove the type" },
		{ "task->scattered", "is a bit-field that spans more than 64 bits" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(&bad[i], false);
}

static void test_too_many_steps(void **state)
{
	char text[256] = "task";
	struct pair pair = { text, "more than 32 steps" };

	(void)state;
	for (int i = 0; i < 33; i++)
		strcat(text, "[0]");
	check(&pair, false);
}

/* "FIELD FIELD" of a tracepoint; the whole of what is said about it. */
static bool fields_of(const char *tracepoint, const char *fields, char *text,
		      size_t size)
{
	struct tracepoint_args args;
	char *words[64], *copy = strdup(fields), *save = NULL;
	struct buf out = { 0 };
	size_t nr = 0;
	bool ok;

	for (char *word = strtok_r(copy, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		words[nr++] = word;
	ok = btf_types_tracepoint(&types, tracepoint, &args, text, size) &&
	     fetch_fields(&out, &args, words, nr, text, size);
	buf_add(&out, "", 1);
	if (ok)
		snprintf(text, size, "%s", out.data);
	buf_free(&out);
	free(copy);
	return ok;
}

static void test_raw(void **state)
{
	char text[4096];

	(void)state;
	assert_true(fields_of("quiet", "", text, sizeof(text)));
	assert_string_equal(text, " arg1=$arg1:u32 arg2=$arg2:x64");
	assert_true(fields_of("quiet", "arg2->pid", text, sizeof(text)));
	assert_string_equal(text, " arg2_pid=+8($arg2):s32");
	assert_true(fields_of("bare", "", text, sizeof(text)));
	assert_string_equal(text, " argument=$arg1:u16");
	assert_true(fields_of("held", "", text, sizeof(text)));
	assert_string_equal(text, " both=$arg1:x64");
	assert_false(fields_of("held", "both.a", text, sizeof(text)));
	assert_string_equal(text, "both (struct pair) is passed by value, and its members cannot be fetched: record the whole value, 'both:x64'");
	assert_true(fields_of("none", "", text, sizeof(text)));
	assert_string_equal(text, "");
	assert_false(fields_of("none", "x", text, sizeof(text)));
	assert_string_equal(text, "no argument 'x': the tracepoint has no arguments");
	assert_false(fields_of("many", "", text, sizeof(text)));
	assert_string_equal(text, "the tracepoint many has 13 arguments, but a probe takes at most 12");
	assert_false(fields_of("wrok", "", text, sizeof(text)));
	assert_string_equal(text, "no tracepoint 'wrok': similar names: work");
	assert_false(fields_of("sched:work", "", text, sizeof(text)));
	assert_string_equal(text, "no tracepoint 'sched:work': similar names: work");
	assert_false(fields_of("elsewhere", "", text, sizeof(text)));
	assert_non_null(strstr(text, "load the module that has the tracepoint first"));
}

static void test_fields(void **state)
{
	char text[4096], many[512] = "";

	(void)state;
	assert_true(fields_of("work", "task->pid p=task->parent->pid", text,
			      sizeof(text)));
	assert_string_equal(text, " task_pid=+8($arg1):s32 p=+8(+32($arg1)):s32");
	assert_false(fields_of("work", "task->pid task_pid=count", text,
			       sizeof(text)));
	assert_string_equal(text, "two fields have the name task_pid: rename one of them, 'NAME=count'");
	for (int i = 0; i < 33; i++)
		sprintf(many + strlen(many), "f%d=count ", i);
	assert_false(fields_of("work", many, text, sizeof(text)));
	assert_non_null(strstr(text, "33 fields are too many, a probe takes at most 32"));
	*strrchr(many, 'f') = '\0';
	assert_true(fields_of("work", many, text, sizeof(text)));
}

/* A module's types go on where the kernel's end. */
static void test_module(void **state)
{
	struct btf_types_module both[2] = { kernel, { .name = "driver" } };
	struct btf_types with = { .v = both, .nr = 2 };
	struct tracepoint_args args;
	char error[1024];
	int task, proto;

	(void)state;
	both[1].btf = btf__new_empty_split(kernel.btf);
	task = btf__find_by_name_kind(kernel.btf, "task_struct", BTF_KIND_STRUCT);
	proto = btf__add_func_proto(both[1].btf, 0);
	btf__add_func_param(both[1].btf, NULL, btf__add_ptr(both[1].btf, 0));
	proto = btf__add_func_proto(both[1].btf, 0);
	btf__add_func_param(both[1].btf, "__data", 0);
	btf__add_func_param(both[1].btf, "task", task);
	btf__add_func(both[1].btf, "__traceiter_driven", BTF_FUNC_GLOBAL,
		      proto);
	assert_true(btf_types_tracepoint(&with, "driven", &args, error,
					 sizeof(error)));
	assert_string_equal(args.module, "driver");
	assert_int_equal(args.nr, 1);
	assert_true(btf_types_tracepoint(&with, "work", &args, error,
					 sizeof(error)));
	assert_null(args.module);
	btf__free(both[1].btf);
}

/* Give a number the bits of old compilers: a place within its bytes. */
static void set_old_bits(struct btf *btf, int id, unsigned int offset, unsigned int bits)
{
	struct btf_type *type = (struct btf_type *)btf__type_by_id(btf, id);

	*(uint32_t *)(type + 1) = offset << 16 | bits;
}

/*
 * Signed numbers without a negative name, bits in the type of a number, a typedef that is older
 * than its function, and one without the probe's own argument
 */
static void test_odd_types(void **state)
{
	struct btf_types_module odd = { .btf = btf__new_empty() };
	const struct btf_types with = { .v = &odd, .nr = 1 };
	int int_, level, old, of, proto;
	struct tracepoint_args args;
	char text[4096];

	(void)state;
	int_ = btf__add_int(odd.btf, "int", 4, BTF_INT_SIGNED);
	old = btf__add_int(odd.btf, "unsigned int", 4, 0);
	set_old_bits(odd.btf, old, 3, 5);
	level = btf__add_enum64(odd.btf, "level", 8, true);
	btf__add_enum64_value(odd.btf, "HIGH", 1ULL << 40);
	of = btf__add_struct(odd.btf, "odd", 24);
	synth_member(odd.btf, "level", level, 0);
	synth_member(odd.btf, "old", old, 64);
	of = btf__add_ptr(odd.btf, of);
	proto = btf__add_func_proto(odd.btf, 0);
	btf__add_func_param(odd.btf, NULL, 0);
	btf__add_func_param(odd.btf, NULL, of);
	synth_tracepoint(odd.btf, "btf_trace_odd", proto);
	proto = btf__add_func_proto(odd.btf, 0);
	btf__add_func_param(odd.btf, "__data", 0);
	btf__add_func_param(odd.btf, "first", int_);
	btf__add_func_param(odd.btf, "second", int_);
	btf__add_func(odd.btf, "__traceiter_odd", BTF_FUNC_GLOBAL, proto);
	synth_tracepoint(odd.btf, "btf_trace_empty", btf__add_func_proto(odd.btf, 0));

	assert_true(btf_types_tracepoint(&with, "odd", &args, text, sizeof(text)));
	assert_int_equal(args.nr, 1);
	assert_string_equal(args.v[0].name, "arg1");
	check_args(&args, &(struct pair){ "arg1->level", "arg1_level=+0($arg1):s64" }, true);
	check_args(&args, &(struct pair){ "arg1->old", "arg1_old=+8($arg1):b5@3/8" }, true);
	assert_false(btf_types_tracepoint(&with, "empty", &args, text, sizeof(text)));
	assert_non_null(strstr(text, "no tracepoint 'empty'"));
	btf__free(odd.btf);
}

static void test_files(void **state)
{
	char path[] = "/tmp/cli_probe.XXXXXX", *file = path, error[1024];
	char *none = "/nowhere/vmlinux";
	struct btf_types from_file;
	struct tracepoint_args args;
	int fd = mkstemp(path);
	const void *raw;
	uint32_t size;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "no BTF at all", 13), 13);
	assert_false(btf_types_open(&from_file, &file, 1, error, sizeof(error)));
	assert_non_null(strstr(error, path));
	raw = btf__raw_data(kernel.btf, &size);
	assert_int_equal(pwrite(fd, raw, size, 0), size);
	assert_true(btf_types_open(&from_file, &file, 1, error, sizeof(error)));
	assert_true(btf_types_tracepoint(&from_file, "work", &args, error,
					 sizeof(error)));
	btf_types_close(&from_file);
	close(fd);
	unlink(path);
	assert_false(btf_types_open(&from_file, &none, 1, error, sizeof(error)));
	assert_string_equal(error, "cannot read /nowhere/vmlinux: No such file or directory");
}

static bool declared(void *data, const struct member *member)
{
	struct buf text = { 0 };

	ktype_declare(&text, kernel.btf, member->type, member->name);
	buf_printf(data, "%.*s;", (int)text.size, text.data);
	buf_free(&text);
	return false;
}

static void test_c(void **state)
{
	const struct btf_type *task;
	struct buf out = { 0 };

	(void)state;
	task = btf__type_by_id(kernel.btf,
			       btf__find_by_name_kind(kernel.btf, "task_struct",
						      BTF_KIND_STRUCT));
	ktype_each_member(kernel.btf, task, declared, &out);
	buf_add(&out, "", 1);
	for (char *p = out.data; p;) {
		static const char *const wanted[] = {
			"pid_t pid", "char comm[16]", "struct task_struct *parent",
			"const char *title", "volatile const unsigned int state",
			"unsigned long first", "unsigned short second",
			"unsigned char third", "struct inner inner",
			"struct inner inners[4]", "unsigned int matrix[2][3]",
			"unsigned short numbers[5]",
			"unsigned char bytes[6]", "enum color color",
			"enum sign sign", "enum wide wide",
			"struct secret *secret",
			"int (*call)(void *, const char *)", "__int128 big",
			"float weight", "bool alive", "char letter",
			"const char *pointers[2]", "void *data",
		};
		static unsigned int i;
		char *end = strchr(p, ';');

		if (!end || i == sizeof(wanted) / sizeof(wanted[0]))
			break;
		*end = '\0';
		assert_string_equal(p, wanted[i++]);
		p = end + 1;
	}
	buf_free(&out);
}

static void test_dynamic(void **state)
{
	static const char text[] =
		"t:tracepoints/work work task_pid=+8($arg1):s32 n=$arg2:u8\n"
		"t:mine/none none\n"
		"a line of another kind\n"
		"t:noslash work\n"
		"t:a/b\n";
	struct dynamic_probes probes;

	(void)state;
	assert_true(dynamic_parse(&probes, strdup(text)));
	assert_int_equal(probes.nr, 2);
	assert_string_equal(probes.v[0].group, "tracepoints");
	assert_string_equal(probes.v[0].event, "work");
	assert_string_equal(probes.v[0].tracepoint, "work");
	assert_string_equal(probes.v[0].fields,
			    "task_pid=+8($arg1):s32 n=$arg2:u8");
	assert_string_equal(probes.v[1].group, "mine");
	assert_string_equal(probes.v[1].event, "none");
	assert_string_equal(probes.v[1].fields, "");
	dynamic_free(&probes);
	assert_true(dynamic_parse(&probes, strdup("")));
	assert_int_equal(probes.nr, 0);
	dynamic_free(&probes);
}

static void test_headers(void **state)
{
	static const char text[] =
		"DECLARE_EVENT_CLASS(class, TP_PROTO(int a), TP_ARGS(a),\n"
		"TRACE_EVENT(plain,\n"
		"TRACE_EVENT_CONDITION(sometimes, TP_PROTO(int b),\n"
		"DEFINE_EVENT(class, of_class,\n"
		"DEFINE_EVENT_PRINT( class ,\n\t of_class_too ,\n"
		"#define DEFINE_OWN_EVENT(name) DEFINE_EVENT(class, name, TP_PROTO())\n"
		"DEFINE_OWN_EVENT(own);\n"
		"DEFINE_IRQ_VECTOR_EVENT(vector);\n"
		"DECLARE_TRACE(bare,\n"
		"MY_TRACE_EVENT(none, x\n"
		"TRACE_EVENT(last";

	(void)state;
	assert_int_equal(trace_header_declares(text, "plain"), 2);
	assert_int_equal(trace_header_declares(text, "sometimes"), 2);
	assert_int_equal(trace_header_declares(text, "of_class"), 2);
	assert_int_equal(trace_header_declares(text, "of_class_too"), 2);
	assert_int_equal(trace_header_declares(text, "last"), 2);
	assert_int_equal(trace_header_declares(text, "own"), 1);
	assert_int_equal(trace_header_declares(text, "vector_entry"), 1);
	assert_int_equal(trace_header_declares(text, "vector_exit"), 1);
	assert_int_equal(trace_header_declares(text, "bare_tp"), 1);
	assert_int_equal(trace_header_declares(text, "class"), 0);
	assert_int_equal(trace_header_declares(text, "plai"), 0);
	assert_int_equal(trace_header_declares(text, "plain_"), 0);
	assert_int_equal(trace_header_declares(text, "none"), 0);
	assert_int_equal(trace_header_declares("", "plain"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_too_many_steps),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_odd_types),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_c),
		cmocka_unit_test(test_dynamic),
		cmocka_unit_test(test_headers),
	};

	return cmocka_run_group_tests_name("cli_probe", tests, setup, teardown);
}
