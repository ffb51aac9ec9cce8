// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rbmap.h>

#include "base/array.h"
#include "base/complain.h"
#include "comm_events.h"
#include "kernel/anonymous_buffer.h"
#include "kernel/control.h"
#include "task_cgroups.h"

#define DEVICES		"/dev/rbmap"
#define SIZE_KB		128

static const char *const names[] = {
	"task/task_newtask", "task/task_rename", "sched/sched_process_exit",
	"rbmap_task/begin", "rbmap_task/end",
};

#define NR_NAMES	(sizeof(names) / sizeof(names[0]))

struct comm_events {
	struct anonymous_buffer buffer;
	struct comm_fields *fields;
	struct rbmap_formats *formats;
	struct rbmap_map **map;		/* one for each CPU that has a ring */
	unsigned int nr;
	int stop_fd;
	pthread_t thread;
	bool running;
	pthread_mutex_t lock;		/* protects the maps, @cmdlines and @cgroups */
	struct cmdlines *cmdlines;
	struct dat_cgroups *cgroups;
};

/* ---- the buffer */

static int create_buffer(struct comm_events *events, int clock)
{
	char settings[96], message[256];

	snprintf(settings, sizeof(settings),
		 "buffer_size_kb=%d subbuf_size_kb=0 overwrite=1 clock=%s",
		 SIZE_KB, control_clock_name(clock));
	return anonymous_buffer_create(&events->buffer, "comms", settings, message,
				       sizeof(message));
}

static int enable(struct comm_events *events, const char *name)
{
	char file[128], *format;
	int ret;

	snprintf(file, sizeof(file), "/events/%s/format", name);
	format = control_read(file);
	if (!format)
		return -errno;
	ret = comm_fields_add(events->fields, format);
	if (!ret)
		ret = rbmap_formats_add(events->formats, "", format, strlen(format));
	free(format);
	if (ret)
		return ret;
	snprintf(file, sizeof(file), "/instances/%s/events/%s/enable",
		 events->buffer.name, name);
	return control_write(file, "1");
}

static int map_cpu(struct comm_events *events, const char *name)
{
	char path[320];
	int ret;

	if (!array_grow(events->map, events->nr))
		return -ENOMEM;
	snprintf(path, sizeof(path), DEVICES "/%s/%s", events->buffer.name,
		 name);
	ret = rbmap_open_path(&events->map[events->nr], path, 0);
	if (!ret)
		events->nr++;
	return ret;
}

static int map_cpus(struct comm_events *events)
{
	struct dirent *entry;
	char path[64];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), DEVICES "/%s", events->buffer.name);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "cpu", 3))
			ret = map_cpu(events, entry->d_name);
	closedir(dir);
	return ret;
}

/* ---- reading */

static void drain(struct comm_events *events)
{
	struct rbmap_event ev;

	pthread_mutex_lock(&events->lock);
	for (unsigned int i = 0; i < events->nr; i++)
		while (rbmap_next_event(events->map[i], &ev) == 1) {
			cmdlines_learn_event(events->cmdlines, events->fields, &ev);
			task_cgroups_learn_event(events->cgroups, events->formats, &ev);
		}
	pthread_mutex_unlock(&events->lock);
}

static void *run(void *arg)
{
	struct comm_events *events = arg;
	struct pollfd *fds = calloc(events->nr + 1, sizeof(*fds));

	for (unsigned int i = 0; fds && i < events->nr; i++)
		fds[i] = (struct pollfd){ rbmap_fd(events->map[i]), POLLIN, 0 };
	if (fds)
		fds[events->nr] = (struct pollfd){ events->stop_fd, POLLIN, 0 };
	/* comm_events_merge() reads what is below the watermark. */
	while (fds && poll(fds, events->nr + 1, -1) >= 0 &&
	       !fds[events->nr].revents)
		drain(events);
	free(fds);
	return NULL;
}

void comm_events_merge(struct comm_events *events, struct cmdlines *to,
		       struct dat_cgroups *cgroups)
{
	drain(events);
	pthread_mutex_lock(&events->lock);
	cmdlines_merge(to, events->cmdlines);
	if (cgroups)
		dat_cgroups_merge(cgroups, events->cgroups);
	pthread_mutex_unlock(&events->lock);
}

/* ---- begin and end */

static int begin(struct comm_events *events, int clock)
{
	int ret;

	pthread_mutex_init(&events->lock, NULL);
	events->fields = comm_fields_new();
	events->cmdlines = cmdlines_new();
	events->cgroups = dat_cgroups_new();
	events->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (!events->fields || !events->cmdlines || !events->cgroups ||
	    rbmap_formats_new(&events->formats) || events->stop_fd < 0)
		return -ENOMEM;
	ret = create_buffer(events, clock);
	if (!ret)
		ret = map_cpus(events);
	for (size_t i = 0; !ret && i < NR_NAMES; i++)
		ret = enable(events, names[i]);
	if (ret)
		return ret;
	ret = -pthread_create(&events->thread, NULL, run, events);
	if (ret)
		return ret;
	pthread_setname_np(events->thread, "rbmap-comms");
	events->running = true;
	return 0;
}

struct comm_events *comm_events_begin(int clock)
{
	struct comm_events *events = calloc(1, sizeof(*events));
	int ret = events ? begin(events, clock) : -ENOMEM;

	if (!ret)
		return events;
	/* Only root may create a buffer. The man page says that, so there is no note about it. */
	if (ret != -EACCES && ret != -EPERM)
		complain("note: threads that end during the recording may be shown without a name: their events cannot be read: %s",
			 rbmap_strerror(ret));
	comm_events_end(events);
	return NULL;
}

void comm_events_end(struct comm_events *events)
{
	uint64_t one = 1;

	if (!events)
		return;
	if (events->running && write(events->stop_fd, &one, sizeof(one)) > 0)
		pthread_join(events->thread, NULL);
	for (unsigned int i = 0; i < events->nr; i++)
		rbmap_close(events->map[i]);
	anonymous_buffer_destroy(&events->buffer);
	if (events->stop_fd > 0)
		close(events->stop_fd);
	free(events->map);
	comm_fields_free(events->fields);
	rbmap_formats_free(events->formats);
	cmdlines_free(events->cmdlines);
	dat_cgroups_free(events->cgroups);
	pthread_mutex_destroy(&events->lock);
	free(events);
}
