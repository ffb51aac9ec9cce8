// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a program of fetches.  The parser has checked all numbers of the program.  The
 * memory that the program reads is not trusted: each read may fault, and a string may
 * change between two reads.
 */
#include "program.h"

#define RBMAP_FAULT_TEXT	"(fault)"

static bool rbmap_fetch_read(const struct rbmap_fetch_args *args, void *to,
			     unsigned long from, size_t size)
{
	return !args->blind && rbmap_read_nofault(to, from, size);
}

static bool rbmap_fetch_arg(const struct rbmap_fetch_args *args,
			    unsigned int arg, unsigned long *value)
{
	if (arg <= RBMAP_REGISTER_ARGS) {
		*value = args->registers[arg - 1];
		return true;
	}
	arg -= RBMAP_REGISTER_ARGS + 1;
	return rbmap_fetch_read(args, value,
				args->stack + arg * sizeof(*value),
				sizeof(*value));
}

/* Compute the address after the last offset; without offsets, the argument. */
static bool rbmap_fetch_follow(const struct rbmap_fetch *fetch,
			       const struct rbmap_fetch_args *args,
			       unsigned long *address)
{
	unsigned int i;

	if (!rbmap_fetch_arg(args, fetch->arg, address))
		return false;
	for (i = 0; i < fetch->nr_offsets; i++) {
		if (i && !rbmap_fetch_read(args, address, *address,
					   sizeof(*address)))
			return false;
		*address += (long)fetch->offset[i];
	}
	return true;
}

static bool rbmap_fetch_number_at(const struct rbmap_fetch *fetch,
				  const struct rbmap_fetch_args *args,
				  unsigned long address, u64 *number)
{
	union {
		u8	u8;
		u16	u16;
		u32	u32;
		u64	u64;
	} word;

	if (!rbmap_fetch_read(args, &word, address, fetch->size))
		return false;
	switch (fetch->size) {
	case 1:
		*number = word.u8;
		break;
	case 2:
		*number = word.u16;
		break;
	case 4:
		*number = word.u32;
		break;
	default:
		*number = word.u64;
	}
	return true;
}

static bool rbmap_fetch_number(const struct rbmap_fetch *fetch,
			       const struct rbmap_fetch_args *args,
			       u64 *number)
{
	unsigned long value;

	if (!rbmap_fetch_follow(fetch, args, &value))
		return false;
	if (fetch->nr_offsets)
		return rbmap_fetch_number_at(fetch, args, value, number);
	*number = value;
	return true;
}

static u64 rbmap_fetch_bits(const struct rbmap_fetch *fetch, u64 number)
{
	unsigned int above = 64 - fetch->width;

	number = number >> fetch->bit << above;
	if (fetch->form == 's')
		return (s64)number >> above;
	return number >> above;
}

/*
 * Hash a number that looks like an address of the kernel: 64 bits in hexadecimal, in
 * the kernel's half of the address space, and not an error code.
 */
static u64 rbmap_fetch_hide(const struct rbmap_fetch *fetch, u64 number)
{
	if (!rbmap_fetch_may_be_address(fetch) ||
	    !(number >> (BITS_PER_LONG - 1)) ||
	    number >= (unsigned long)-MAX_ERRNO)
		return number;
	return (unsigned long)rbmap_address_hide((void *)(unsigned long)number);
}

static u64 rbmap_fetch_recorded(const struct rbmap_fetch *fetch,
				const struct rbmap_fetch_args *args, u64 number)
{
	return args->addresses ? number : rbmap_fetch_hide(fetch, number);
}

/* The record is aligned to 4 bytes, and its fields may have any offset. */
static __always_inline void rbmap_fetch_put(const struct rbmap_fetch *fetch,
					    u64 number, u8 *at)
{
	const u8 byte = number;
	const u16 half = number;
	const u32 word = number;

	if (fetch->size == 8)
		memcpy(at, &number, sizeof(number));
	else if (fetch->size == 4)
		memcpy(at, &word, sizeof(word));
	else if (fetch->size == 2)
		memcpy(at, &half, sizeof(half));
	else
		memcpy(at, &byte, sizeof(byte));
}

