// SPDX-License-Identifier: GPL-2.0-only
#define NCURSES_NOMACROS
#include <ctype.h>
#include <ncurses.h>
#include <string.h>

#include "terminal.h"

#define ESCAPE		27
#define DELETE		127
#define SHORTEST	0.1	/* s */
#define LONGEST		60.0

/* A key while the user types the text to search for */
static void type(struct top_view *view, int key)
{
	size_t length = strlen(view->search);

	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		view->asks = false;
		break;
	case ESCAPE:
		view->asks = false;
		*view->search = '\0';
		break;
	case KEY_BACKSPACE:
	case DELETE:
	case '\b':
		if (length)
			view->search[length - 1] = '\0';
		break;
	default:
		if (key < DELETE && isprint(key) && length + 1 < sizeof(view->search)) {
			view->search[length] = (char)key;
			view->search[length + 1] = '\0';
		}
	}
	view->first = 0;
}

static void choose(struct top_view *view, enum row_key key)
{
	view->key = key;
	view->first = 0;
	view->help = false;
}

static void move_by(struct top_view *view, long rows)
{
	if (rows < 0 && view->first < (size_t)-rows)
		view->first = 0;
	else
		view->first += rows;
}

static void set_interval(struct top_view *view, double interval)
{
	if (interval >= SHORTEST && interval <= LONGEST)
		view->interval = interval;
}

bool press_key(struct top_view *view, int key, int rows)
{
	if (view->asks) {
		type(view, key);
		return true;
	}
	switch (key) {
	case 'q':
		return false;
	case 'e':
		choose(view, ROW_EVENT);
		break;
	case 't':
		choose(view, ROW_TASK);
		break;
	case 'c':
		choose(view, ROW_CPU);
		break;
	case 'g':
		choose(view, ROW_CGROUP);
		break;
	case 's':
		view->sort = (view->sort + 1) % NR_ROW_SORTS;
		break;
	case '/':
		view->asks = true;
		view->help = false;
		break;
	case ' ':
		view->paused = !view->paused;
		break;
	case 'h':
	case '?':
		view->help = !view->help;
		break;
	case ESCAPE:
		view->help = false;
		*view->search = '\0';
		break;
	case '+':
		set_interval(view, view->interval * 2);
		break;
	case '-':
		set_interval(view, view->interval / 2);
		break;
	case KEY_UP:
		move_by(view, -1);
		break;
	case KEY_DOWN:
		move_by(view, 1);
		break;
	case KEY_PPAGE:
		move_by(view, -rows);
		break;
	case KEY_NPAGE:
		move_by(view, rows);
		break;
	case KEY_HOME:
		view->first = 0;
		break;
	default:
		break;
	}
	return true;
}
