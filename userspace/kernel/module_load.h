/* SPDX-License-Identifier: GPL-2.0-only */
/* Load and remove a module with libkmod, and explain a refusal. */
#ifndef RBMAP_KERNEL_MODULE_LOAD_H
#define RBMAP_KERNEL_MODULE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

struct kmod_ctx;
struct kmod_module;

/**
 * struct module_load - a module to be loaded
 * @name: name of the module
 * @command: the command that loads it, for messages
 * @path: its file, or NULL: the one that is installed for the running kernel
 * @ctx: set by module_load_find()
 * @mod: set by module_load_find()
 */
struct module_load {
	const char *name;
	const char *command;
	const char *path;
	struct kmod_ctx *ctx;
	struct kmod_module *mod;
};

/* Find the module's file. On failure, report the error and return false. */
bool module_load_find(struct module_load *m);

/*
 * Load the module that module_load_find() found. Return 0 or a negative errno. @log gets
 * the kernel's explanation of an error, or "".
 */
int module_load_insert(const struct module_load *m, const char *params, char *log,
		       size_t size);

/* Report why module_load_insert() failed. */
void module_load_complain(const struct module_load *m, int error, const char *log);

/* Undo module_load_find(), also if it has failed. */
void module_load_free(struct module_load *m);

/* Remove a loaded module that nobody uses. Return 0 or a negative errno. */
int module_remove(const char *name);

#endif /* RBMAP_KERNEL_MODULE_LOAD_H */
