// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with a tracepoint: echo "NUMBER TEXT"
 * >/sys/module/source/parameters/hit hits it. TEXT "NULL" is a null pointer,
 * "LONG" is longer than any record. echo NUMBER >.../hits hits it NUMBER times, with
 * the numbers from 0 on.
 */
#include <linux/module.h>
#include <linux/string.h>

#define CREATE_TRACE_POINTS
#include "source.h"

#define SOURCE_WORDS	9000

static u64 source_words[SOURCE_WORDS];
static char source_long[6000];

static int source_hit(const char *line, const struct kernel_param *param)
{
	char text[64];
	const char *shown = text;
	int number;

	if (sscanf(line, "%d %63s", &number, text) != 2 || number < 0 ||
	    number > SOURCE_WORDS)
		return -EINVAL;
	if (!strcmp(text, "NULL"))
		shown = NULL;
	if (!strcmp(text, "LONG"))
		shown = source_long;
	trace_source_hit(number, shown, source_words);
	return 0;
}

static const struct kernel_param_ops source_hit_ops = { .set = source_hit };

/* patched.c replaces it, where nobody inlines it. */
static noinline unsigned int source_number(unsigned int i)
{
	asm volatile("" : "+r" (i));
	return i;
}

static int source_hits(const char *line, const struct kernel_param *param)
{
	unsigned int number, i;

	if (kstrtouint(line, 10, &number) || number > SOURCE_WORDS)
		return -EINVAL;
	for (i = 0; i < number; i++)
		trace_source_hit(source_number(i), "", source_words);
	return 0;
}

static const struct kernel_param_ops source_hits_ops = { .set = source_hits };

module_param_cb(hit, &source_hit_ops, NULL, 0200);
module_param_cb(hits, &source_hits_ops, NULL, 0200);

static int __init source_init(void)
{
	unsigned int i;

	memset(source_long, 'x', sizeof(source_long) - 1);
	for (i = 0; i < SOURCE_WORDS; i++)
		source_words[i] = i * 3;
	return 0;
}

static void __exit source_exit(void)
{
}

module_init(source_init);
module_exit(source_exit);

MODULE_DESCRIPTION("A tracepoint, to test probes of rbmap");
MODULE_LICENSE("GPL");
