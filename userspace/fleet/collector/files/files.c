// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/files.h"
#include "files.h"
#include "message/digest.h"
#include "message/message.h"
#include "recording/dat_read.h"

#define FILE_MODE	0640
#define DIRECTORY_MODE	0750
#define DIRECTORY_FLAGS	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define NAME_SIZE	(SOURCE_NAME_SIZE + 8)

/* Limits of a process that opens a recording */
#define MEMORY_MAX	(1UL << 30)
#define CPU_SECONDS	20
#define WALL_SECONDS	60

static void part_name(char text[NAME_SIZE], const char *name)
{
	snprintf(text, NAME_SIZE, "%s.part", name);
}

static void incident_name(char text[NAME_SIZE], const char *name)
{
	snprintf(text, NAME_SIZE, "%s.dat", name);
}

int files_directory(int at, const char *name)
{
	int dir = openat(at, name, DIRECTORY_FLAGS);

	if (dir >= 0 || errno != ENOENT)
		return dir < 0 ? -errno : dir;
	if (mkdirat(at, name, DIRECTORY_MODE) && errno != EEXIST)
		return -errno;
	dir = sync_new_name(at, name, AT_REMOVEDIR);
	if (dir)
		return dir;
	dir = openat(at, name, DIRECTORY_FLAGS);
	return dir < 0 ? -errno : dir;
}

static int open_directory(int at, const char *name)
{
	int dir = openat(at, name, DIRECTORY_FLAGS);

	return dir < 0 ? -errno : dir;
}

