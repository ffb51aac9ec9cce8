// SPDX-License-Identifier: GPL-2.0-only
/* Operations on a map after mmap(). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi.h"
#include "case.h"
#include "tap.h"

#define SPLIT	"bug-4: "

/*
 * Find the flags of the VMA that begins at an address, as smaps prints them:
 * "rd sh mr …".
 */
static bool vma_flags(const void *at, char *flags, size_t len)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	char line[512], begin[32];
	bool found = false;

	snprintf(begin, sizeof(begin), "%lx-", (unsigned long)at);
	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, begin, strlen(begin)))
			found = true;
		if (found && !strncmp(line, "VmFlags:", 8)) {
			snprintf(flags, len, "%s", line + 8);
			break;
		}
	}
	if (file)
		fclose(file);
	return found;
}

static bool has_flag(const char *flags, const char *flag)
{
	char word[8];

	snprintf(word, sizeof(word), " %s ", flag);
	return strstr(flags, word);
}

static void test_flags(const struct client *client)
{
	char flags[512] = "";

	vma_flags(client->data, flags, sizeof(flags));
	case_ok(has_flag(flags, "dc"), "VMA: VM_DONTCOPY");
	case_ok(has_flag(flags, "de"), "VMA: VM_DONTEXPAND");
	case_ok(has_flag(flags, "dd"), "VMA: VM_DONTDUMP");
	case_ok(has_flag(flags, "mr"), "VMA: VM_MAYREAD");
	case_ok(!has_flag(flags, "mw"), "VMA: VM_MAYWRITE is cleared");
	case_ok(!has_flag(flags, "me"), "VMA: VM_MAYEXEC is cleared");
}

static int map_failed(void *ret)
{
	return ret == MAP_FAILED ? errno : 0;
}

/* MAP_FIXED unmaps the old map; before 6.12 each such error was ENOMEM. */
static int map_over(char *at)
{
	int error = map_failed(mmap(at, page, PROT_READ, MAP_PRIVATE |
				    MAP_ANONYMOUS | MAP_FIXED, -1, 0));

	return error == ENOMEM ? EINVAL : error;
}

/* A part of a map cannot be unmapped or protected without the rest. */
static void test_splits(struct client *client)
{
	char *middle = client->data + data_size / 2 / page * page;
	char *end = client->data + data_size - page;

	case_error(error_of(munmap(client->data, page)), EINVAL,
		   SPLIT "VMA: munmap of the beginning");
	case_error(error_of(munmap(middle, page)), EINVAL,
		   SPLIT "VMA: munmap of the middle");
	case_error(error_of(munmap(end, page)), EINVAL,
		   SPLIT "VMA: munmap of the end");
	case_error(error_of(mprotect(middle, page, PROT_NONE)), EINVAL,
		   SPLIT "VMA: mprotect of the middle");
	case_error(error_of(madvise(middle, page, MADV_RANDOM)), EINVAL,
		   SPLIT "VMA: madvise of the middle");
	case_error(map_over(client->data), EINVAL,
		   SPLIT "VMA: MAP_FIXED over the beginning");
	case_error(map_over(middle), EINVAL,
		   SPLIT "VMA: MAP_FIXED over the middle");
	case_error(map_over(end), EINVAL, SPLIT "VMA: MAP_FIXED over the end");
	case_error(map_failed(mremap(client->data, data_size, data_size - page,
				     0)), EINVAL,
		   SPLIT "VMA: mremap to shrink");
}

