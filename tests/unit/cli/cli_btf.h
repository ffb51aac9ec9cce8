/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BTF of a kernel that never was: a tracepoint `work` whose arguments have what
 * a kernel's have.
 */
#ifndef RBMAP_TESTS_CLI_BTF_H
#define RBMAP_TESTS_CLI_BTF_H

#include <bpf/btf.h>

struct synth_types {
	int void_ptr, int_, char_, uchar, bool_, u16, u32, u64, int128, float_;
	int char_ptr, pid_t_, color, sign, wide, task, task_ptr, inner;
};

static inline void synth_member(struct btf *btf, const char *name, int type,
				unsigned int bit)
{
	btf__add_field(btf, name, type, bit, 0);
}

static inline void synth_base_types(struct btf *btf, struct synth_types *t)
{
	t->int_ = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	t->char_ = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	t->uchar = btf__add_int(btf, "unsigned char", 1, 0);
	t->bool_ = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	t->u16 = btf__add_int(btf, "short unsigned int", 2, 0);
	t->u32 = btf__add_int(btf, "unsigned int", 4, 0);
	t->u64 = btf__add_int(btf, "long unsigned int", 8, 0);
	t->int128 = btf__add_int(btf, "__int128", 16, BTF_INT_SIGNED);
	t->float_ = btf__add_float(btf, "float", 4);
	t->void_ptr = btf__add_ptr(btf, 0);
	t->char_ptr = btf__add_ptr(btf, btf__add_const(btf, t->char_));
	t->pid_t_ = btf__add_typedef(btf, "pid_t", t->int_);
	t->color = btf__add_enum(btf, "color", 4);
	btf__add_enum_value(btf, "RED", 0);
	btf__add_enum_value(btf, "BLUE", 7);
	t->sign = btf__add_enum(btf, "sign", 4);
	btf__add_enum_value(btf, "MINUS", -1);
	t->wide = btf__add_enum64(btf, "wide", 8, false);
	btf__add_enum64_value(btf, "FAR", 1ULL << 40);
}

static inline int synth_array(struct btf *btf, struct synth_types *t, int of,
			      unsigned int nr)
{
	return btf__add_array(btf, t->u64, of, nr);
}

/* struct inner { u32 a; u32 b; char *label; }, 16 bytes */
static inline void synth_inner(struct btf *btf, struct synth_types *t)
{
	t->inner = btf__add_struct(btf, "inner", 16);
	synth_member(btf, "a", t->u32, 0);
	synth_member(btf, "b", t->u32, 32);
	synth_member(btf, "label", t->char_ptr, 64);
}

static inline void synth_bit_fields(struct btf *btf, struct synth_types *t,
				    unsigned int byte)
{
	unsigned int bit = 8 * byte;

	btf__add_field(btf, "low", t->u32, bit, 3);
	btf__add_field(btf, "high", t->int_, bit + 3, 7);
	btf__add_field(btf, "full", t->u32, bit + 32, 32);
	/* a packed structure */
	btf__add_field(btf, "astride", t->u32, bit + 61, 6);
	btf__add_field(btf, "scattered", t->u64, bit + 131, 63);
	btf__add_field(btf, "mood", t->sign, bit + 224, 2);
}

