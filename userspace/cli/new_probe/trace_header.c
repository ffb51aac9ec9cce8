// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "live/probe/field_expr.h"
#include "trace_header.h"

/* Places of the headers with tracepoints that modules can include. */
static const char *const places[] = {
	"include/trace/events/*.h", "include/ras/*.h",
	"arch/*/include/asm/trace/*.h",
};

static struct word word_at(const char **p)
{
	struct word word = { .s = *p };

	while (isalnum((unsigned char)**p) || **p == '_')
		(*p)++;
	word.len = *p - word.s;
	return word;
}

static void skip_blanks(const char **p)
{
	while (isspace((unsigned char)**p))
		(*p)++;
}

static bool is_word(struct word word, const char *text, size_t len)
{
	return word.len == len && !strncmp(word.s, text, len);
}

static bool begins_with(struct word word, const char *text)
{
	return word.len >= strlen(text) &&
	       !strncmp(word.s, text, strlen(text));
}

/* Macros of a header may make several tracepoints of a word. */
static bool is_stem(struct word word, const char *tracepoint)
{
	static const char *const ends[] = { "", "_entry", "_exit", "_tp" };
	size_t len = strlen(tracepoint), end;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		end = strlen(ends[i]);
		if (len > end && !strcmp(tracepoint + len - end, ends[i]) &&
		    is_word(word, tracepoint, len - end))
			return true;
	}
	return false;
}

/*
 * Rate MACRO(first, second: the kernel's own macros are certain, others likely.
 */
static int declares(struct word macro, struct word first, struct word second,
		    const char *tracepoint)
{
	if (begins_with(macro, "TRACE_EVENT"))
		return is_word(first, tracepoint, strlen(tracepoint)) ? 2 : 0;
	if (begins_with(macro, "DEFINE_EVENT"))
		return is_word(second, tracepoint, strlen(tracepoint)) ? 2 : 0;
	if (begins_with(macro, "DEFINE_") || begins_with(macro, "DECLARE_TRACE"))
		return is_stem(first, tracepoint);
	return 0;
}

int trace_header_declares(const char *text, const char *tracepoint)
{
	struct word macro, first, second;
	int best = 0, rank;
	const char *q;

	for (const char *p = text; *p;) {
		if (!isupper((unsigned char)*p)) {
			/* Compare words only from their beginnings. */
			if (!word_at(&p).len)
				p++;
			continue;
		}
		macro = word_at(&p);
		if (*p != '(')
			continue;
		q = p + 1;
		skip_blanks(&q);
		first = word_at(&q);
		skip_blanks(&q);
		second = (struct word){ q, 0 };
		if (*q == ',') {
			q++;
			skip_blanks(&q);
			second = word_at(&q);
		}
		rank = declares(macro, first, second, tracepoint);
		if (rank > best)
			best = rank;
	}
	return best;
}

/* Store the best header of a source tree in *header. */
static int search(const char *root, const char *tracepoint, int best,
		  char *header, size_t size)
{
	char pattern[PATH_MAX];
	struct buf text;
	glob_t found;
	int rank;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(pattern, sizeof(pattern), "%s/%s", root, places[i]);
		if (glob(pattern, 0, NULL, &found))
			continue;
		for (size_t f = 0; f < found.gl_pathc; f++) {
			text = (struct buf){ 0 };
			buf_read_file(&text, found.gl_pathv[f]);
			buf_add(&text, "", 1);
			rank = text.failed ? 0 :
				trace_header_declares(text.data, tracepoint);
			if (rank > best) {
				best = rank;
				snprintf(header, size, "%s",
					 strstr(found.gl_pathv[f] + strlen(root),
						"include/") +
					 strlen("include/"));
			}
			buf_free(&text);
		}
		globfree(&found);
	}
	return best;
}

/*
 * The Makefile of Debian's headers only includes another one: "include
 * DIR/Makefile".
 */
static bool included_root(const char *kdir, char *root, size_t size)
{
	char path[PATH_MAX], *line, *save = NULL, *end;
	struct buf text = { 0 };
	bool found = false;

	snprintf(path, sizeof(path), "%s/Makefile", kdir);
	buf_read_file(&text, path);
	buf_add(&text, "", 1);
	for (line = text.failed ? NULL : strtok_r(text.data, "\n", &save);
	     line && !found; line = strtok_r(NULL, "\n", &save)) {
		end = strstr(line, "/Makefile");
		found = !strncmp(line, "include /", strlen("include /")) &&
			end && !end[strlen("/Makefile")];
		if (found)
			snprintf(root, size, "%.*s",
				 (int)(end - line - strlen("include ")),
				 line + strlen("include "));
	}
	buf_free(&text);
	return found;
}

bool trace_header_find(const char *kdir, const char *tracepoint, char *header,
		       size_t size)
{
	char root[PATH_MAX];
	int best = search(kdir, tracepoint, 0, header, size);

	if (included_root(kdir, root, sizeof(root)))
		best = search(root, tracepoint, best, header, size);
	snprintf(root, sizeof(root), "%s/source", kdir);
	return search(root, tracepoint, best, header, size) > 0;
}
