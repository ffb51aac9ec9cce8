/* SPDX-License-Identifier: GPL-2.0-only */
/* A folder with messages: a file for each, which has its id as its name. */
#ifndef RBMAP_FLEET_FOLDER_H
#define RBMAP_FLEET_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#define FOLDER_MESSAGES_MAX	4096	/* The rest is read after these. */
#define FOLDER_HOSTS_MAX	65536

/**
 * struct folder_names - the names in a folder, in their order
 * @name: allocated names
 * @nr: their number
 * @next: the next one that was not used
 */
struct folder_names {
	char **name;
	size_t nr;
	size_t next;
};

/* Read the names of at most @most files. Return 0 or a negative errno. */
int folder_list(int dir, size_t most, struct folder_names *names);
void folder_names_free(struct folder_names *names);

/* Write a message, so that the file is never there in part. Return 0 or a negative errno. */
int folder_write(int dir, const char *id, const void *data, size_t size);

/*
 * Store the bytes of a message, which the caller frees. Return 0 or a negative errno;
 * -EBADMSG: the file cannot be a message; -EISDIR: it is a folder.
 */
int folder_read(int dir, const char *id, void **data, size_t *size);

/* Remove the messages that are older than this. Errors are left to the next call. */
void folder_remove_old(int dir, long seconds);

#endif /* RBMAP_FLEET_FOLDER_H */
