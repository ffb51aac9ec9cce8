// SPDX-License-Identifier: GPL-2.0-only
/* Patterns with *, ? and []: the same as in the kernel's glob_match(). */
#include "filter.h"

/*
 * [abc], [a-z], [!abc]; a ] that comes first is one of them.  Returns what is
 * behind it, or NULL: it has no end.
 */
static const char *rbmap_glob_class(const char *at, unsigned char c,
					    bool *hit)
{
	bool inverted = *at == '!', within = false;
	unsigned char first, last;

	at += inverted;
	do {
		first = last = *at++;
		if (!first)
			return NULL;
		if (at[0] == '-' && at[1] != ']') {
			last = at[1];
			if (!last)
				return NULL;
			at += 2;
		}
		within |= first <= c && c <= last;
	} while (*at != ']');
	*hit = c && within != inverted;
	return at + 1;
}

/* Match anything but a star.  c is 0 at the end of the text, where the pattern must end. */
static bool rbmap_glob_one(const char **pattern, unsigned char c)
{
	const char *at = *pattern, *behind;
	unsigned char wanted = *at;
	bool hit;

	if (wanted == '?') {
		*pattern = at + 1;
		return c;
	}
	if (wanted == '[') {
		behind = rbmap_glob_class(at + 1, c, &hit);
		if (behind) {
			*pattern = behind;
			return hit;
		}
	}
	if (wanted == '\\')
		wanted = *++at;
	*pattern = at + 1;
	return c == wanted;
}

/**
 * rbmap_filter_glob - test whether a text matches a pattern
 * @pattern: pattern, ended by a 0
 * @text: text, ended by a 0 or after @len bytes
 * @len: bytes of @text that may be read
 *
 * Only the last star is tried again, so the number of steps is at most the product
 * of both lengths.
 *
 * Context: any.
 */
bool rbmap_filter_glob(const char *pattern, const char *text, size_t len)
{
	const char *star = NULL;
	size_t at = 0, again = 0;
	unsigned char c;

	for (;;) {
		if (*pattern == '*') {
			star = ++pattern;
			again = at;
			if (!*pattern)
				return true;
			continue;
		}
		c = at < len ? text[at] : 0;
		if (rbmap_glob_one(&pattern, c)) {
			if (!c)
				return true;
			at++;
			continue;
		}
		if (!c || !star)
			return false;
		pattern = star;
		at = ++again;
	}
}