/* Bytes of its members: as they are named below. */
static inline void synth_task(struct btf *btf, struct synth_types *t)
{
	int anonymous, nested, row, proto, forward, name, inners, matrix;
	int numbers, bytes, flexible, pointers, loose, call, state, later, long_one;

	anonymous = btf__add_union(btf, NULL, 8);
	synth_member(btf, "first", t->u64, 0);
	nested = btf__add_struct(btf, NULL, 8);
	synth_member(btf, "second", t->u16, 16);
	synth_member(btf, "third", t->uchar, 32);
	row = btf__add_struct(btf, NULL, 16);
	synth_member(btf, NULL, anonymous, 0);
	synth_member(btf, NULL, nested, 64);

	name = synth_array(btf, t, t->char_, 16);
	inners = synth_array(btf, t, t->inner, 4);
	matrix = synth_array(btf, t, synth_array(btf, t, t->u32, 3), 2);
	numbers = synth_array(btf, t, t->u16, 5);
	bytes = synth_array(btf, t, t->uchar, 6);
	flexible = synth_array(btf, t, t->u32, 0);
	pointers = synth_array(btf, t, t->char_ptr, 2);
	loose = synth_array(btf, t, t->char_, 0);
	long_one = synth_array(btf, t, t->u32, 65);
	forward = btf__add_ptr(btf, btf__add_fwd(btf, "secret",
						 BTF_FWD_STRUCT));
	proto = btf__add_func_proto(btf, t->int_);
	btf__add_func_param(btf, NULL, t->void_ptr);
	btf__add_func_param(btf, NULL, t->char_ptr);
	call = btf__add_ptr(btf, proto);
	state = btf__add_volatile(btf, btf__add_const(btf, t->u32));
	later = btf__type_cnt(btf) + 1;
	t->task_ptr = btf__add_ptr(btf, later);
	t->task = btf__add_struct(btf, "task_struct", 4096);
	synth_member(btf, "pid", t->pid_t_, 8 * 8);
	synth_member(btf, "comm", name, 16 * 8);
	synth_member(btf, "parent", t->task_ptr, 32 * 8);
	synth_member(btf, "title", t->char_ptr, 40 * 8);
	synth_member(btf, "state", state, 48 * 8);
	synth_member(btf, NULL, row, 56 * 8);
	synth_member(btf, "inner", t->inner, 72 * 8);
	synth_member(btf, "inners", inners, 88 * 8);
	synth_member(btf, "matrix", matrix, 152 * 8);
	synth_member(btf, "numbers", numbers, 176 * 8);
	synth_member(btf, "bytes", bytes, 186 * 8);
	synth_member(btf, "color", t->color, 192 * 8);
	synth_member(btf, "sign", t->sign, 196 * 8);
	synth_member(btf, "wide", t->wide, 200 * 8);
	synth_member(btf, "secret", forward, 208 * 8);
	synth_member(btf, "call", call, 216 * 8);
	synth_member(btf, "big", t->int128, 224 * 8);
	synth_member(btf, "weight", t->float_, 240 * 8);
	synth_member(btf, "alive", t->bool_, 244 * 8);
	synth_member(btf, "letter", t->char_, 245 * 8);
	synth_member(btf, "pointers", pointers, 248 * 8);
	synth_member(btf, "data", t->void_ptr, 264 * 8);
	synth_member(btf, "a_member_whose_name_has_more_than_32_characters",
		     t->u64, 272 * 8);
	synth_bit_fields(btf, t, 280);
	synth_member(btf, "loose", loose, 320 * 8);
	synth_member(btf, "long_one", long_one, 512 * 8);
	synth_member(btf, "flexible", flexible, 4096 * 8);
}

static inline void synth_param(struct btf *btf, const char *name, int type,
			       int named)
{
	btf__add_func_param(btf, named ? name : NULL, type);
}

/* void (void *__data, struct task_struct *task, int count, ...): as both have it. */
static inline int synth_work_proto(struct btf *btf, const struct synth_types *t,
				   int named)
{
	int proto = btf__add_func_proto(btf, 0);

	synth_param(btf, "__data", t->void_ptr, named);
	synth_param(btf, "task", t->task_ptr, named);
	synth_param(btf, "count", t->int_, named);
	synth_param(btf, "flag", t->bool_, named);
	synth_param(btf, "name", t->char_ptr, named);
	synth_param(btf, "pair", t->inner, named);
	synth_param(btf, "behind", t->u64, named);
	return proto;
}

static inline void synth_tracepoint(struct btf *btf, const char *name,
				    int proto)
{
	btf__add_typedef(btf, name, btf__add_ptr(btf, proto));
}

/*
 * Add btf_trace_work and __traceiter_work, as kernels have them. The others are
 * special: the arguments of btf_trace_quiet have no names, and __traceiter_bare
 * has no typedef. The argument of held is a structure, many has 13 arguments,
 * and none has none.
 */
static inline struct btf *synth_btf(void)
{
	struct synth_types t;
	struct btf *btf = btf__new_empty();
	int proto, pair;

	synth_base_types(btf, &t);
	synth_inner(btf, &t);
	synth_task(btf, &t);
	proto = synth_work_proto(btf, &t, 0);
	synth_tracepoint(btf, "btf_trace_work", proto);
	btf__add_func(btf, "vfs_work", BTF_FUNC_GLOBAL, proto);
	btf__add_func(btf, "__traceiter_work", BTF_FUNC_GLOBAL,
		      synth_work_proto(btf, &t, 1));
	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, NULL, t.void_ptr);
	btf__add_func_param(btf, NULL, t.u32);
	btf__add_func_param(btf, NULL, t.task_ptr);
	synth_tracepoint(btf, "btf_trace_quiet", proto);
	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "__data", t.void_ptr);
	btf__add_func_param(btf, "argument", t.u16);
	btf__add_func(btf, "__traceiter_bare", BTF_FUNC_GLOBAL, proto);
	pair = btf__add_struct(btf, "pair", 8);
	synth_member(btf, "a", t.u32, 0);
	synth_member(btf, "b", t.u32, 32);
	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "__data", t.void_ptr);
	btf__add_func_param(btf, "both", pair);
	btf__add_func(btf, "__traceiter_held", BTF_FUNC_GLOBAL, proto);
	proto = btf__add_func_proto(btf, 0);
	for (int i = 0; i < 14; i++)
		btf__add_func_param(btf, NULL, t.u64);
	synth_tracepoint(btf, "btf_trace_many", proto);
	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "__data", t.void_ptr);
	btf__add_func(btf, "__traceiter_none", BTF_FUNC_GLOBAL, proto);
	return btf;
}

#endif /* RBMAP_TESTS_CLI_BTF_H */