static bool take_lock(struct collect_files *f, int base, const char *dir)
{
	f->lock = openat(base, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
	if (f->lock < 0) {
		complain("cannot write to the directory %s: %s", dir, strerror(errno));
		return false;
	}
	if (!flock(f->lock, LOCK_EX | LOCK_NB))
		return true;
	complain("another collector writes to %s: name another directory with --directory", dir);
	return false;
}

static bool has_directories(const struct collect_files *f)
{
	return f->incoming >= 0 && f->incidents >= 0 && f->aside >= 0;
}

bool files_open(struct collect_files *f, const char *dir)
{
	int base;

	*f = (struct collect_files){
		.lock = -1, .incoming = -1, .incidents = -1, .aside = -1,
	};
	if (mkdir(dir, DIRECTORY_MODE) && errno != EEXIST) {
		complain("cannot make the directory %s: %s", dir, strerror(errno));
		return false;
	}
	base = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (base < 0) {
		complain("cannot open the directory %s: %s", dir, strerror(errno));
		return false;
	}
	if (take_lock(f, base, dir)) {
		f->incoming = files_directory(base, "incoming");
		f->incidents = files_directory(base, "incidents");
		f->aside = files_directory(base, "aside");
		if (!has_directories(f))
			complain("cannot make a directory in %s: %s", dir,
				 strerror(-(f->incoming < 0 ? f->incoming :
					    f->incidents < 0 ? f->incidents : f->aside)));
	}
	close(base);
	if (has_directories(f))
		return true;
	files_close(f);
	return false;
}

void files_close(struct collect_files *f)
{
	files_drop(f);
	if (f->incoming >= 0)
		close(f->incoming);
	if (f->incidents >= 0)
		close(f->incidents);
	if (f->aside >= 0)
		close(f->aside);
	/* The name stays: a lock on a file without a name would keep nobody away. */
	if (f->lock >= 0)
		close(f->lock);
	f->incoming = f->incidents = f->aside = f->lock = -1;
}

/* Open the file of an incident's parts. The name of a new file is on the disk before a part. */
static int create_part(struct collect_files *f, const char *host, const char *name)
{
	int dir = files_directory(f->incoming, host), fd, ret;
	char file[NAME_SIZE];
	bool is_new;

	if (dir < 0)
		return dir;
	part_name(file, name);
	fd = openat(dir, file, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	is_new = fd < 0 && errno == ENOENT;
	if (is_new)
		fd = openat(dir, file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
	ret = fd < 0 ? -errno : 0;
	if (!ret && is_new)
		ret = sync_new_name(dir, file, 0);
	if (fd >= 0 && ret)
		close(fd);
	close(dir);
	return ret ? ret : fd;
}

/* Return the descriptor of a file of this batch. */
static int batch_part(struct collect_files *f, const char *host, const char *name,
		      int64_t incident)
{
	int fd;

	for (unsigned int i = 0; i < f->nr; i++)
		if (f->part[i].incident == incident)
			return f->part[i].fd;
	if (f->nr == FILES_OPEN_MAX)
		return -EMFILE;
	fd = create_part(f, host, name);
	if (fd < 0)
		return fd;
	f->part[f->nr].incident = incident;
	f->part[f->nr++].fd = fd;
	return fd;
}

int files_write_part(struct collect_files *f, const char *host, const char *name,
		     int64_t incident, uint64_t offset, const void *data, size_t size)
{
	int fd = batch_part(f, host, name, incident);

	return fd < 0 ? fd : write_all_at(fd, data, size, offset);
}

int files_sync(struct collect_files *f)
{
	int ret = 0;

	for (unsigned int i = 0; i < f->nr && !ret; i++)
		if (fdatasync(f->part[i].fd))
			ret = -errno;
	files_drop(f);
	return ret;
}

void files_drop(struct collect_files *f)
{
	while (f->nr)
		close(f->part[--f->nr].fd);
}

static int open_file(int at, const char *host, const char *file, int flags)
{
	int dir = open_directory(at, host), fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, file, flags | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

static int remove_file(int at, const char *host, const char *file)
{
	int dir = open_directory(at, host), ret = 0;

	if (dir < 0)
		return dir == -ENOENT ? 0 : dir;
	if (unlinkat(dir, file, 0) && errno != ENOENT)
		ret = -errno;
	close(dir);
	return ret;
}

int files_open_part(struct collect_files *f, const char *host, const char *name)
{
	char file[NAME_SIZE];

	part_name(file, name);
	return open_file(f->incoming, host, file, O_RDWR);
}

int files_remove_part(struct collect_files *f, const char *host, const char *name,
		      int64_t incident)
{
	char file[NAME_SIZE];

	/* A part that comes after this belongs to a new file. */
	for (unsigned int i = 0; i < f->nr; i++) {
		if (f->part[i].incident != incident)
			continue;
		close(f->part[i].fd);
		f->part[i] = f->part[--f->nr];
		break;
	}
	part_name(file, name);
	return remove_file(f->incoming, host, file);
}

/*
 * Not every file system has a rename that fails if the name exists, so test that before: only
 * the collector writes here. After a loss of power the old name can be there again, and
 * leftovers_remove() removes it.
 */
static int move(int from, const char *part, int to, const char *file)
{
	if (!faccessat(to, file, F_OK, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	if (errno != ENOENT)
		return -errno;
	if (renameat(from, part, to, file) || fsync(to))
		return -errno;
	return 0;
}

int files_keep(struct collect_files *f, const char *host, const char *name)
{
	int from = open_directory(f->incoming, host), to = files_directory(f->incidents, host);
	char part[NAME_SIZE], file[NAME_SIZE];
	int ret = from < 0 ? from : to < 0 ? to : 0;

	part_name(part, name);
	incident_name(file, name);
	if (!ret)
		ret = move(from, part, to, file);
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return ret;
}

int files_sync_names(struct collect_files *f, const char *host)
{
	int dir = open_directory(f->incidents, host), ret;

	if (dir < 0)
		return dir;
	ret = fsync(dir) ? -errno : 0;
	close(dir);
	return ret;
}

/* Return the number of files in a directory. */
static unsigned int count_files(int at)
{
	int dir = openat(at, ".", DIRECTORY_FLAGS);
	DIR *d = dir < 0 ? NULL : fdopendir(dir);
	struct dirent *entry;
	unsigned int nr = 0;

	while (d && (entry = readdir(d)))
		nr += *entry->d_name != '.';
	if (d)
		closedir(d);
	return nr;
}

int files_put_aside(struct collect_files *f, const char *host, const void *data, size_t size)
{
	char file[NAME_SIZE];
	int fd, ret;

	if (count_files(f->aside) >= FILES_ASIDE_MAX)
		return -EMLINK;
	snprintf(file, sizeof(file), "%.*s.message", HOST_NAME_SIZE, host);
	fd = openat(f->aside, file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
	if (fd < 0)
		return -errno;
	ret = write_all_at(fd, data, size, 0);
	if (!ret && (fsync(fd) || fsync(f->aside)))
		ret = -errno;
	close(fd);
	if (ret)
		unlinkat(f->aside, file, 0);
	return ret;
}

int files_open_incident(struct collect_files *f, const char *host, const char *name)
{
	char file[NAME_SIZE];

	incident_name(file, name);
	return open_file(f->incidents, host, file, O_RDONLY);
}

int files_remove_incident(struct collect_files *f, const char *host, const char *name)
{
	char file[NAME_SIZE];

	incident_name(file, name);
	return remove_file(f->incidents, host, file);
}

static void check_recording(int fd)
{
	struct rlimit memory = { MEMORY_MAX, MEMORY_MAX }, cpu = { CPU_SECONDS, CPU_SECONDS };
	struct rlimit none = { 0, 0 };
	struct rbmap_recording *reader;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
#ifndef __SANITIZE_ADDRESS__
	/* AddressSanitizer reserves more than any limit. */
	setrlimit(RLIMIT_AS, &memory);
#else
	(void)memory;
#endif
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &none);
	alarm(WALL_SECONDS);
	/* The offset is that of the parent, too, which uses pread(). */
	_exit(lseek(fd, 0, SEEK_SET) < 0 || dat_open_fd(&reader, fd) ? 1 : 0);
}

/*
 * Return whether librbmap opens the file as a recording, in a child process with limits of
 * memory and of time.
 */
static bool is_recording(int fd)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return false;
	if (!child)
		check_recording(fd);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The child of a collector that was killed must not keep its lock and its connections. */
static int keep_only(int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = dup2(fd, STDIN_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	return fd;
}

static enum file_verdict check_file(int fd, uint64_t size, const char *sha256)
{
	char sum[DIGEST_TEXT_SIZE];
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return FILE_UNREADABLE;
	if ((uint64_t)st.st_size != size)
		return FILE_DAMAGED;
	if (checksum_file(fd, -1, sum))
		return FILE_UNREADABLE;
	if (strcmp(sum, sha256))
		return FILE_DAMAGED;
	return is_recording(fd) ? FILE_RECORDING : FILE_OTHER;
}

pid_t file_check_start(int fd, uint64_t size, const char *sha256)
{
	pid_t child = fork();

	if (child)
		return child;
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	_exit(check_file(keep_only(fd), size, sha256));
}

enum file_verdict file_check_verdict(int status)
{
	if (!WIFEXITED(status) || WEXITSTATUS(status) > FILE_UNREADABLE)
		return FILE_UNREADABLE;
	return WEXITSTATUS(status);
}