static void test_refusals(void)
{
	struct client client;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	test_flags(&client);
	case_error(error_of(mprotect(client.data, data_size,
				     PROT_READ | PROT_WRITE)), EACCES,
		   "VMA: mprotect to write");
	case_error(error_of(mprotect(client.data, data_size, PROT_NONE)), 0,
		   "VMA: mprotect to nothing");
	case_error(error_of(mprotect(client.data, data_size, PROT_READ)), 0,
		   "VMA: mprotect to read again");
	test_splits(&client);
	case_error(map_failed(mremap(client.data, data_size, data_size + page,
				     MREMAP_MAYMOVE)), EFAULT,
		   "VMA: mremap to grow");
	case_ok(all_there(&client), "VMA: the map is whole after all that");
	case_error(get_reader(client.fd), 0, SPLIT "VMA: and is counted");
	client_unmap(&client);
	case_error(get_reader(client.fd), ENODEV, SPLIT "VMA: and then is not");
	close(client.fd);
}

static void test_exec(void)
{
	struct client client;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	case_error(error_of(mprotect(client.data, data_size,
				     PROT_READ | PROT_EXEC)), EACCES,
		   "VMA: mprotect to exec");
	case_error(error_of(mprotect((void *)client.meta, page,
				     PROT_READ | PROT_EXEC)), EACCES,
		   "VMA: mprotect to exec: the meta-page");
	client_close(&client);
}

static void test_dontneed(void)
{
	struct client client;
	uint64_t last = 0;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(3, SMALL);
	get_reader(client.fd);
	case_error(error_of(madvise(client.data, data_size, MADV_DONTNEED)), 0,
		   "VMA: MADV_DONTNEED");
	if (case_text(signal_word(touch(client.data)), "works",
		      "VMA: MADV_DONTNEED: touching a page") && target.own) {
		ok(all_there(&client), "VMA: MADV_DONTNEED: all come back");
		is(subbuf_events(client_subbuf(&client), 0, NULL, &last), 3,
		   "VMA: MADV_DONTNEED: as they were");
		is(last, number - 1, "VMA: MADV_DONTNEED: to the last event");
		more(2, SMALL);
		is(subbuf_events(client_subbuf(&client), 0, NULL, &last), 5,
		   "VMA: MADV_DONTNEED: they are the ring's");
	}
	client_unmap(&client);
	case_error(get_reader(client.fd), ENODEV,
		   "VMA: MADV_DONTNEED: then munmap");
	close(client.fd);
}

/* None of these may remove a page, or add one that does not belong to the ring. */
static void test_advice(void)
{
	static const struct {
		const char	*what;
		int		advice;
	} advices[] = {
		{ "MADV_WILLNEED", MADV_WILLNEED },
		{ "MADV_RANDOM", MADV_RANDOM },
		{ "MADV_DONTDUMP", MADV_DONTDUMP },
		{ "MADV_COLD", MADV_COLD },
		{ "MADV_PAGEOUT", MADV_PAGEOUT },
		{ "MADV_FREE", MADV_FREE },
		{ "MADV_REMOVE", MADV_REMOVE },
		{ "MADV_HUGEPAGE", MADV_HUGEPAGE },
		{ "MADV_MERGEABLE", MADV_MERGEABLE },
		{ "MADV_WIPEONFORK", MADV_WIPEONFORK },
		{ "MADV_POPULATE_READ", 22 },
		{ "MADV_POPULATE_WRITE", 23 },
	};
	struct client client;
	size_t i;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(3, SMALL);
	get_reader(client.fd);
	for (i = 0; i < sizeof(advices) / sizeof(*advices); i++) {
		madvise(client.data, data_size, advices[i].advice);
		case_ok(all_there(&client) &&
			subbuf_events(client_subbuf(&client), 0, NULL, NULL) ==
			3, "VMA: after %s all is there", advices[i].what);
	}
	case_error(error_of(mlock(client.data, data_size)), 0, "VMA: mlock");
	case_error(error_of(munlock(client.data, data_size)), 0,
		   "VMA: munlock");
	case_error(error_of(msync(client.data, data_size, MS_SYNC)), 0,
		   "VMA: msync");
	client_unmap(&client);
	case_error(get_reader(client.fd), ENODEV,
		   "VMA: after advice: nothing stays mapped");
	close(client.fd);
}

void theme_vma(void)
{
	test_refusals();
	test_exec();
	test_dontneed();
	test_advice();
}
