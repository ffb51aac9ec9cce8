// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/printable.h"
#include "base/units.h"
#include "collector/index/database.h"
#include "print.h"

#define NS_PER_SEC	1000000000LL

void print_text(const char *text, int width)
{
	struct buf b = { 0 };

	buf_add_printable(&b, text, strlen(text));
	if (!b.failed)
		printf("%.*s%*s ", (int)b.size, b.data ? b.data : "",
		       b.size < (size_t)width ? width - (int)b.size : 0, "");
	buf_free(&b);
}

void print_line(const char *name, const char *value)
{
	if (!*value)
		return;
	printf("%s: ", name);
	print_text(value, 0);
	putchar('\n');
}

const char *cell_number(uint64_t number, char cell[CELL_SIZE])
{
	if (number == INDEX_UNKNOWN)
		return "-";
	snprintf(cell, CELL_SIZE, "%" PRIu64, number);
	return cell;
}

const char *cell_size(uint64_t bytes, char cell[CELL_SIZE])
{
	return bytes == INDEX_UNKNOWN ? "-" : size_text(bytes, cell);
}

const char *cell_time(uint64_t ns, char cell[CELL_SIZE])
{
	time_t seconds = ns / NS_PER_SEC;
	struct tm tm;

	if (ns == INDEX_UNKNOWN || !localtime_r(&seconds, &tm) ||
	    !strftime(cell, CELL_SIZE, "%FT%T", &tm))
		return "-";
	return cell;
}

const char *cell_span(int64_t ns, char cell[CELL_SIZE])
{
	double size = ns < 0 ? -(double)ns : (double)ns;

	if (size < 1e6)
		snprintf(cell, CELL_SIZE, "%.0f us", ns / 1e3);
	else if (size < 1e9)
		snprintf(cell, CELL_SIZE, "%.1f ms", ns / 1e6);
	else
		snprintf(cell, CELL_SIZE, "%.3f s", ns / 1e9);
	return cell;
}

const char *cell_between(uint64_t from, uint64_t to, char cell[CELL_SIZE])
{
	if (from == INDEX_UNKNOWN || to == INDEX_UNKNOWN)
		return "-";
	/* Both are below 2^63. */
	return cell_span((int64_t)to - (int64_t)from, cell);
}

void json_known(struct json *j, const char *key, uint64_t number)
{
	if (number == INDEX_UNKNOWN)
		json_null(j, key);
	else
		json_unsigned(j, key, number);
}

void json_text(struct json *j, const char *key, const char *text)
{
	if (*text)
		json_string(j, key, text);
	else
		json_null(j, key);
}
