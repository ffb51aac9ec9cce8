// SPDX-License-Identifier: LGPL-2.1-only
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "expression.h"
#include "fields.h"

#define DEPTH_MAX	64

enum kind {
	CONSTANT, FIELD, CAST, ELEMENT, DYNAMIC_ELEMENT, DYNAMIC_SIZE, CONDITION,
	NOT, COMPLEMENT, ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO, AND, OR,
	LOGICAL_AND, LOGICAL_OR, SHIFT_LEFT, SHIFT_RIGHT, EQUAL, NOT_EQUAL,
	LESS, LESS_EQUAL, GREATER, GREATER_EQUAL,
};

/**
 * struct expression - a node of the tree
 * @number: a constant, or the mask of a cast
 * @offset: place of the field
 * @size: bytes of the field, or of an element
 * @end: end of the array, for elements
 * @relative: the array's place counts from the end of the field
 * @operand: the operands; the third is the value if the condition is false
 */
struct expression {
	enum kind kind;
	uint64_t number;
	uint32_t offset;
	uint32_t size;
	bool relative;
	struct expression *operand[3];
};

bool dynamic_place(const char *record, uint32_t size, uint32_t field, bool relative,
		   uint32_t *offset, uint32_t *len)
{
	field_place(record, field, 4, relative, offset, len);
	return *offset + *len <= size;
}

static uint64_t element(const struct expression *e, const char *record, uint32_t size,
			bool *failed)
{
	uint64_t index = expression_value(e->operand[0], record, size, failed);
	uint32_t offset = e->offset, len;

	if (e->kind == DYNAMIC_ELEMENT) {
		if (!dynamic_place(record, size, e->offset, e->relative, &offset, &len))
			*failed = true;
		/* libtraceevent adds the index, whatever the size of an element. */
		offset += index <= OFFSET_MAX ? index : 0;
	} else {
		offset += index <= OFFSET_MAX ? index * e->size : 0;
	}
	if (*failed || index > OFFSET_MAX || offset + e->size > size) {
		*failed = true;
		return 0;
	}
	return field_number(record + offset, e->size);
}

static uint64_t binary(enum kind kind, uint64_t a, uint64_t b, bool *failed)
{
	switch (kind) {
	case NOT:
		return !b;
	case COMPLEMENT:
		return ~b;
	case ADD:
		return a + b;
	case SUBTRACT:
		return a - b;
	case MULTIPLY:
		return a * b;
	case AND:
		return a & b;
	case OR:
		return a | b;
	case LOGICAL_AND:
		return a && b;
	case LOGICAL_OR:
		return a || b;
	case EQUAL:
		return a == b;
	case NOT_EQUAL:
		return a != b;
	case LESS:
		return a < b;
	case LESS_EQUAL:
		return a <= b;
	case GREATER:
		return a > b;
	case GREATER_EQUAL:
		return a >= b;
	case SHIFT_LEFT:
	case SHIFT_RIGHT:
		if (b < 64)
			return kind == SHIFT_LEFT ? a << b : a >> b;
		break;
	case DIVIDE:
	case MODULO:
		if (b)
			return kind == DIVIDE ? a / b : a % b;
		break;
	default:
		break;
	}
	*failed = true;
	return 0;
}

uint64_t expression_value(const struct expression *e, const char *record,
			  uint32_t size, bool *failed)
{
	struct expression *const *of = e->operand;
	uint32_t offset, len;

	switch (e->kind) {
	case FIELD:
		return field_number(record + e->offset, e->size);
	case CONSTANT:
		return e->number;
	case CAST:
		return expression_value(of[0], record, size, failed) & e->number;
	case ELEMENT:
	case DYNAMIC_ELEMENT:
		return element(e, record, size, failed) & e->number;
	case DYNAMIC_SIZE:
		/* libtraceevent takes an array that is not in the record for an empty one. */
		return dynamic_place(record, size, e->offset, false, &offset, &len) ? len : 0;
	case CONDITION:
		return expression_value(expression_value(of[0], record, size, failed) ?
					of[1] : of[2], record, size, failed);
	default:
		return binary(e->kind, expression_value(of[0], record, size, failed),
			      expression_value(of[1], record, size, failed), failed);
	}
}

#define NR_OPERANDS	(sizeof(((struct expression *)0)->operand) / sizeof(struct expression *))

