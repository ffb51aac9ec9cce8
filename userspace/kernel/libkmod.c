// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of libkmod that the command uses. Most commands load no module, and
 * libkmod needs libcrypto.
 */
#include <libkmod.h>

#include "command/loaded_library.h"

#define LIBRARY	"libkmod.so.2"

LOADED_LIBRARY_NOTE(note, "load", "load the module", "required", LIBRARY);

static struct loaded_library library = {
	.name = "libkmod", .file = LIBRARY, .package = "libkmod2",
};

LOADED_FUNCTION(struct kmod_ctx *, kmod_new, (const char *dirname, const char *const *config_paths),
	(dirname, config_paths))
LOADED_FUNCTION(struct kmod_ctx *, kmod_unref, (struct kmod_ctx *ctx), (ctx))
LOADED_FUNCTION(void, kmod_set_log_priority, (struct kmod_ctx *ctx, int priority), (ctx, priority))
LOADED_FUNCTION(struct kmod_list *, kmod_list_next,
	(const struct kmod_list *list, const struct kmod_list *curr), (list, curr))
LOADED_FUNCTION(int, kmod_module_new_from_path,
	(struct kmod_ctx *ctx, const char *path, struct kmod_module **mod), (ctx, path, mod))
LOADED_FUNCTION(int, kmod_module_new_from_name,
	(struct kmod_ctx *ctx, const char *name, struct kmod_module **mod), (ctx, name, mod))
LOADED_FUNCTION(int, kmod_module_new_from_lookup,
	(struct kmod_ctx *ctx, const char *given_alias, struct kmod_list **list),
	(ctx, given_alias, list))
LOADED_FUNCTION(struct kmod_module *, kmod_module_get_module, (const struct kmod_list *entry), (entry))
LOADED_FUNCTION(struct kmod_module *, kmod_module_unref, (struct kmod_module *mod), (mod))
LOADED_FUNCTION(int, kmod_module_unref_list, (struct kmod_list *list), (list))
LOADED_FUNCTION(const char *, kmod_module_get_path, (const struct kmod_module *mod), (mod))
LOADED_FUNCTION(const char *, kmod_module_get_options, (const struct kmod_module *mod), (mod))
LOADED_FUNCTION(int, kmod_module_get_info, (const struct kmod_module *mod, struct kmod_list **list),
	(mod, list))
LOADED_FUNCTION(const char *, kmod_module_info_get_key, (const struct kmod_list *entry), (entry))
LOADED_FUNCTION(const char *, kmod_module_info_get_value, (const struct kmod_list *entry), (entry))
LOADED_FUNCTION(void, kmod_module_info_free_list, (struct kmod_list *list), (list))
LOADED_FUNCTION(int, kmod_module_insert_module,
	(struct kmod_module *mod, unsigned int flags, const char *options), (mod, flags, options))
LOADED_FUNCTION(int, kmod_module_remove_module, (struct kmod_module *mod, unsigned int flags),
	(mod, flags))
LOADED_FUNCTION(int, kmod_module_probe_insert_module,
	(struct kmod_module *mod, unsigned int flags, const char *extra_options,
	 int (*run_install)(struct kmod_module *m, const char *cmd, void *data),
	 const void *data,
	 void (*print_action)(struct kmod_module *m, bool install, const char *options)),
	(mod, flags, extra_options, run_install, data, print_action))
