// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/complain.h"
#include "cgroups.h"
#include "holders.h"

#define MIN_ID		6	/* shorter numbers are names */
#define ID_SIZE		64	/* hexadecimal digits of a container's id */

/* The cgroups that fit a name. A cgroup below one of them counts as a part of that one. */
struct search {
	bool (*fits)(const char *directory, const char *name);
	const char *name;
	char **path;
	size_t nr;
};

static void keep_first(const char *path, void *data)
{
	char **dir = data;

	if (!*dir)
		*dir = strdup(path);
}

char *cgroup_mount(void)
{
	char *dir = NULL;

	mounts_each("cgroup2", keep_first, &dir);
	return dir;
}

/* Return the directory on which the hierarchy is mounted, for free(), or NULL. */
static char *find_mount(void)
{
	char *dir = cgroup_mount();

	if (!dir)
		complain("no cgroup hierarchy of version 2 is mounted: mount -t cgroup2 cgroup2 /sys/fs/cgroup");
	return dir;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Return @path behind the mount's directory, or NULL if it is not below that. */
static const char *below_mount(const char *path, const char *mount)
{
	size_t len = strlen(mount);

	if (strncmp(path, mount, len) || (path[len] && path[len] != '/'))
		return NULL;
	return path[len] ? path + len : "/";
}

char *cgroup_of_path(const char *name)
{
	char *mount = find_mount(), *path = NULL, *dir = NULL;
	const char *below;

	if (!mount)
		return NULL;
	below = below_mount(name, mount);
	if (asprintf(&path, "%s%s", *(below ?: name) == '/' ? "" : "/", below ?: name) < 0 ||
	    asprintf(&dir, "%s%s", mount, path) < 0) {
		complain("out of memory");
		dir = NULL;
	} else if (!is_directory(dir) || strchr(path, '\n')) {
		complain("cgroup %s does not exist: there is no directory %s", name, dir);
		free(path);
		path = NULL;
	}
	/* The kernel knows no / at the end. */
	for (size_t len = path ? strlen(path) : 0; len > 1 && path[len - 1] == '/'; len--)
		path[len - 1] = '\0';
	free(dir);
	free(mount);
	return path;
}

/* ---- by name */

static bool search_add(struct search *search, const char *path)
{
	if (!array_grow(search->path, search->nr))
		return false;
	search->path[search->nr] = strdup(path);
	return search->path[search->nr] && ++search->nr;
}

/* @dir: a directory of the hierarchy, and the cgroup's path behind @mount_len characters */
static bool search_below(struct search *search, const char *dir, size_t mount_len)
{
	struct dirent *entry;
	DIR *stream = opendir(dir);
	char *path = NULL;
	bool ok = true;

	/* It may have gone a moment ago. */
	if (!stream)
		return true;
	while (ok && (entry = readdir(stream))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s/%s", dir, entry->d_name) < 0) {
			path = NULL;
			ok = false;
		} else if (search->fits(entry->d_name, search->name)) {
			ok = search_add(search, path + mount_len);
		} else {
			ok = search_below(search, path, mount_len);
		}
		free(path);
	}
	closedir(stream);
	return ok;
}

static void search_free(struct search *search)
{
	for (size_t i = 0; i < search->nr; i++)
		free(search->path[i]);
	free(search->path);
	search->path = NULL;
	search->nr = 0;
}

/* Return whether the search was possible. */
static bool search_for(struct search *search, const char *name)
{
	char *mount = find_mount();
	bool ok;

	if (!mount)
		return false;
	search->name = name;
	ok = search_below(search, mount, strlen(mount));
	if (!ok)
		complain("out of memory");
	free(mount);
	return ok;
}

/* Return the only cgroup that was found, or NULL. */
static char *search_result(struct search *search, const char *kind, const char *name,
			   const char *cure)
{
	char *path = NULL;

	if (!search->nr)
		complain("no cgroup of %s %s: %s", kind, name, cure);
	else if (search->nr > 1)
		complain("several cgroups of %s %s: name one with --cgroup, such as %s or %s",
			 kind, name, search->path[0], search->path[1]);
	else
		path = strdup(search->path[0]);
	search_free(search);
	return path;
}

/* systemd puts _ before names that the kernel has for files. */
static bool is_unit(const char *directory, const char *name)
{
	return !strcmp(directory + (*directory == '_'), name);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), suffix_len = strlen(suffix);

	return len > suffix_len && !strcmp(name + len - suffix_len, suffix);
}