bool expression_has_one_field(const struct expression *e, uint32_t *offset)
{
	bool ok = true;

	switch (e->kind) {
	case ELEMENT:
	case DYNAMIC_ELEMENT:
	case DYNAMIC_SIZE:
		return false;
	case FIELD:
		if (*offset == EXPRESSION_NO_FIELD)
			*offset = e->offset;
		return *offset == e->offset;
	default:
		for (size_t i = 0; ok && i < NR_OPERANDS && e->operand[i]; i++)
			ok = expression_has_one_field(e->operand[i], offset);
		return ok;
	}
}

void expression_free(struct expression *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < NR_OPERANDS; i++)
		expression_free(e->operand[i]);
	free(e);
}

/* ---- compile */

bool field_is_fixed(const struct tep_format_field *field)
{
	return field->offset >= 0 && field->offset <= OFFSET_MAX &&
	       field->size > 0 && field->size <= OFFSET_MAX;
}

struct tep_format_field *field_of(struct tep_event *event, const char *name,
				  struct tep_format_field *field)
{
	if (!field)
		field = tep_find_any_field(event, name);
	return field && field_is_fixed(field) ? field : NULL;
}

struct compiler {
	struct tep_event *event;
	uint32_t *need;
	unsigned int depth;
};

static struct expression *compile(struct compiler *c, const struct tep_print_arg *arg);

static struct expression *new_node(enum kind kind)
{
	struct expression *e = calloc(1, sizeof(*e));

	if (e) {
		e->kind = kind;
		e->number = UINT64_MAX;
	}
	return e;
}

static struct expression *compile_constant(uint64_t number)
{
	struct expression *e = new_node(CONSTANT);

	if (e)
		e->number = number;
	return e;
}

static struct expression *compile_field(struct compiler *c, enum kind kind,
					const struct tep_format_field *field)
{
	struct expression *e = new_node(kind);

	if (!e)
		return NULL;
	e->offset = field->offset;
	e->size = field->size;
	e->relative = field->flags & TEP_FIELD_IS_RELATIVE;
	if (*c->need < e->offset + e->size)
		*c->need = e->offset + e->size;
	return e;
}

/* Return the bits that a cast keeps, as libtraceevent has it: it never extends a sign. */
static bool mask_of_type(const char *type, size_t len, uint64_t *mask)
{
	static const struct {
		const char *name;
		uint64_t mask;
	} masks[] = {
		{ "u8", UINT8_MAX }, { "s8", UINT8_MAX }, { "char", UINT8_MAX },
		{ "u16", UINT16_MAX }, { "s16", UINT16_MAX }, { "short", UINT16_MAX },
		{ "u32", UINT32_MAX }, { "s32", UINT32_MAX }, { "int", UINT32_MAX },
	};

	*mask = UINT64_MAX;
	if (len < 2)
		return false;
	if (type[len - 1] == '*' || (len >= 6 && !memcmp(type, "struct", 6)))
		return true;
	if (len > 9 && !memcmp(type, "unsigned ", 9)) {
		type += 9;
		len -= 9;
	}
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
		if (strlen(masks[i].name) == len && !memcmp(type, masks[i].name, len))
			*mask = masks[i].mask;
	return true;
}

static struct expression *compile_cast(struct compiler *c,
				       const struct tep_print_arg *arg)
{
	const char *type = arg->typecast.type;
	struct expression *e;
	uint64_t mask;

	if (!type || !mask_of_type(type, strlen(type), &mask))
		return NULL;
	e = compile(c, arg->typecast.item);
	if (e && e->kind != CONSTANT && mask != UINT64_MAX) {
		struct expression *cast = new_node(CAST);

		if (!cast) {
			expression_free(e);
			return NULL;
		}
		cast->number = mask;
		cast->operand[0] = e;
		return cast;
	}
	if (e && e->kind == CONSTANT)
		e->number &= mask;
	return e;
}

/* "(u32 *)__get_dynamic_array(v)[2]": the first cast has the type of the elements. */
static bool mask_of_elements(const struct tep_print_arg *cast, uint64_t *mask)
{
	const char *type = cast->typecast.type;
	size_t len = type ? strlen(type) : 0;

	/* The type ends in " *". */
	return len > 2 && type[len - 1] == '*' && mask_of_type(type, len - 2, mask);
}

