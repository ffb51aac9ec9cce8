// SPDX-License-Identifier: GPL-2.0-only
#define NCURSES_NOMACROS
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/complain.h"
#include "terminal.h"

#define ESCAPE_MS	25	/* between an Escape and the rest of a key's sequence */
#define CTRL_L		('L' & 0x1f)

/**
 * struct terminal - the terminal
 * @screen: that of ncurses
 * @window: the whole screen
 * @lines, @columns: its size
 */
struct terminal {
	SCREEN *screen;
	WINDOW *window;
	int lines, columns;
};

static void read_size(struct terminal *t)
{
	struct winsize size;

	t->lines = 24;
	t->columns = 80;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col) {
		t->lines = size.ws_row;
		t->columns = size.ws_col;
	}
}

/* Colours are those of base/terminal.h. NO_COLOR is honoured. */
static void begin_colours(void)
{
	const char *no = getenv("NO_COLOR");

	if ((no && *no) || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(COLOUR_BAD, COLOR_RED, -1);
	init_pair(COLOUR_WARNING, COLOR_YELLOW, -1);
}

static bool begin_window(struct terminal *t)
{
	read_size(t);
	t->window = newwin(t->lines, t->columns, 0, 0);
	if (!t->window)
		return false;
	keypad(t->window, true);
	wtimeout(t->window, 0);
	return true;
}

struct terminal *terminal_open(void)
{
	const char *type = getenv("TERM");
	struct terminal *t;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		complain("standard input or output is not a terminal: 'rbmap top --batch' prints text");
		return NULL;
	}
	t = calloc(1, sizeof(*t));
	if (!t) {
		complain("out of memory");
		return NULL;
	}
	setlocale(LC_CTYPE, "");
	t->screen = newterm(NULL, stdout, stdin);
	if (!t->screen) {
		complain("ncurses does not know the terminal '%s': set TERM, or use 'rbmap top --batch'",
			 type ? type : "");
		free(t);
		return NULL;
	}
	cbreak();
	noecho();
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	begin_colours();
	if (begin_window(t))
		return t;
	terminal_close(t);
	complain("out of memory");
	return NULL;
}

void terminal_close(struct terminal *t)
{
	if (!t)
		return;
	if (t->window)
		delwin(t->window);
	curs_set(1);
	endwin();
	delscreen(t->screen);
	free(t);
}

static void put_line(void *data, int line, enum colour colour, const char *text)
{
	struct terminal *t = data;

	if (line >= t->lines || wmove(t->window, line, 0) == ERR)
		return;
	wattr_set(t->window, colour == COLOUR_HEADING ? A_BOLD : A_NORMAL,
		  colour == COLOUR_BAD || colour == COLOUR_WARNING ? colour : 0, NULL);
	waddnstr(t->window, text, -1);
}

void terminal_show(struct terminal *t, const struct picture *picture)
{
	werase(t->window);
	layout_draw(picture, t->columns, t->lines, put_line, t);
	wrefresh(t->window);
}

static void resize(struct terminal *t)
{
	delwin(t->window);
	read_size(t);
	resize_term(t->lines, t->columns);
	if (!begin_window(t)) {
		endwin();
		complain("out of memory");
		exit(STATUS_ERROR);
	}
	clearok(t->window, true);
}

bool terminal_keys(struct terminal *t, struct top_view *view, bool *quit)
{
	bool changed = false;
	int key;

	while (!*quit && (key = wgetch(t->window)) != ERR) {
		changed = true;
		if (key == KEY_RESIZE)
			resize(t);
		else if (key == CTRL_L)
			clearok(t->window, true);
		else
			*quit = !press_key(view, key, layout_rows(t->lines));
	}
	return changed;
}
