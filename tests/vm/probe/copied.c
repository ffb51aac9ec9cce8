// SPDX-License-Identifier: GPL-2.0-only
/* Events that are assembled once for several buffers: records of several sizes. */
#include <linux/module.h>
#include <linux/sched.h>

#include "source.h"

#include <rbmap/probe.h>

RBMAP_PROBE(copied_words, source_hit, SOURCE_PROTO, SOURCE_ARGS,
	TP_STRUCT__entry(
		__field(int, number)
		__field(int, pid)
		__field(u64, twice)
	),
	TP_fast_assign(
		__entry->number = number;
		__entry->pid = current->pid;
		__entry->twice = number * 2ULL;
	),
	TP_printk("number=%d pid=%d twice=%llu", __entry->number, __entry->pid,
		  __entry->twice)
);

/* 13 bytes are not a multiple of 4. */
RBMAP_PROBE(copied_bytes, source_hit, SOURCE_PROTO, SOURCE_ARGS,
	TP_STRUCT__entry(
		__array(u8, bytes, 5)
	),
	TP_fast_assign(
		memset(__entry->bytes, number, sizeof(__entry->bytes));
	),
	TP_printk("bytes=%s", __print_hex(__entry->bytes, 5))
);

RBMAP_PROBE(copied_large, source_hit, SOURCE_PROTO, SOURCE_ARGS,
	TP_STRUCT__entry(
		__array(u16, shorts, 101)
	),
	TP_fast_assign(
		unsigned int i;

		for (i = 0; i < ARRAY_SIZE(__entry->shorts); i++)
			__entry->shorts[i] = number + i;
	),
	TP_printk("shorts=%s", __print_array(__entry->shorts, 101, 2))
);

/* The text is behind the members. So each buffer assembles a record of its own. */
RBMAP_PROBE(copied_text, source_hit, SOURCE_PROTO, SOURCE_ARGS,
	TP_STRUCT__entry(
		__string(text, text)
	),
	TP_fast_assign(
		source_assign_str(text, text);
	),
	TP_printk("text=%s", __get_str(text))
);

RBMAP_PROBE(copied_padded, source_hit, SOURCE_PROTO, SOURCE_ARGS,
	TP_STRUCT__entry(
		__array(char, name, 8)
	),
	TP_fast_assign(
		memset(__entry->name, 0, sizeof(__entry->name));
		memcpy(__entry->name, "cat", 3);
	),
	TP_printk("[%-6s] [%6s] [%.2s] [%5.1s]", __entry->name, __entry->name, __entry->name,
		  __entry->name)
);

RBMAP_MODULE_PROBES("copied", copied_words, copied_bytes, copied_large, copied_text,
		    copied_padded);

MODULE_DESCRIPTION("Events that several buffers record, to test rbmap");
MODULE_LICENSE("GPL");