static bool rbmap_fetch_value(const struct rbmap_fetch *fetch,
			      const struct rbmap_fetch_args *args, u8 *at)
{
	u64 number = 0;
	bool good = rbmap_fetch_number(fetch, args, &number);

	if (fetch->kind == RBMAP_FETCH_BITS)
		number = rbmap_fetch_bits(fetch, number);
	rbmap_fetch_put(fetch, rbmap_fetch_recorded(fetch, args, number), at);
	return good;
}

static bool rbmap_fetch_array(const struct rbmap_fetch *fetch,
			      const struct rbmap_fetch_args *args, u8 *at)
{
	unsigned long address;
	unsigned int i = 0, nr = fetch->elements;
	u64 number;

	if (!rbmap_fetch_follow(fetch, args, &address))
		nr = 0;
	for (; i < nr; i++) {
		if (!rbmap_fetch_number_at(fetch, args,
					   address + i * fetch->size, &number))
			break;
		rbmap_fetch_put(fetch, rbmap_fetch_recorded(fetch, args, number),
				at + i * fetch->size);
	}
	if (i < fetch->elements)
		memset(at, 0, fetch->elements * fetch->size);
	return i == fetch->elements;
}

/*
 * A part of a string that no page boundary divides: up to the next multiple of
 * eight.  Returns its bytes up to @max, 0 for a fault.
 */
static unsigned int rbmap_fetch_part(const struct rbmap_fetch_args *args,
				     unsigned long address, unsigned int max,
				     char part[8])
{
	unsigned int size = min(max, 8 - (unsigned int)(address & 7));

	return rbmap_fetch_read(args, part, address, size) ? size : 0;
}

/* Bytes of a string with its 0, 0 for a fault; a longer one is cut. */
static unsigned int rbmap_fetch_strlen(const struct rbmap_fetch_args *args,
				       unsigned long address)
{
	unsigned int len = 0, size;
	char part[8], *end;

	while (len < RBMAP_FETCH_STRING_MAX - 1) {
		size = rbmap_fetch_part(args, address + len,
					RBMAP_FETCH_STRING_MAX - 1 - len, part);
		if (!size)
			return 0;
		end = memchr(part, 0, size);
		if (end)
			return len + (end - part) + 1;
		len += size;
	}
	return RBMAP_FETCH_STRING_MAX;
}

/* Write all @len bytes; the last one is a 0. */
static bool rbmap_fetch_copy(const struct rbmap_fetch_args *args,
			     unsigned long address, char *to, unsigned int len)
{
	unsigned int done = 0, size;
	char part[8], *end;

	while (done < len - 1) {
		size = rbmap_fetch_part(args, address + done, len - 1 - done,
					part);
		if (!size)
			return false;
		end = memchr(part, 0, size);
		if (end)
			size = end - part;
		memcpy(to + done, part, size);
		done += size;
		if (end)
			break;
	}
	memset(to + done, 0, len - done);
	return true;
}

/**
 * rbmap_fetch_measure - find the strings of a record
 * @program: program of rbmap_dynamic_parse()
 * @args: arguments of the tracepoint
 * @strings: filled with the strings
 *
 * Context: any; preemption is off.
 * Return: bytes of all strings.
 */
size_t rbmap_fetch_measure(const struct rbmap_fetch_program *program,
			   const struct rbmap_fetch_args *args,
			   struct rbmap_fetch_strings *strings)
{
	const struct rbmap_fetch *fetch = program->fetch;
	unsigned int nr = 0;
	size_t all = 0;

	for (; nr < program->nr_strings; fetch++) {
		if (fetch->kind != RBMAP_FETCH_STRING)
			continue;
		strings->len[nr] = 0;
		if (rbmap_fetch_follow(fetch, args, &strings->address[nr]))
			strings->len[nr] = rbmap_fetch_strlen(args,
							strings->address[nr]);
		strings->fault[nr] = !strings->len[nr];
		if (strings->fault[nr])
			strings->len[nr] = sizeof(RBMAP_FAULT_TEXT);
		all += strings->len[nr++];
	}
	return all;
}

/* Copy a string to its place in the record, which begins at @text. */
static bool rbmap_fetch_string(const struct rbmap_fetch_args *args,
			       unsigned long address, char *text,
			       unsigned int len, bool fault)
{
	if (!fault && rbmap_fetch_copy(args, address, text, len))
		return true;
	memset(text, 0, len);
	memcpy(text, RBMAP_FAULT_TEXT,
	       min((size_t)len, sizeof(RBMAP_FAULT_TEXT)) - 1);
	return false;
}

