// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse an arbitrary line of dynamic_events, and run its fetch program if the
 * line is valid. The line is the input's first line; the rest supplies
 * registers and memory.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/dynamic/dynamic_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

/* Check each promise that program.h makes about a program. */
static void check_program(const struct rbmap_fetch_program *program)
{
	unsigned int end = program->faults + 4, strings = 0;

	check(program->nr <= RBMAP_FETCH_FIELDS && program->faults >= RECORD_HEADER);
	for (unsigned int i = 0; i < program->nr; i++) {
		const struct rbmap_fetch *fetch = &program->fetch[i];

		check(fetch->arg >= 1 && fetch->arg <= RBMAP_ARGS_MAX);
		check(fetch->nr_offsets <= RBMAP_FETCH_OFFSETS);
		check(fetch->size == 1 || fetch->size == 2 ||
		      fetch->size == 4 || fetch->size == 8);
		check(fetch->elements <= RBMAP_FETCH_ELEMENTS);
		check(fetch->bit + fetch->width <= 8 * fetch->size);
		check(fetch->kind != RBMAP_FETCH_BITS || fetch->width);
		check(fetch->at >= end && fetch->at % fetch->size == 0);
		end = fetch->at + fetch->size * (fetch->elements ?: 1);
		strings += fetch->kind == RBMAP_FETCH_STRING;
	}
	check(end == program->size && strings == program->nr_strings);
	check(strings <= RBMAP_FETCH_STRINGS);
	check(end + strings * RBMAP_FETCH_STRING_MAX <= RECORD_MAX);
}

static void run(const struct rbmap_fetch_program *program, const uint8_t *data,
		size_t size)
{
	struct rbmap_fetch_args args = { .stack = MEMORY_END - 24 };
	unsigned char *record;
	uint64_t word = 0;
	size_t bytes;

	memory_reset();
	for (size_t i = 0; i < MEMORY_SIZE / 8; i++) {
		if (size)
			memcpy(&word, data + i % size, size - i % size < 8 ?
			       size - i % size : 8);
		/* One word in four is text or arbitrary; the others are addresses. */
		if (i % 4)
			word = MEMORY + word % (MEMORY_SIZE + 64);
		memcpy(memory + 8 * i, &word, 8);
		if (i < RBMAP_REGISTER_ARGS)
			args.registers[i] = word;
	}
	args.blind = size && data[0] % 16 == 0;
	record = record_make(program, &args, &bytes);
	for (size_t i = 0; i < RECORD_HEADER; i++)
		check(record[i] == 0xee);
	for (unsigned int i = 0; i < program->nr; i++) {
		const struct rbmap_fetch *fetch = &program->fetch[i];
		uint32_t where;

		if (fetch->kind != RBMAP_FETCH_STRING)
			continue;
		memcpy(&where, record + fetch->at, 4);
		check((where & 0xffff) >= program->size && where >> 16);
		check((where & 0xffff) + (where >> 16) <= bytes);
		check(!record[(where & 0xffff) + (where >> 16) - 1]);
	}
	free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = memchr(data, '\n', size);
	size_t len = newline ? (size_t)(newline - data) : size;
	struct rbmap_dynamic_line line;
	struct rbmap_line_error error = { 0 };
	/* A copy of its own, so that a sanitizer reports a read beyond its end. */
	char *text = malloc(len ?: 1);

	memcpy(text, data, len);
	if (!rbmap_dynamic_parse(text, len, RECORD_HEADER, RECORD_MAX, &line,
				 &error)) {
		check(error.what && error.at <= len);
	} else if (!line.remove) {
		int size_of = rbmap_fetch_print_fmt(&line.program, NULL, 0);
		char *fmt = malloc(size_of + 1);

		check(rbmap_fetch_print_fmt(&line.program, fmt, size_of + 1) ==
		      size_of && (int)strlen(fmt) == size_of);
		free(fmt);
		check_program(&line.program);
		run(&line.program, data + len, size - len);
	}
	free(text);
	return 0;
}
