// SPDX-License-Identifier: GPL-2.0-only
#include "refusals.h"

static const char *const texts[NR_REFUSALS] = {
	[REFUSED_DAMAGED]	= "damaged message",
	[REFUSED_HOST]		= "another host's name",
	[REFUSED_KIND]		= "not a message of a host",
	[REFUSED_NAME]		= "invalid name of an incident",
	[REFUSED_PART]		= "invalid part",
	[REFUSED_MANIFEST]	= "invalid manifest",
	[REFUSED_TOO_LARGE]	= "incident too large",
	[REFUSED_SHARE]		= "more than the host's share",
	[REFUSED_OTHER_FILE]	= "another file of the same id",
	[REFUSED_SUM]		= "wrong SHA-256",
	[REFUSED_COMMAND]	= "answer to an unknown command",
	[REFUSED_STREAM]	= "invalid message of a stream",
	[REFUSED_HOSTS]		= "too many hosts",
	[REFUSED_RATE]		= "too many messages at once",
	[REFUSED_STORE]		= "cannot be stored",
};

static const char count[] =
	"INSERT INTO refused (host, cause, number, last) VALUES (?1, ?2, 1, ?3)"
	" ON CONFLICT DO UPDATE SET number = number + 1, last = ?3";

const char *refusal_text(enum refusal cause)
{
	return texts[cause];
}

void index_refuse(struct fleet_index *ix, int64_t host, enum refusal cause, int64_t now)
{
	index_run(ix, count, "isi", host, texts[cause], now);
}
