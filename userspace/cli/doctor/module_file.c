// SPDX-License-Identifier: GPL-2.0-only
#include <fts.h>
#include <libkmod.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "module_file.h"

#define MODULE	"rbmap"

/*
 * Return the path that modprobe would use. The index may still list a removed
 * file.
 */
static char *indexed_path(const struct sysroot *m, const char *release)
{
	struct kmod_list *list = NULL;
	struct kmod_module *mod;
	struct kmod_ctx *ctx;
	char *path = NULL;

	ctx = kmod_new(sysroot_path(m, "/lib/modules/%s", release), NULL);
	if (!ctx)
		return NULL;
	kmod_set_log_priority(ctx, -1);
	if (kmod_module_new_from_lookup(ctx, MODULE, &list) >= 0 && list) {
		const char *found;

		mod = kmod_module_get_module(list);
		found = kmod_module_get_path(mod);
		if (found && !access(found, F_OK))
			path = strdup(found);
		kmod_module_unref(mod);
	}
	kmod_module_unref_list(list);
	kmod_unref(ctx);
	return path;
}

/* Accept rbmap.ko with the suffix of any compression. */
static bool is_module(const char *name)
{
	size_t len = strlen(MODULE ".ko");

	return !strncmp(name, MODULE ".ko", len) &&
	       (!name[len] || name[len] == '.');
}

/* Search for a module that the index does not list. */
static char *search(const struct sysroot *m, const char *release)
{
	char *dir = strdup(sysroot_path(m, "/lib/modules/%s", release));
	char *dirs[] = { dir, NULL }, *path = NULL;
	FTS *fts = dir ? fts_open(dirs, FTS_PHYSICAL | FTS_NOSTAT, NULL) : NULL;
	FTSENT *entry;

	while (fts && !path && (entry = fts_read(fts)))
		if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP &&
		    is_module(entry->fts_name))
			path = strdup(entry->fts_path);
	if (fts)
		fts_close(fts);
	free(dir);
	return path;
}

static void read_info(struct module_file *file)
{
	struct kmod_list *list = NULL, *entry;
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);
	struct kmod_module *mod = NULL;

	if (!ctx)
		return;
	kmod_set_log_priority(ctx, -1);
	if (kmod_module_new_from_path(ctx, file->path, &mod) >= 0 &&
	    kmod_module_get_info(mod, &list) >= 0) {
		kmod_list_foreach(entry, list) {
			const char *key = kmod_module_info_get_key(entry);
			const char *value = kmod_module_info_get_value(entry);

			/*
			 * vermagic is "6.1.0-18-amd64 SMP preempt mod_unload".
			 */
			if (!strcmp(key, "vermagic") && !file->release)
				file->release = strndup(value,
							strcspn(value, " "));
			else if (!strcmp(key, "version") && !file->version)
				file->version = strdup(value);
			else if (!strcmp(key, "sig_id"))
				file->is_signed = true;
			else if (!strcmp(key, "signer") && *value &&
				 !file->signer)
				file->signer = strdup(value);
		}
		kmod_module_info_free_list(list);
	}
	if (mod)
		kmod_module_unref(mod);
	kmod_unref(ctx);
}

bool module_file_find(struct module_file *file, const struct sysroot *m,
		      const char *release)
{
	*file = (struct module_file){ .path = indexed_path(m, release) };
	file->indexed = file->path;
	if (!file->path)
		file->path = search(m, release);
	if (file->path)
		read_info(file);
	return file->path;
}

void module_file_free(struct module_file *file)
{
	free(file->path);
	free(file->release);
	free(file->version);
	free(file->signer);
}
