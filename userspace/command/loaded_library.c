// SPDX-License-Identifier: GPL-2.0-only
#include <dlfcn.h>
#include <stdlib.h>

#include "base/complain.h"
#include "loaded_library.h"

void *loaded_library_function(struct loaded_library *library, const char *name)
{
	void *found;

	if (!library->handle)
		library->handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
	found = library->handle ? dlsym(library->handle, name) : NULL;
	if (!found) {
		complain("cannot load %s: %s: install the package %s", library->name, dlerror(),
			 library->package);
		exit(STATUS_ERROR);
	}
	return found;
}