static struct expression *compile_element(struct compiler *c,
					  const struct tep_print_arg *arg)
{
	const struct tep_print_arg *array = arg->op.left, *cast = NULL;
	const struct tep_format_field *field;
	enum kind kind = ELEMENT;
	struct expression *e;
	uint64_t mask = UINT64_MAX;

	while (array && array->type == TEP_PRINT_TYPE) {
		if (!cast)
			cast = array;
		array = array->typecast.item;
	}
	if (!array || (cast && !mask_of_elements(cast, &mask)))
		return NULL;
	if (array->type == TEP_PRINT_FIELD) {
		field = field_of(c->event, array->field.name, array->field.field);
	} else if (array->type == TEP_PRINT_DYNAMIC_ARRAY) {
		field = array->dynarray.field;
		kind = DYNAMIC_ELEMENT;
		if (field && (!field_is_fixed(field) || field->size != 4))
			field = NULL;
	} else {
		return NULL;
	}
	e = field ? compile_field(c, kind, field) : NULL;
	if (!e)
		return NULL;
	e->size = field->elementsize;
	if (kind == DYNAMIC_ELEMENT && !e->size)
		e->size = tep_get_long_size(c->event->tep);
	e->number = mask;
	e->operand[0] = compile(c, arg->op.right);
	if (!e->operand[0]) {
		expression_free(e);
		return NULL;
	}
	return e;
}

static bool kind_of_op(const char *op, enum kind *kind)
{
	static const struct {
		const char *op;
		enum kind kind;
	} kinds[] = {
		{ "!", NOT }, { "~", COMPLEMENT }, { "+", ADD }, { "-", SUBTRACT },
		{ "*", MULTIPLY }, { "/", DIVIDE }, { "%", MODULO }, { "&", AND },
		{ "|", OR }, { "&&", LOGICAL_AND }, { "||", LOGICAL_OR },
		{ "<<", SHIFT_LEFT }, { ">>", SHIFT_RIGHT }, { "==", EQUAL },
		{ "!=", NOT_EQUAL }, { "<", LESS }, { "<=", LESS_EQUAL },
		{ ">", GREATER }, { ">=", GREATER_EQUAL },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(op, kinds[i].op))
			continue;
		*kind = kinds[i].kind;
		return true;
	}
	return false;
}

static struct expression *compile_operands(struct compiler *c, enum kind kind,
					   const struct tep_print_arg *const *arg,
					   unsigned int nr)
{
	struct expression *e = new_node(kind);

	for (unsigned int i = 0; e && i < nr; i++) {
		e->operand[i] = compile(c, arg[i]);
		if (!e->operand[i]) {
			expression_free(e);
			return NULL;
		}
	}
	return e;
}

static struct expression *compile_op(struct compiler *c,
				     const struct tep_print_arg *arg)
{
	const struct tep_print_arg *right = arg->op.right, *of[3] = { arg->op.left, right };
	enum kind kind;

	if (!strcmp(arg->op.op, "["))
		return compile_element(c, arg);
	if (!strcmp(arg->op.op, "?")) {
		if (!right || right->type != TEP_PRINT_OP)
			return NULL;
		of[1] = right->op.left;
		of[2] = right->op.right;
		return compile_operands(c, CONDITION, of, 3);
	}
	return kind_of_op(arg->op.op, &kind) ? compile_operands(c, kind, of, 2) : NULL;
}

static struct expression *compile_kind(struct compiler *c,
				       const struct tep_print_arg *arg)
{
	const struct tep_format_field *field;

	switch (arg->type) {
	case TEP_PRINT_NULL:
		return compile_constant(0);
	case TEP_PRINT_ATOM:
		/* A name that the format does not define, vmemmap_base, is 0. */
		return compile_constant(arg->atom.atom ?
					strtoull(arg->atom.atom, NULL, 0) : 0);
	case TEP_PRINT_FIELD:
		field = field_of(c->event, arg->field.name, arg->field.field);
		return field ? compile_field(c, FIELD, field) : NULL;
	case TEP_PRINT_TYPE:
		return compile_cast(c, arg);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		field = arg->dynarray.field;
		/* libtraceevent does not support relative fields here. */
		if (!field || !field_is_fixed(field) || field->size != 4 ||
		    field->flags & TEP_FIELD_IS_RELATIVE)
			return NULL;
		return compile_field(c, DYNAMIC_SIZE, field);
	case TEP_PRINT_OP:
		return compile_op(c, arg);
	default:
		return NULL;
	}
}

static struct expression *compile(struct compiler *c, const struct tep_print_arg *arg)
{
	struct expression *e;

	/* A file can contain any format. */
	if (!arg || c->depth == DEPTH_MAX)
		return NULL;
	c->depth++;
	e = compile_kind(c, arg);
	c->depth--;
	return e;
}

struct expression *expression_compile(struct tep_event *event,
				      const struct tep_print_arg *arg, uint32_t *need)
{
	struct compiler c = { .event = event, .need = need };

	return compile(&c, arg);
}