/* Returns the bits of the strings that could not be read. */
static noinline u32 rbmap_fetch_strings(const struct rbmap_fetch_program *program,
					const struct rbmap_fetch_args *args,
					const struct rbmap_fetch_strings *strings,
					u8 *record)
{
	unsigned int i, nr = 0, text = program->size;
	u32 faults = 0, where;

	for (i = 0; nr < program->nr_strings; i++) {
		if (program->fetch[i].kind != RBMAP_FETCH_STRING)
			continue;
		if (!rbmap_fetch_string(args, strings->address[nr],
					(char *)record + text,
					strings->len[nr], strings->fault[nr]))
			faults |= (u32)1 << i;
		where = (u32)strings->len[nr] << 16 | text;
		memcpy(record + program->fetch[i].at, &where, sizeof(where));
		text += strings->len[nr++];
	}
	return faults;
}

/* A field that is neither a plain register nor a string. */
static noinline bool rbmap_fetch_field(const struct rbmap_fetch *fetch,
				       const struct rbmap_fetch_args *args, u8 *at)
{
	if (fetch->kind == RBMAP_FETCH_ARRAY)
		return rbmap_fetch_array(fetch, args, at);
	return rbmap_fetch_value(fetch, args, at);
}

/**
 * rbmap_fetch_fill - fill a record
 * @program: program of rbmap_dynamic_parse()
 * @args: arguments of the tracepoint
 * @strings: result of rbmap_fetch_measure(); unused if the program has no strings
 * @record: @program->size bytes plus the return value of rbmap_fetch_measure(); all
 *	fields after the first @program->header bytes are written, and the padding
 *	between them is not
 *
 * A field that is in a register is filled without a call.
 *
 * Context: any; preemption is off.
 */
void rbmap_fetch_fill(const struct rbmap_fetch_program *program,
		      const struct rbmap_fetch_args *args,
		      const struct rbmap_fetch_strings *strings, void *record)
{
	const struct rbmap_fetch *fetch = program->fetch;
	const struct rbmap_fetch *end = fetch + program->nr;
	u8 *bytes = record;
	u32 faults = 0;

	for (; fetch < end; fetch++) {
		if (likely(fetch->kind == RBMAP_FETCH_REGISTER))
			rbmap_fetch_put(fetch, args->registers[fetch->arg - 1],
					bytes + fetch->at);
		else if (fetch->kind != RBMAP_FETCH_STRING &&
			 !rbmap_fetch_field(fetch, args, bytes + fetch->at))
			faults |= (u32)1 << (fetch - program->fetch);
	}
	if (program->nr_strings)
		faults |= rbmap_fetch_strings(program, args, strings, bytes);
	memcpy(bytes + program->faults, &faults, sizeof(faults));
}

/* Hash the addresses in the numbers of a field. */
static void rbmap_fetch_hide_field(const struct rbmap_fetch *fetch, u8 *at)
{
	unsigned int i, nr = fetch->kind == RBMAP_FETCH_ARRAY ? fetch->elements : 1;
	unsigned long number;

	for (i = 0; i < nr; i++, at += sizeof(number)) {
		memcpy(&number, at, sizeof(number));
		number = rbmap_fetch_hide(fetch, number);
		memcpy(at, &number, sizeof(number));
	}
}

/**
 * rbmap_fetch_hide_all - hash the addresses in a record that rbmap_fetch_fill() left there
 * @data: program of rbmap_dynamic_parse()
 * @record: the record
 * @size: bytes of the record
 *
 * Context: any, including NMI.
 */
void rbmap_fetch_hide_all(const void *data, void *record, size_t size)
{
	const struct rbmap_fetch_program *program = data;
	const struct rbmap_fetch *fetch = program->fetch;
	const struct rbmap_fetch *end = fetch + program->nr;

	for (; fetch < end; fetch++) {
		if (fetch->kind != RBMAP_FETCH_STRING && fetch->kind != RBMAP_FETCH_REGISTER &&
		    rbmap_fetch_may_be_address(fetch) && fetch->at < size)
			rbmap_fetch_hide_field(fetch, (u8 *)record + fetch->at);
	}
}
