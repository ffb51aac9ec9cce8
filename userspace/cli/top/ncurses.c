// SPDX-License-Identifier: GPL-2.0-only
/* The functions of ncurses that the command uses. */
#define NCURSES_NOMACROS
#include <ncurses.h>

#include "command/loaded_library.h"

#define LIBRARY	"libncursesw.so.6"

LOADED_LIBRARY_NOTE(note, "top", "show events on a terminal", "suggested", LIBRARY);

static struct loaded_library library = {
	.name = "ncurses", .file = LIBRARY, .package = "libncursesw6",
};

LOADED_FUNCTION(SCREEN *, newterm, (const char *type, FILE *out, FILE *in), (type, out, in))
LOADED_FUNCTION(int, endwin, (void), ())
LOADED_FUNCTION(void, delscreen, (SCREEN *screen), (screen))
LOADED_FUNCTION(WINDOW *, newwin, (int lines, int columns, int line, int column),
		(lines, columns, line, column))
LOADED_FUNCTION(int, delwin, (WINDOW *window), (window))
LOADED_FUNCTION(int, resize_term, (int lines, int columns), (lines, columns))
LOADED_FUNCTION(int, cbreak, (void), ())
LOADED_FUNCTION(int, noecho, (void), ())
LOADED_FUNCTION(int, keypad, (WINDOW *window, bool on), (window, on))
LOADED_FUNCTION(int, set_escdelay, (int ms), (ms))
LOADED_FUNCTION(void, wtimeout, (WINDOW *window, int ms), (window, ms))
LOADED_FUNCTION(int, wgetch, (WINDOW *window), (window))
LOADED_FUNCTION(int, curs_set, (int visible), (visible))
LOADED_FUNCTION(int, werase, (WINDOW *window), (window))
LOADED_FUNCTION(int, wmove, (WINDOW *window, int line, int column), (window, line, column))
LOADED_FUNCTION(int, waddnstr, (WINDOW *window, const char *text, int size),
		(window, text, size))
LOADED_FUNCTION(int, wattr_set, (WINDOW *window, attr_t attributes, short pair, void *data),
		(window, attributes, pair, data))
LOADED_FUNCTION(int, wrefresh, (WINDOW *window), (window))
LOADED_FUNCTION(int, clearok, (WINDOW *window, bool on), (window, on))
LOADED_FUNCTION(bool, has_colors, (void), ())
LOADED_FUNCTION(int, start_color, (void), ())
LOADED_FUNCTION(int, use_default_colors, (void), ())
LOADED_FUNCTION(int, init_pair, (short pair, short text, short ground), (pair, text, ground))
