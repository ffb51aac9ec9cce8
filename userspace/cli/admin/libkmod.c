// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of libkmod that the command uses. Each loads the library at its first
 * call. Most commands load no module, and libkmod needs libcrypto. To load libcrypto takes
 * longer than all else that a command does at its start.
 */
#include <dlfcn.h>
#include <libkmod.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/cli.h"

#define LIBRARY	"libkmod.so.2"

/*
 * The note names the library to programs that look for those of a program, and its
 * format is that of https://systemd.io/ELF_DLOPEN_METADATA.
 */
static const struct {
	uint32_t owner_size;
	uint32_t text_size;
	uint32_t type;
	char owner[4];
	char text[128];
} note __attribute__((used, aligned(4), section(".note.dlopen"))) = {
	.owner_size = 4,
	.text_size = 128,
	.type = 0x407c0c0a,
	.owner = "FDO",
	.text = "[{\"feature\":\"load\",\"description\":\"load the module\","
		"\"priority\":\"required\",\"soname\":[\"" LIBRARY "\"]}]",
};

/* Return a function of the library. Without the library, the command ends. */
static void *function(const char *name)
{
	static void *library;
	void *found;

	if (!library)
		library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	found = library ? dlsym(library, name) : NULL;
	if (!found) {
		complain("cannot load libkmod: %s: install the package libkmod2", dlerror());
		exit(STATUS_ERROR);
	}
	return found;
}

/* Define a function that calls the one of the same name in the library. */
#define FORWARD(result, name, parameters, arguments)			\
	result name parameters						\
	{								\
		static typeof(&(name)) called;				\
									\
		if (!called)						\
			called = (typeof(called))function(#name);	\
		return called arguments;				\
	}

FORWARD(struct kmod_ctx *, kmod_new, (const char *dirname, const char *const *config_paths),
	(dirname, config_paths))
FORWARD(struct kmod_ctx *, kmod_unref, (struct kmod_ctx *ctx), (ctx))
FORWARD(void, kmod_set_log_priority, (struct kmod_ctx *ctx, int priority), (ctx, priority))
FORWARD(struct kmod_list *, kmod_list_next,
	(const struct kmod_list *list, const struct kmod_list *curr), (list, curr))
FORWARD(int, kmod_module_new_from_path,
	(struct kmod_ctx *ctx, const char *path, struct kmod_module **mod), (ctx, path, mod))
FORWARD(int, kmod_module_new_from_name,
	(struct kmod_ctx *ctx, const char *name, struct kmod_module **mod), (ctx, name, mod))
FORWARD(int, kmod_module_new_from_lookup,
	(struct kmod_ctx *ctx, const char *given_alias, struct kmod_list **list),
	(ctx, given_alias, list))
FORWARD(struct kmod_module *, kmod_module_get_module, (const struct kmod_list *entry), (entry))
FORWARD(struct kmod_module *, kmod_module_unref, (struct kmod_module *mod), (mod))
FORWARD(int, kmod_module_unref_list, (struct kmod_list *list), (list))
FORWARD(const char *, kmod_module_get_path, (const struct kmod_module *mod), (mod))
FORWARD(const char *, kmod_module_get_options, (const struct kmod_module *mod), (mod))
FORWARD(int, kmod_module_get_info, (const struct kmod_module *mod, struct kmod_list **list),
	(mod, list))
FORWARD(const char *, kmod_module_info_get_key, (const struct kmod_list *entry), (entry))
FORWARD(const char *, kmod_module_info_get_value, (const struct kmod_list *entry), (entry))
FORWARD(void, kmod_module_info_free_list, (struct kmod_list *list), (list))
FORWARD(int, kmod_module_insert_module,
	(struct kmod_module *mod, unsigned int flags, const char *options), (mod, flags, options))
FORWARD(int, kmod_module_remove_module, (struct kmod_module *mod, unsigned int flags),
	(mod, flags))
FORWARD(int, kmod_module_probe_insert_module,
	(struct kmod_module *mod, unsigned int flags, const char *extra_options,
	 int (*run_install)(struct kmod_module *m, const char *cmd, void *data),
	 const void *data,
	 void (*print_action)(struct kmod_module *m, bool install, const char *options)),
	(mod, flags, extra_options, run_install, data, print_action))
