// SPDX-License-Identifier: GPL-2.0-only
/* Writes the BTF of cli_btf.h to its output, for scripts. */
#include <stdio.h>

#include "cli_btf.h"

int main(void)
{
	struct btf *btf = synth_btf();
	const void *raw;
	__u32 size;

	raw = btf__raw_data(btf, &size);
	if (!raw || fwrite(raw, 1, size, stdout) != size)
		return 1;
	btf__free(btf);
	return fclose(stdout) ? 1 : 0;
}
