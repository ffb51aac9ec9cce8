// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "klog.h"

#define PREFIX	"rbmap: "

int klog_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A record is "priority,sequence,time,flags;text\n key=value\n...". */
static const char *text_of(char *record)
{
	char *text = strchr(record, ';');

	if (!text)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text + 1;
}

void klog_last(int fd, char *line, size_t size)
{
	char record[8192];
	const char *text;
	ssize_t got;

	*line = '\0';
	if (fd < 0)
		return;
	for (;;) {
		got = read(fd, record, sizeof(record) - 1);
		/*
		 * EPIPE: the log has overwritten records. The next read
		 * continues.
		 */
		if (got < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (got <= 0)
			break;
		record[got] = '\0';
		text = text_of(record);
		if (text && !strncmp(text, PREFIX, strlen(PREFIX)))
			snprintf(line, size, "%s", text + strlen(PREFIX));
	}
	close(fd);
}

int klog_write(const char *file, const char *text, char *told, size_t size)
{
	int log = klog_open(), ret;

	ret = control_write(file, text);
	klog_last(log, told, size);
	return ret;
}
