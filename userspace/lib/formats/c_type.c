// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_type.h"

#define PLACE_SIZE	4	/* bytes of a dynamic field: the place of its data */
#define TYPE_MAX	256	/* bytes of a declaration; the kernel's are shorter */

static const struct {
	const char *name;
	unsigned int size;
} types[] = {
	{ "char", 1 }, { "bool", 1 }, { "_Bool", 1 },
	{ "u8", 1 }, { "s8", 1 }, { "__u8", 1 }, { "__s8", 1 }, { "uint8_t", 1 }, { "int8_t", 1 },
	{ "short", 2 }, { "umode_t", 2 }, { "__le16", 2 }, { "__be16", 2 },
	{ "u16", 2 }, { "s16", 2 }, { "__u16", 2 }, { "__s16", 2 }, { "uint16_t", 2 },
	{ "int16_t", 2 },
	{ "int", 4 }, { "unsigned", 4 }, { "gfp_t", 4 }, { "__le32", 4 }, { "__be32", 4 },
	{ "u32", 4 }, { "s32", 4 }, { "__u32", 4 }, { "__s32", 4 }, { "uint32_t", 4 },
	{ "int32_t", 4 }, { "pid_t", 4 }, { "uid_t", 4 }, { "gid_t", 4 },
	{ "long", 8 }, { "size_t", 8 }, { "ssize_t", 8 }, { "loff_t", 8 }, { "sector_t", 8 },
	{ "u64", 8 }, { "s64", 8 }, { "__u64", 8 }, { "__s64", 8 }, { "uint64_t", 8 },
	{ "int64_t", 8 }, { "__le64", 8 }, { "__be64", 8 }, { "cpumask_t", 8 },
};

/* Locales of programs do not change what a word is. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static size_t last_word(const char *text, size_t len)
{
	size_t at = len;

	while (at && is_word(text[at - 1]))
		at--;
	return at;
}

static size_t trim(const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	return len;
}

/* Return the size of an element of that type, of which @text ends with the last word. */
static unsigned int size_of_type(const char *text, size_t len)
{
	const char *word;

	len = trim(text, len);
	if (len && text[len - 1] == '*')
		return sizeof(uint64_t);
	word = text + last_word(text, len);
	len = text + len - word;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (len == strlen(types[i].name) && !memcmp(word, types[i].name, len))
			return types[i].size;
	return 1;
}

/* Is the last word "char", and is the type not that of numbers with eight bits? */
static bool is_char(const char *text, size_t len)
{
	size_t at;

	len = trim(text, len);
	at = last_word(text, len);
	return len - at == 4 && !memcmp(text + at, "char", 4) &&
	       !memmem(text, len, "signed ", strlen("signed "));
}

/* @elements: the text between the brackets of "char comm[16]", with @len bytes */
static void set_array(struct rbmap_format_field *f, const char *base, size_t base_len,
		      const char *elements, size_t len)
{
	unsigned long nr = 0;

	for (size_t i = 0; i < len && i < 6 && is_digit(elements[i]); i++)
		nr = nr * 10 + (elements[i] - '0');
	f->flags |= RBMAP_FIELD_ARRAY;
	if (is_char(base, base_len))
		f->flags |= RBMAP_FIELD_STRING;
	f->element_size = size_of_type(base, base_len);
	if (f->flags & RBMAP_FIELD_DYNAMIC)
		return;
	/* The kernel also has arrays of structures, and lengths that are constants' names. */
	if (nr && f->size && !(f->size % nr))
		f->element_size = f->size / nr;
	else if (f->size % f->element_size)
		f->element_size = 1;
}

/* Return the length without "[...]" at the end. Store where its bracket begins. */
static size_t without_brackets(const char *text, size_t len, size_t *bracket)
{
	*bracket = len;
	if (!len || text[len - 1] != ']')
		return len;
	while (*bracket && text[*bracket - 1] != '[')
		--*bracket;
	if (*bracket)
		--*bracket;
	return trim(text, *bracket);
}

/* "__data_loc char[] name" */
static bool set_dynamic(struct rbmap_format_field *f, const char *text, size_t type_len)
{
	static const char data_loc[] = "__data_loc ", rel_loc[] = "__rel_loc ";
	size_t skip, len, bracket;

	if (type_len > strlen(data_loc) && !memcmp(text, data_loc, strlen(data_loc)))
		skip = strlen(data_loc);
	else if (type_len > strlen(rel_loc) && !memcmp(text, rel_loc, strlen(rel_loc)))
		skip = strlen(rel_loc);
	else
		return false;
	f->flags |= RBMAP_FIELD_DYNAMIC;
	if (skip == strlen(rel_loc))
		f->flags |= RBMAP_FIELD_RELATIVE;
	len = without_brackets(text + skip, type_len - skip, &bracket);
	set_array(f, text + skip, len, "", 0);
	return true;
}

int c_type_parse(struct rbmap_format_field *f, const char *text, size_t size)
{
	size_t len, bracket, name, type_len, decl_len;
	char *type;

	if (size > TYPE_MAX || memchr(text, 0, size))
		return -EINVAL;
	decl_len = trim(text, size);
	len = without_brackets(text, decl_len, &bracket);
	name = last_word(text, len);
	type_len = trim(text, name);
	if (name == len || !type_len)
		return -EINVAL;
	f->name = strndup(text + name, len - name);
	if (asprintf(&type, "%.*s%.*s", (int)type_len, text, (int)(decl_len - bracket),
		     text + bracket) < 0)
		return -ENOMEM;
	f->type = type;
	if (set_dynamic(f, text, type_len)) {
		if (f->size != PLACE_SIZE)
			return -EINVAL;
	} else if (bracket < decl_len) {
		set_array(f, text, type_len, text + bracket + 1, decl_len - bracket - 2);
	} else {
		f->element_size = f->size;
		if (text[type_len - 1] == '*')
			f->flags |= RBMAP_FIELD_POINTER;
	}
	return f->name ? 0 : -ENOMEM;
}
