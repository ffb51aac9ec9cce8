// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of dynamic_events:
 *
 *	t:GROUP/EVENT TRACEPOINT [NAME=FETCH:TYPE]...
 *	-:GROUP/EVENT
 *
 * FETCH is $argN, +OFF(FETCH) or -OFF(FETCH), TYPE is u8 to u64, s8 to s64, x8 to
 * x64, any of these with [N], bWIDTH@OFFSET/BITS, sbWIDTH@OFFSET/BITS or string.
 * The writer of a line is not trusted: any other text is refused.
 */
#include "program.h"

struct rbmap_line_cursor {
	const char		*text;
	size_t			len;
	size_t			at;
	struct rbmap_line_error	*error;
};

/* Return 0 at the end of the text, and for a 0 in the text: callers accept neither. */
static char rbmap_peek(const struct rbmap_line_cursor *cursor)
{
	return cursor->at < cursor->len ? cursor->text[cursor->at] : 0;
}

static bool rbmap_wrong(struct rbmap_line_cursor *cursor, size_t at, const char *what)
{
	cursor->error->at = at;
	cursor->error->what = what;
	return false;
}

static bool rbmap_accept(struct rbmap_line_cursor *cursor, char c)
{
	if (cursor->at == cursor->len || rbmap_peek(cursor) != c)
		return false;
	cursor->at++;
	return true;
}

static bool rbmap_expect(struct rbmap_line_cursor *cursor, char c, const char *what)
{
	return rbmap_accept(cursor, c) || rbmap_wrong(cursor, cursor->at, what);
}

static bool rbmap_accept_word(struct rbmap_line_cursor *cursor, const char *word)
{
	size_t len = strlen(word);

	if (cursor->len - cursor->at < len ||
	    memcmp(cursor->text + cursor->at, word, len))
		return false;
	cursor->at += len;
	return true;
}

static bool rbmap_skip_blanks(struct rbmap_line_cursor *cursor)
{
	size_t begin = cursor->at;

	while (rbmap_accept(cursor, ' ') || rbmap_accept(cursor, '\t'))
		;
	return cursor->at > begin;
}

static bool rbmap_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool rbmap_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A name as C has them; @name has room for @max bytes and a 0. */
static bool rbmap_parse_name(struct rbmap_line_cursor *cursor, char *name,
			     size_t max, const char *what)
{
	size_t begin = cursor->at, len;

	if (!rbmap_is_letter(rbmap_peek(cursor)))
		return rbmap_wrong(cursor, begin, what);
	while (rbmap_is_letter(rbmap_peek(cursor)) ||
	       rbmap_is_digit(rbmap_peek(cursor)))
		cursor->at++;
	len = cursor->at - begin;
	if (len > max)
		return rbmap_wrong(cursor, begin, max == RBMAP_DYNAMIC_NAME_MAX ?
				   "the name is too long: at most 64 characters" :
				   "the name is too long: at most 32 characters");
	memcpy(name, cursor->text + begin, len);
	name[len] = 0;
	return true;
}

/* GROUP/EVENT.  Names of files in these directories are refused. */
static bool rbmap_parse_event_name(struct rbmap_line_cursor *cursor,
				   struct rbmap_dynamic_line *line)
{
	size_t begin = cursor->at;

	if (!rbmap_parse_name(cursor, line->group, RBMAP_DYNAMIC_NAME_MAX,
			      "a group's name is wanted: letters, digits and '_'"))
		return false;
	if (!strcmp(line->group, "enable") ||
	    !strcmp(line->group, "header_page") ||
	    !strcmp(line->group, "header_event"))
		return rbmap_wrong(cursor, begin,
				   "events has a file of that name: choose another group");
	if (!rbmap_expect(cursor, '/', "'/' and the event's name are wanted"))
		return false;
	begin = cursor->at;
	if (!rbmap_parse_name(cursor, line->event, RBMAP_DYNAMIC_NAME_MAX,
			      "an event's name is wanted: letters, digits and '_'"))
		return false;
	if (!strcmp(line->event, "enable") || !strcmp(line->event, "filter"))
		return rbmap_wrong(cursor, begin,
				   "a group has a file of that name: choose another event's name");
	return true;
}