char *cgroup_of_unit(const char *name)
{
	static const char *const suffixes[] = { ".service", ".scope", ".slice" };
	struct search search = { .fits = is_unit };
	const size_t nr = sizeof(suffixes) / sizeof(*suffixes);
	bool complete = false, ok = true;
	char unit[256];

	for (size_t i = 0; i < nr; i++)
		complete |= has_suffix(name, suffixes[i]);
	if (complete)
		ok = search_for(&search, name);
	for (size_t i = 0; ok && !complete && !search.nr && i < nr; i++) {
		snprintf(unit, sizeof(unit), "%s%s", name, suffixes[i]);
		ok = search_for(&search, unit);
	}
	if (!ok) {
		search_free(&search);
		return NULL;
	}
	return search_result(&search, "unit", name,
			     "does it run? 'systemctl status' shows the units and their cgroups");
}

static bool is_id(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return len;
}

/* Return true if the last word of the directory's name is an id that begins with @id. */
static bool has_id(const char *directory, const char *id)
{
	size_t len = strcspn(directory, ".");
	const char *word = directory + len;

	if (strlen(id) < MIN_ID || !is_id(id, strlen(id)))
		return false;
	/* The program that watches a container has a cgroup of that name, too. */
	if (strstr(directory, "conmon-"))
		return false;
	while (word > directory && word[-1] != '-')
		word--;
	len -= word - directory;
	return len == ID_SIZE && is_id(word, len) && !strncmp(word, id, strlen(id));
}

/*
 * Return what is behind @name at the beginning of @text, or NULL. systemd writes bytes that have
 * a meaning in names of units as \xHH: the machine my-box is in machine-my\x2dbox.scope.
 */
static const char *behind_name(const char *text, const char *name)
{
	unsigned int byte;
	int used;

	for (; *name; name++) {
		used = 0;
		if (*text == *name)
			text++;
		else if (sscanf(text, "\\x%2x%n", &byte, &used) == 1 && used == 4 &&
			 byte == (unsigned char)*name)
			text += used;
		else
			return NULL;
	}
	return text;
}

/* Return true if the directory is that of systemd's or LXC's container @name. */
static bool has_name(const char *directory, const char *name)
{
	static const char *const before[] = { "machine-", "systemd-nspawn@", "lxc.payload." };

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		size_t skip = strlen(before[i]);
		const char *rest = !strncmp(directory, before[i], skip) ?
				   behind_name(directory + skip, name) : NULL;

		if (rest && (!*rest || !strcmp(rest, ".scope") || !strcmp(rest, ".service")))
			return true;
	}
	return false;
}

static bool is_container(const char *directory, const char *name)
{
	return has_id(directory, name) || has_name(directory, name);
}

/* Ask one program for the id of a container. Return whether it knows the container. */
static bool ask_program(const char *program, const char *name, char *id)
{
	char *words[] = { (char *)program, "inspect", "--type", "container", "--format",
			  "{{.Id}}", (char *)name, NULL };
	posix_spawn_file_actions_t files;
	ssize_t len = -1;
	int pipe_fd[2];
	pid_t child;
	int ret;

	if (pipe2(pipe_fd, O_CLOEXEC))
		return false;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, pipe_fd[1], 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	ret = posix_spawnp(&child, program, &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	close(pipe_fd[1]);
	if (!ret) {
		/* The program writes the id at once. Text behind the id is not read. */
		len = read(pipe_fd[0], id, ID_SIZE);
		close(pipe_fd[0]);
		waitpid(child, NULL, 0);
	} else {
		close(pipe_fd[0]);
	}
	id[ID_SIZE] = '\0';
	return len == ID_SIZE && is_id(id, ID_SIZE);
}

/* Ask the programs that know containers by name. Return whether one knows this one. */
static bool ask_for_id(const char *name, char *id)
{
	static const char *const programs[] = { "docker", "podman", "nerdctl" };
	bool has = false;

	/* The programs would take such a name for an option. */
	if (*name == '-')
		return false;
	for (size_t i = 0; !has && i < sizeof(programs) / sizeof(*programs); i++)
		has = ask_program(programs[i], name, id);
	return has;
}

char *cgroup_of_container(const char *name)
{
	struct search search = { .fits = is_container };
	char id[ID_SIZE + 1];
	bool ok = search_for(&search, name);

	if (ok && !search.nr && ask_for_id(name, id))
		ok = search_for(&search, id);
	if (!ok) {
		search_free(&search);
		return NULL;
	}
	return search_result(&search, "container", name,
			     "does it run? 'systemd-cgls' shows the cgroups, and --cgroup takes any");
}
