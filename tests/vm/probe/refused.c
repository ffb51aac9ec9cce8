// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that cannot be registered. insmod refused.ko number=N must fail; if it
 * loads, the event was accepted. number=-1 prints how many events there are.
 */
#include <linux/module.h>
#include <rbmap/event.h>

static int number = -1;
module_param(number, int, 0);

#define FIELD(...)	((const struct rbmap_field[]){ { __VA_ARGS__ }, {} })
#define GOOD		.fields = FIELD(.type = "int", .name = "x", .size = 4, .align = 4), \
			.print_fmt = "\"\""
#define NAME_8		"abcdefgh"
#define NAME_64		NAME_8 NAME_8 NAME_8 NAME_8 NAME_8 NAME_8 NAME_8 NAME_8

static struct rbmap_event_type refused[] = {
	{ .system = "rbmap", .name = "marker", GOOD },
	{ .system = "sched", .name = "sched_switch", GOOD },
	{ .name = "none", GOOD },
	{ .system = "none", GOOD },
	{ .system = "", .name = "none", GOOD },
	{ .system = "a/b", .name = "none", GOOD },
	{ .system = "..", .name = "none", GOOD },
	{ .system = "1st", .name = "none", GOOD },
	{ .system = "refused", .name = "a b", GOOD },
	{ .system = "refused", .name = "\033[2J", GOOD },
	{ .system = "refused", .name = NAME_64 "x", GOOD },
	{ .system = "refused", .name = "enable", GOOD },
	{ .system = "header_page", .name = "none", GOOD },
	{ .system = "refused", .name = "no_print",
	  .fields = FIELD(.type = "int", .name = "x", .size = 4, .align = 4) },
	{ .system = "refused", .name = "field_name", .print_fmt = "",
	  .fields = FIELD(.type = "int", .name = "x y", .size = 4, .align = 4) },
	{ .system = "refused", .name = "field_type", .print_fmt = "",
	  .fields = FIELD(.type = "int;", .name = "x", .size = 4, .align = 4) },
	{ .system = "refused", .name = "field_type_line", .print_fmt = "",
	  .fields = FIELD(.type = "int\n", .name = "x", .size = 4, .align = 4) },
	{ .system = "refused", .name = "field_no_type", .print_fmt = "",
	  .fields = FIELD(.name = "x", .size = 4, .align = 4) },
	{ .system = "refused", .name = "field_align", .print_fmt = "",
	  .fields = FIELD(.type = "int", .name = "x", .size = 4, .align = 3) },
	{ .system = "refused", .name = "field_no_align", .print_fmt = "",
	  .fields = FIELD(.type = "int", .name = "x", .size = 4) },
	{ .system = "refused", .name = "field_size", .print_fmt = "",
	  .fields = FIELD(.type = "int", .name = "x", .align = 4) },
	{ .system = "refused", .name = "field_len", .print_fmt = "",
	  .fields = FIELD(.type = "int", .name = "x", .size = 10, .align = 4, .len = 4) },
	{ .system = "refused", .name = "field_negative", .print_fmt = "",
	  .fields = FIELD(.type = "int", .name = "x", .size = 4, .align = 4, .len = -2) },
	{ .system = "refused", .name = "field_twice", .print_fmt = "",
	  .fields = (const struct rbmap_field[]){
		{ .type = "int", .name = "x", .size = 4, .align = 4 },
		{ .type = "char", .name = "x", .size = 1, .align = 1 }, {} } },
	{ .system = "refused", .name = "field_open", .print_fmt = "",
	  .fields = (const struct rbmap_field[]){
		{ .type = "char", .name = "x", .align = 1, .len = RBMAP_FIELD_OPEN },
		{ .type = "char", .name = "y", .size = 1, .align = 1 }, {} } },
	{ .system = "refused", .name = "record", .print_fmt = "",
	  .fields = (const struct rbmap_field[]){
		{ .type = "char", .name = "x", .size = 4000, .align = 1, .len = 4000 },
		{ .type = "char", .name = "y", .size = 100, .align = 1, .len = 100 }, {} } },
};

static struct rbmap_event_type accepted = {
	.system = "refused",
	.name = NAME_64,
	GOOD,
};

static int __init refused_init(void)
{
	if (number >= 0 && number < ARRAY_SIZE(refused))
		return rbmap_event_register(&refused[number]);
	pr_info("refused: %zu events\n", ARRAY_SIZE(refused));
	return rbmap_event_register(&accepted);
}

static void __exit refused_exit(void)
{
	rbmap_event_unregister(&accepted);
}

module_init(refused_init);
module_exit(refused_exit);

MODULE_DESCRIPTION("Events that rbmap refuses, to test it");
MODULE_LICENSE("GPL");