static unsigned int rbmap_digit_of(char c, unsigned int base)
{
	if (rbmap_is_digit(c))
		return c - '0';
	if (base == 16 && c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (base == 16 && c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return base;
}

/* Decimal, or hexadecimal behind 0x where @hex; 0 to @max. */
static bool rbmap_parse_number(struct rbmap_line_cursor *cursor, bool hex, u32 max,
			       u32 *value, const char *what)
{
	size_t begin = cursor->at;
	unsigned int base = 10, digit;
	u64 number = 0;

	if (hex && (rbmap_accept_word(cursor, "0x") ||
		    rbmap_accept_word(cursor, "0X")))
		base = 16;
	if (rbmap_digit_of(rbmap_peek(cursor), base) == base)
		return rbmap_wrong(cursor, begin, what);
	while ((digit = rbmap_digit_of(rbmap_peek(cursor), base)) < base) {
		number = number * base + digit;
		if (number > max)
			return rbmap_wrong(cursor, begin, what);
		cursor->at++;
	}
	*value = number;
	return true;
}

#define RBMAP_FETCH_WANTED	"$argN, +OFFSET($argN) or +OFFSET(+OFFSET($argN)) is wanted"

static bool rbmap_parse_fetch(struct rbmap_line_cursor *cursor,
			      struct rbmap_fetch *fetch)
{
	s32 outer[RBMAP_FETCH_OFFSETS];
	unsigned int nr = 0, i;
	size_t begin;
	bool minus;
	u32 value;

	for (;;) {
		begin = cursor->at;
		minus = rbmap_accept(cursor, '-');
		if (!minus && !rbmap_accept(cursor, '+'))
			break;
		if (nr == RBMAP_FETCH_OFFSETS)
			return rbmap_wrong(cursor, begin,
					   "too many pointers to follow: at most 8");
		if (!rbmap_parse_number(cursor, true, INT_MAX, &value,
					"an offset from 0 to 2147483647 is wanted, or 0x0 to 0x7fffffff") ||
		    !rbmap_expect(cursor, '(',
				  "'(' and what the offset is added to are wanted"))
			return false;
		outer[nr++] = minus ? -(s32)value : (s32)value;
	}
	if (!rbmap_accept_word(cursor, "$arg"))
		return rbmap_wrong(cursor, cursor->at, RBMAP_FETCH_WANTED);
	begin = cursor->at;
	if (!rbmap_parse_number(cursor, false, RBMAP_ARGS_MAX, &value,
				RBMAP_ARGS_MAX == 12 ?
				"the number of an argument is wanted, 1 to 12" :
				"the number of an argument is wanted, 1 to 7"))
		return false;
	if (!value)
		return rbmap_wrong(cursor, begin,
				   "arguments are counted from 1 on");
	fetch->arg = value;
	fetch->nr_offsets = nr;
	for (i = 0; i < nr; i++) {
		if (!rbmap_expect(cursor, ')', "')' is wanted"))
			return false;
		fetch->offset[i] = outer[nr - 1 - i];
	}
	return true;
}

#define RBMAP_TYPE_WANTED						\
	"no such type: u8 to u64, s8 to s64, x8 to x64, one of these with [N], string, bWIDTH@OFFSET/BITS or sbWIDTH@OFFSET/BITS is wanted"

static bool rbmap_parse_bits(struct rbmap_line_cursor *cursor,
			     struct rbmap_fetch *fetch)
{
	size_t begin = cursor->at;
	u32 width, bit, bits;

	if (!rbmap_parse_number(cursor, false, 64, &width,
				"the bits' number is wanted, 1 to 64") ||
	    !rbmap_expect(cursor, '@', "'@' and the lowest bit are wanted") ||
	    !rbmap_parse_number(cursor, false, 63, &bit,
				"the lowest bit is wanted, 0 to 63") ||
	    !rbmap_expect(cursor, '/',
			  "'/' and what has the bits are wanted: 8, 16, 32 or 64"))
		return false;
	if (!rbmap_parse_number(cursor, false, 64, &bits,
				"what has the bits is wanted: 8, 16, 32 or 64"))
		return false;
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		return rbmap_wrong(cursor, begin,
				   "what has the bits has 8, 16, 32 or 64 of them");
	if (!width || bit + width > bits)
		return rbmap_wrong(cursor, begin,
				   "there are no such bits: WIDTH is 1 or more, OFFSET and WIDTH together at most BITS");
	fetch->kind = RBMAP_FETCH_BITS;
	fetch->size = bits / BITS_PER_BYTE;
	fetch->bit = bit;
	fetch->width = width;
	return true;
}

static bool rbmap_parse_array(struct rbmap_line_cursor *cursor,
			      struct rbmap_fetch *fetch)
{
	size_t begin = cursor->at;
	u32 elements;

	if (!rbmap_parse_number(cursor, false, RBMAP_FETCH_ELEMENTS, &elements,
				"the number of elements is wanted, 1 to 64"))
		return false;
	if (!elements)
		return rbmap_wrong(cursor, begin,
				   "the number of elements is wanted, 1 to 64");
	if (!fetch->nr_offsets)
		return rbmap_wrong(cursor, begin,
				   "an argument is no array: +0($argN) is what it points to");
	fetch->kind = RBMAP_FETCH_ARRAY;
	fetch->elements = elements;
	return rbmap_expect(cursor, ']', "']' is wanted");
}

static bool rbmap_parse_type(struct rbmap_line_cursor *cursor,
			     struct rbmap_fetch *fetch)
{
	size_t begin = cursor->at;
	u32 bits;

	if (rbmap_accept_word(cursor, "string")) {
		fetch->kind = RBMAP_FETCH_STRING;
		fetch->form = 'u';
		fetch->size = sizeof(u32);
		return true;
	}
	if (rbmap_accept_word(cursor, "sb")) {
		fetch->form = 's';
		return rbmap_parse_bits(cursor, fetch);
	}
	if (rbmap_accept(cursor, 'b')) {
		fetch->form = 'u';
		return rbmap_parse_bits(cursor, fetch);
	}
	fetch->form = rbmap_peek(cursor);
	if (fetch->form != 'u' && fetch->form != 's' && fetch->form != 'x')
		return rbmap_wrong(cursor, begin, RBMAP_TYPE_WANTED);
	cursor->at++;
	if (!rbmap_parse_number(cursor, false, 64, &bits, RBMAP_TYPE_WANTED))
		return false;
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		return rbmap_wrong(cursor, begin, RBMAP_TYPE_WANTED);
	fetch->kind = RBMAP_FETCH_NUMBER;
	fetch->size = bits / BITS_PER_BYTE;
	return rbmap_accept(cursor, '[') ? rbmap_parse_array(cursor, fetch) :
					   true;
}

static bool rbmap_field_exists(const struct rbmap_fetch_program *program,
			       const char *name)
{
	unsigned int i;

	for (i = 0; i < program->nr; i++) {
		if (!strcmp(program->fetch[i].name, name))
			return true;
	}
	return false;
}

static bool rbmap_parse_field_name(struct rbmap_line_cursor *cursor,
				   const struct rbmap_fetch_program *program,
				   struct rbmap_fetch *fetch)
{
	size_t begin = cursor->at;

	if (!rbmap_parse_name(cursor, fetch->name, RBMAP_FETCH_NAME_MAX,
			      "NAME=FETCH:TYPE is wanted"))
		return false;
	if (!strncmp(fetch->name, "common_", strlen("common_")) ||
	    !strcmp(fetch->name, RBMAP_FAULTS))
		return rbmap_wrong(cursor, begin,
				   "each record has that field already: choose another name");
	if (rbmap_field_exists(program, fetch->name))
		return rbmap_wrong(cursor, begin,
				   "there is a field of that name already: choose another one");
	return rbmap_expect(cursor, '=', "'=' and what the field gets are wanted");
}

/* Test whether a field is found without reading memory. */
static bool rbmap_fetch_in_register(const struct rbmap_fetch *fetch)
{
	return fetch->kind != RBMAP_FETCH_STRING && !fetch->nr_offsets &&
	       fetch->arg <= RBMAP_REGISTER_ARGS;
}

static void rbmap_fetch_classify(struct rbmap_fetch_program *program,
				 struct rbmap_fetch *fetch)
{
	if (!rbmap_fetch_in_register(fetch))
		program->reads = true;
	else if (fetch->kind == RBMAP_FETCH_NUMBER && !rbmap_fetch_may_be_address(fetch))
		fetch->kind = RBMAP_FETCH_REGISTER;
}

/* Give the field its offset, as C does for a member of a structure. */
static bool rbmap_field_place(struct rbmap_fetch_program *program, size_t max)
{
	struct rbmap_fetch *fetch = &program->fetch[program->nr];
	size_t at = ALIGN((size_t)program->size, fetch->size), text;

	program->nr_strings += fetch->kind == RBMAP_FETCH_STRING;
	text = program->nr_strings * RBMAP_FETCH_STRING_MAX;
	fetch->at = at;
	at += fetch->size * (fetch->elements ?: 1);
	if (program->nr_strings > RBMAP_FETCH_STRINGS || at + text > max)
		return false;
	rbmap_fetch_classify(program, fetch);
	program->size = at;
	program->nr++;
	return true;
}

static bool rbmap_parse_field(struct rbmap_line_cursor *cursor,
			      struct rbmap_fetch_program *program, size_t max)
{
	struct rbmap_fetch *fetch = &program->fetch[program->nr];
	size_t begin = cursor->at;

	if (program->nr == RBMAP_FETCH_FIELDS)
		return rbmap_wrong(cursor, begin, "too many fields: at most 32");
	if (!rbmap_parse_field_name(cursor, program, fetch) ||
	    !rbmap_parse_fetch(cursor, fetch) ||
	    !rbmap_expect(cursor, ':', "':' and the field's type are wanted") ||
	    !rbmap_parse_type(cursor, fetch))
		return false;
	if (cursor->at < cursor->len && rbmap_peek(cursor) != ' ' &&
	    rbmap_peek(cursor) != '\t')
		return rbmap_wrong(cursor, cursor->at,
				   "a blank or the end of the line is wanted");
	return rbmap_field_place(program, max) ||
	       rbmap_wrong(cursor, begin,
			   "the record gets too large: fewer fields, shorter arrays or fewer strings (of up to 256 bytes) fit");
}

static bool rbmap_parse_line(struct rbmap_line_cursor *cursor, size_t max,
			     struct rbmap_dynamic_line *line)
{
	line->remove = rbmap_accept_word(cursor, "-:");
	if (!line->remove && !rbmap_accept_word(cursor, "t:"))
		return rbmap_wrong(cursor, cursor->at,
				   "t:GROUP/EVENT TRACEPOINT [NAME=FETCH:TYPE]... or -:GROUP/EVENT is wanted");
	if (!rbmap_parse_event_name(cursor, line))
		return false;
	if (!line->remove) {
		if (!rbmap_skip_blanks(cursor))
			return rbmap_wrong(cursor, cursor->at,
					   "a blank and the name of a tracepoint are wanted");
		if (!rbmap_parse_name(cursor, line->tracepoint,
				      RBMAP_DYNAMIC_NAME_MAX,
				      "the name of a tracepoint is wanted"))
			return false;
		while (rbmap_skip_blanks(cursor) && cursor->at < cursor->len) {
			if (!rbmap_parse_field(cursor, &line->program, max))
				return false;
		}
	}
	rbmap_skip_blanks(cursor);
	return cursor->at == cursor->len ||
	       rbmap_wrong(cursor, cursor->at, line->remove ?
			   "the end of the line is wanted" :
			   "a blank or the end of the line is wanted");
}

/**
 * rbmap_dynamic_parse - parse a line, or refuse it
 * @text: the line, without a newline
 * @len: its bytes
 * @header: bytes that each record begins with
 * @max: bytes of the largest record
 * @line: filled
 * @error: filled if it is refused
 *
 * Context: any.
 * Return: true if the line is valid: each number in @line is within the bounds of
 * program.h, and each field within a record of @max bytes.  Else false.
 */
bool rbmap_dynamic_parse(const char *text, size_t len, size_t header,
			 size_t max, struct rbmap_dynamic_line *line,
			 struct rbmap_line_error *error)
{
	struct rbmap_line_cursor cursor = {
		.text = text, .len = len, .error = error,
	};
	struct rbmap_fetch_program *program = &line->program;

	memset(line, 0, sizeof(*line));
	program->header = header;
	program->faults = ALIGN(header, sizeof(u32));
	program->size = program->faults + sizeof(u32);
	return rbmap_parse_line(&cursor, max, line);
}
