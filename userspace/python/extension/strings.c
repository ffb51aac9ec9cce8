// SPDX-License-Identifier: LGPL-2.1-only
#include "strings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_SLOTS	64	/* a power of two */
#define FREE		UINT32_MAX

struct entry {
	uint64_t hash;
	char *text;
	size_t len;
};

/* The table of slots uses open addressing. At most half of the slots are used. */
struct strings {
	uint64_t seed;
	struct entry *entry;
	size_t nr;
	uint32_t *slot;		/* numbers of entries, or FREE */
	size_t nr_slots;	/* a power of two */
	uint32_t last;		/* events often repeat the string of the event before */
};

static bool set_slots(struct strings *s, size_t nr)
{
	uint32_t *slot = malloc(nr * sizeof(*slot));

	if (!slot)
		return false;
	memset(slot, 0xff, nr * sizeof(*slot));
	free(s->slot);
	s->slot = slot;
	s->nr_slots = nr;
	return true;
}

struct strings *strings_new(void)
{
	struct strings *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	/* Without a seed, a recording could contain strings that share a slot. */
	if (getrandom(&s->seed, sizeof(s->seed), GRND_NONBLOCK) != sizeof(s->seed))
		s->seed = (uintptr_t)s;
	if (set_slots(s, FIRST_SLOTS))
		return s;
	free(s);
	return NULL;
}

void strings_free(struct strings *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr; i++)
		free(s->entry[i].text);
	free(s->entry);
	free(s->slot);
	free(s);
}

static uint64_t mix(uint64_t value)
{
	value ^= value >> 32;
	value *= 0x9e3779b97f4a7c15;
	value ^= value >> 29;
	value *= 0xbf58476d1ce4e5b9;
	return value ^ value >> 32;
}

static uint64_t hash_of(const struct strings *s, const char *text, size_t len)
{
	uint64_t hash = mix(s->seed ^ len), word;

	for (; len > sizeof(word); len -= sizeof(word), text += sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = mix(hash ^ word) + s->seed;
	}
	word = 0;
	memcpy(&word, text, len);
	return mix(hash ^ word);
}

static uint32_t *find_slot(const struct strings *s, uint64_t hash, const char *text, size_t len)
{
	size_t mask = s->nr_slots - 1, i = hash & mask;

	for (; s->slot[i] != FREE; i = (i + 1) & mask) {
		const struct entry *e = &s->entry[s->slot[i]];

		if (e->hash == hash && e->len == len && !memcmp(e->text, text, len))
			break;
	}
	return &s->slot[i];
}

static bool grow(struct strings *s)
{
	size_t mask;

	if (!set_slots(s, 2 * s->nr_slots))
		return false;
	mask = s->nr_slots - 1;
	for (size_t nr = 0; nr < s->nr; nr++) {
		size_t i = s->entry[nr].hash & mask;

		while (s->slot[i] != FREE)
			i = (i + 1) & mask;
		s->slot[i] = nr;
	}
	return true;
}

static int64_t add(struct strings *s, uint64_t hash, const char *text, size_t len)
{
	struct entry *more;
	char *copy;

	if (s->nr >= INT32_MAX || (2 * (s->nr + 1) > s->nr_slots && !grow(s)))
		return -1;
	if (!(s->nr & (s->nr - 1))) {
		more = realloc(s->entry, (s->nr ? 2 * s->nr : 1) * sizeof(*more));
		if (!more)
			return -1;
		s->entry = more;
	}
	copy = malloc(len + 1);
	if (!copy)
		return -1;
	memcpy(copy, text, len);
	s->entry[s->nr] = (struct entry){ hash, copy, len };
	*find_slot(s, hash, text, len) = s->nr;
	return s->nr++;
}

int64_t strings_number(struct strings *s, const char *text, size_t len)
{
	uint64_t hash;
	uint32_t *slot;

	if (s->nr && s->entry[s->last].len == len && !memcmp(s->entry[s->last].text, text, len))
		return s->last;
	hash = hash_of(s, text, len);
	slot = find_slot(s, hash, text, len);
	if (*slot == FREE) {
		int64_t number = add(s, hash, text, len);

		if (number >= 0)
			s->last = number;
		return number;
	}
	s->last = *slot;
	return s->last;
}

size_t strings_count(const struct strings *s)
{
	return s->nr;
}

struct string strings_get(const struct strings *s, size_t number)
{
	return (struct string){ s->entry[number].text, s->entry[number].len };
}
