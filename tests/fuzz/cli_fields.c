// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the fields of a probe from arbitrary bytes and resolve them with a
 * small BTF.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit/cli/cli_btf.h"
#include "base/buf.h"
#include "live/probe/fetch.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct tracepoint_args work;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static struct btf_types_module kernel;
	const struct btf_types types = { .v = &kernel, .nr = 1 };
	char error[256];

	(void)argc;
	(void)argv;
	kernel.btf = synth_btf();
	if (!btf_types_tracepoint(&types, "work", &work, error, sizeof(error)))
		abort();
	return 0;
}

/*
 * A field that is passed to the kernel is a name, an equals sign, a fetch and a
 * type.
 */
static void look_at(const char *field)
{
	const char *equals = strchr(field, '=');
	int open = 0;

	if (*field != ' ' || !equals || strpbrk(field + 1, " \n") ||
	    !is_identifier(field + 1, equals - field - 1, FIELD_NAME_MAX))
		abort();
	for (const char *p = equals; *p; p++) {
		open += (*p == '(') - (*p == ')');
		if (open < 0 || open > FETCH_DEREFS_MAX)
			abort();
	}
	if (open || !strstr(equals, "$arg") || !strchr(equals, ':'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), error[512], *one[1] = { text };
	struct buf out = { 0 };

	memcpy(text, data, size);
	text[size] = '\0';
	if (fetch_fields(&out, &work, one, 1, error, sizeof(error))) {
		buf_add(&out, "", 1);
		look_at(out.data);
	} else if (!*error || strlen(error) >= sizeof(error)) {
		abort();
	}
	buf_free(&out);
	free(text);
	return 0;
}
