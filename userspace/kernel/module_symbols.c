// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/rbmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "anonymous_buffer.h"
#include "base/hash.h"
#include "module_symbols.h"
#include "symbols/symbols.h"

#define TEXT_SIZE	(256 << 10)
#define KEPT_BITS	16
#define NR_KEPT		(1u << KEPT_BITS)
#define MAX_KEPT	(NR_KEPT / 2)

/* A text like "name+0x10/0x200 [module]", divided into its parts. */
struct answer {
	char *name;
	char *module;		/* NULL: the kernel itself */
	uint64_t offset, size;
};

/* Called for each address; @answer is NULL for one without a symbol. */
typedef bool answer_fn(void *data, uint64_t addr, const struct answer *answer);

static bool parse_answer(char *text, struct answer *answer)
{
	char *plus = strrchr(text, '+'), *end;

	if (!plus || plus == text)
		return false;
	*plus++ = '\0';
	answer->name = text;
	answer->offset = strtoull(plus, &end, 16);
	if (*end != '/')
		return false;
	answer->size = strtoull(end + 1, &end, 16);
	answer->module = NULL;
	if (!strncmp(end, " [", 2)) {
		answer->module = end + 2;
		answer->module[strcspn(answer->module, " ]")] = '\0';
	}
	return true;
}

static int give_answers(const uint64_t *addr, size_t nr, char *text, answer_fn *each,
			void *data)
{
	struct answer answer;

	for (size_t i = 0; i < nr; i++) {
		char *next = text + strlen(text) + 1;

		if (!each(data, addr[i], parse_answer(text, &answer) ? &answer : NULL))
			return -ENOMEM;
		text = next;
	}
	return 0;
}

static int ask_in(int fd, const uint64_t *addr, size_t nr, char *text, answer_fn *each,
		  void *data)
{
	int ret = 0;

	while (nr && !ret) {
		struct rbmap_symbols symbols = {
			.addresses = (uintptr_t)addr,
			.text = (uintptr_t)text,
			.nr = nr < RBMAP_SYMBOLS_MAX ? nr : RBMAP_SYMBOLS_MAX,
			.size = TEXT_SIZE,
		};
		int done = ioctl(fd, RBMAP_IOCTL_SYMBOLS, &symbols);

		if (done <= 0)
			return done ? -errno : -EIO;
		ret = give_answers(addr, done, text, each, data);
		addr += done;
		nr -= done;
	}
	return ret;
}

static int ask(const uint64_t *addr, size_t nr, answer_fn *each, void *data)
{
	int fd = open(CONTROL_DEVICE, O_RDONLY | O_CLOEXEC), ret;
	char *text;

	if (fd < 0)
		return -errno;
	text = malloc(TEXT_SIZE);
	ret = text ? ask_in(fd, addr, nr, text, each, data) : -ENOMEM;
	free(text);
	close(fd);
	return ret;
}

/* The results of module_symbols_read(). */
struct reading {
	struct buf *out;
	struct buf ends;	/* a uint64_t each: where functions end */
	struct buf unknown;	/* a uint64_t each: addresses without a function */
};

static void add_line(struct buf *out, uint64_t addr, const struct answer *answer)
{
	buf_printf(out, "%016" PRIx64 " t %s", addr, answer->name);
	if (answer->module)
		buf_printf(out, "\t[%s]", answer->module);
	buf_printf(out, "\n");
}

static bool add_function(void *data, uint64_t addr, const struct answer *answer)
{
	struct reading *r = data;

	if (answer) {
		add_line(r->out, addr - answer->offset, answer);
		buf_add_u64(&r->ends, addr - answer->offset + answer->size);
	} else {
		buf_add_u64(&r->unknown, addr);
	}
	return !r->out->failed && !r->ends.failed && !r->unknown.failed;
}

static bool add_end(void *data, uint64_t addr, const struct answer *answer)
{
	struct reading *r = data;

	if (answer && !answer->offset)
		add_line(r->out, addr, answer);
	return !r->out->failed;
}

/* The module of such an address may have been unloaded. */
static int add_unknown(struct reading *r, size_t from)
{
	size_t nr = r->unknown.size / sizeof(uint64_t);
	const uint64_t *addr = (const uint64_t *)r->unknown.data;
	struct symbols *symbols;
	int ret;

	if (!nr || r->out->size == from)
		return 0;
	symbols = symbols_new();
	ret = symbols ? symbols_add(symbols, r->out->data + from, r->out->size - from) :
			-ENOMEM;
	for (size_t i = 0; i < nr && !ret; i++)
		if (symbols_find(symbols, addr[i]))
			buf_printf(r->out, "%016" PRIx64 " t 0x%" PRIx64 "\n", addr[i],
				   addr[i]);
	symbols_free(symbols);
	return ret;
}

int module_symbols_read(const uint64_t *addr, size_t nr, struct buf *out)
{
	struct reading r = { .out = out };
	size_t from = out->size;
	int ret = ask(addr, nr, add_function, &r);

	if (!ret)
		ret = ask((const uint64_t *)r.ends.data, r.ends.size / sizeof(uint64_t),
			  add_end, &r);
	if (!ret)
		ret = add_unknown(&r, from);
	buf_free(&r.ends);
	buf_free(&r.unknown);
	return ret || !out->failed ? ret : -ENOMEM;
}

/**
 * struct module_symbols - functions by address
 * @kept: a hash table; a place without an address is free
 * @nr: number of addresses in @kept
 */
struct module_symbols {
	struct kept {
		uint64_t addr;
		struct symbol symbol;	/* without a name: the address has no symbol */
	} kept[NR_KEPT];
	size_t nr;
};

struct module_symbols *module_symbols_new(void)
{
	return calloc(1, sizeof(struct module_symbols));
}

static void free_kept(struct kept *kept)
{
	free(kept->symbol.name);
	free(kept->symbol.module);
}

void module_symbols_free(struct module_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < NR_KEPT; i++)
		free_kept(&symbols->kept[i]);
	free(symbols);
}

static bool keep(void *data, uint64_t addr, const struct answer *answer)
{
	struct kept *kept = data;

	kept->addr = addr;
	if (!answer)
		return true;
	kept->symbol.addr = addr - answer->offset;
	kept->symbol.name = strdup(answer->name);
	kept->symbol.module = answer->module ? strdup(answer->module) : NULL;
	return kept->symbol.name;
}

static struct kept *place_of(struct module_symbols *symbols, uint64_t addr)
{
	size_t i = hash_u64_bits(addr, KEPT_BITS);

	while (symbols->kept[i].addr && symbols->kept[i].addr != addr)
		i = (i + 1) % NR_KEPT;
	return &symbols->kept[i];
}

const struct symbol *module_symbols_find(struct module_symbols *symbols, uint64_t addr)
{
	struct kept *kept;

	/* Only the kernel's half of the address space has symbols. A hash is in the other one. */
	if ((int64_t)addr >= 0)
		return NULL;
	kept = place_of(symbols, addr);
	if (!kept->addr) {
		if (symbols->nr == MAX_KEPT)
			return NULL;
		symbols->nr++;
		ask(&addr, 1, keep, kept);
		kept->addr = addr;
	}
	return kept->symbol.name ? &kept->symbol : NULL;
}
