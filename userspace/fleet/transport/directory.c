// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages in a directory, which hosts share by NFS for instance:
 *
 *	collector/HOST/ID	from a host
 *	host/HOST/ID		to a host
 *	all/ID			to all hosts
 *
 * `rbmap fleet setup` makes the three folders. They are never made here: where a file
 * system is not mounted, nothing may be written below its mount point.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "folder.h"
#include "transport.h"

#define SCHEME		"dir:"
#define COMMAND_SECONDS	3600
#define POLL_MS		200	/* inotify reports no changes by other machines: look as often */
#define HOST_POLL_MS	1000	/* because thousands of hosts look at one file system */
#define POLL_SHARE	20	/* The search for messages takes at most 1/POLL_SHARE of the time. */

static const char *const channels[] = {
	[CHANNEL_COLLECTOR]	= "collector",
	[CHANNEL_HOST]		= "host",
	[CHANNEL_ALL]		= "all",
};

#define NR_CHANNELS	(sizeof(channels) / sizeof(*channels))

/**
 * struct delivery - a message that was received
 * @at: the folder
 * @pending: it was not acknowledged
 * @next: in the list of all
 */
struct delivery {
	enum channel channel;
	char host[HOST_NAME_SIZE];
	char id[MESSAGE_ID_SIZE];
	bool pending;
	struct delivery *next;
};

/**
 * struct directory - the state of a transport
 * @channel: descriptors of the three folders
 * @hosts: the hosts that the collector looks at, one after the other
 * @names: the names in the folder that is looked at
 * @from: the channel and the host of that folder
 * @dir: its descriptor; -1: none
 * @deliveries: messages that must not be delivered (again). Those to all hosts stay in
 *	the list, because their files stay.
 * @unreadable: a message that could not be read; the others are delivered
 */
struct directory {
	enum transport_role role;
	char host[HOST_NAME_SIZE];
	int channel[NR_CHANNELS];
	struct folder_names hosts;
	struct folder_names names;
	enum channel from;
	char from_host[HOST_NAME_SIZE];
	int dir;
	struct delivery *deliveries;
	struct {
		char host[HOST_NAME_SIZE];
		char id[MESSAGE_ID_SIZE];
		int error;
	} unreadable;
};

static void close_folder(struct directory *d)
{
	folder_names_free(&d->names);
	if (d->dir >= 0)
		close(d->dir);
	d->dir = -1;
}

static void directory_close(struct transport *t)
{
	struct directory *d = t->data;

	close_folder(d);
	folder_names_free(&d->hosts);
	for (size_t i = 0; i < NR_CHANNELS; i++)
		if (d->channel[i] >= 0)
			close(d->channel[i]);
	while (d->deliveries) {
		struct delivery *next = d->deliveries->next;

		free(d->deliveries);
		d->deliveries = next;
	}
	free(d);
}

static int open_channels(struct transport *t, const char *path)
{
	int base = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;
	struct directory *d = t->data;

	if (base < 0)
		return transport_failed(t, transport_errno(errno), "cannot open %s: %s", path,
					strerror(errno));
	for (size_t i = 0; i < NR_CHANNELS; i++) {
		d->channel[i] = openat(base, channels[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (d->channel[i] >= 0)
			continue;
		error = errno;
		close(base);
		return transport_failed(t, transport_errno(error),
			"cannot open %s/%s: %s; mount it, or make it: 'rbmap fleet setup dir:%s'",
			path, channels[i], strerror(error), path);
	}
	close(base);
	return 0;
}

static int directory_open(struct transport *t, const struct transport_options *options)
{
	struct directory *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return transport_failed(t, -ENOMEM, "out of memory");
	t->data = d;
	d->role = options->role;
	d->dir = -1;
	for (size_t i = 0; i < NR_CHANNELS; i++)
		d->channel[i] = -1;
	if (options->host)
		snprintf(d->host, sizeof(d->host), "%s", options->host);
	ret = open_channels(t, options->url + strlen(SCHEME));
	if (ret)
		transport_close(t);
	return ret;
}

/*
 * Make the folder of a host. The other side is another user, who reads messages and removes
 * them: the group may write, whatever the umask is. The folder gets the group of its parent.
 */
static int make_folder(int dir, const char *name)
{
	mode_t before = umask(0007);
	int ret = mkdirat(dir, name, 0770) && errno != EEXIST ? -errno : 0;

	umask(before);
	return ret ? ret : sync_new_name(dir, name, AT_REMOVEDIR);
}

/* Open the folder of a channel, or of a host in it. Return a descriptor or a negative errno. */
static int open_folder(struct directory *d, enum channel channel, const char *host, bool make)
{
	const char *name = channel == CHANNEL_ALL ? "." : host;
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int dir = openat(d->channel[channel], name, flags);

	if (dir < 0 && errno == ENOENT && make) {
		int ret = make_folder(d->channel[channel], name);

		if (ret)
			return ret;
		dir = openat(d->channel[channel], name, flags);
	}
	return dir < 0 ? -errno : dir;
}

static int write_parcel(struct directory *d, const struct parcel *p)
{
	int dir = open_folder(d, p->channel, p->host, true), ret;

	if (dir < 0)
		return dir;
	ret = folder_write(dir, p->id, p->data, p->size);
	if (!ret && fsync(dir))
		ret = -errno;
	if (p->channel == CHANNEL_ALL)
		folder_remove_old(dir, COMMAND_SECONDS);
	close(dir);
	return ret;
}

static int directory_publish(struct transport *t, const struct parcel *parcels, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		const struct parcel *p = &parcels[i];
		int ret = write_parcel(t->data, p);

		if (ret)
			return transport_failed(t, transport_errno(-ret), "cannot write %s/%s/%s: %s",
						channels[p->channel], p->host, p->id, strerror(-ret));
	}
	return 0;
}

static struct delivery **find_delivery(struct directory *d, enum channel channel,
				       const char *host, const char *id)
{
	struct delivery **at = &d->deliveries;

	while (*at && ((*at)->channel != channel || strcmp((*at)->host, host) ||
		       strcmp((*at)->id, id)))
		at = &(*at)->next;
	return at;
}

/* Drop the deliveries of commands whose files were removed. */
static void forget_removed(struct directory *d)
{
	struct delivery **at = &d->deliveries;

	while (*at) {
		struct delivery *one = *at;

		if (one->pending || one->channel != CHANNEL_ALL ||
		    !faccessat(d->channel[CHANNEL_ALL], one->id, F_OK, AT_SYMLINK_NOFOLLOW)) {
			at = &one->next;
			continue;
		}
		*at = one->next;
		free(one);
	}
}

/* Look at the folder of the next host of a list. Return false at its end. */
static bool next_host(struct directory *d)
{
	while (d->hosts.next < d->hosts.nr) {
		const char *host = d->hosts.name[d->hosts.next++];

		if (!is_host_name(host))
			continue;
		d->dir = open_folder(d, CHANNEL_COLLECTOR, host, false);
		if (d->dir < 0)
			continue;
		d->from = CHANNEL_COLLECTOR;
		snprintf(d->from_host, sizeof(d->from_host), "%s", host);
		if (!folder_list(d->dir, FOLDER_MESSAGES_MAX, &d->names) && d->names.nr)
			return true;
		close_folder(d);
	}
	return false;
}

/* Look at one of the two folders of a host. Return 1, or 0: it is empty, or an error. */
static int host_folder(struct directory *d, enum channel channel)
{
	int ret;

	d->from = channel;
	snprintf(d->from_host, sizeof(d->from_host), "%s", channel == CHANNEL_ALL ? "" : d->host);
	d->dir = open_folder(d, channel, d->host, false);
	if (d->dir == -ENOENT)
		return 0;
	if (d->dir < 0)
		return d->dir;
	ret = folder_list(d->dir, FOLDER_MESSAGES_MAX, &d->names);
	return ret ? ret : d->names.nr > 0;
}

/* A message of one host must not keep away those of others. */
static void skip_unreadable(struct directory *d, const char *id, int error)
{
	d->unreadable.error = error;
	memcpy(d->unreadable.host, d->from_host, sizeof(d->unreadable.host));
	snprintf(d->unreadable.id, sizeof(d->unreadable.id), "%s", id);
}

/* Report a message that cannot be read, after all others. Return the error. */
static int report_unreadable(struct transport *t)
{
	struct directory *d = t->data;
	int error = d->unreadable.error;

	d->unreadable.error = 0;
	return transport_failed(t, transport_errno(-error),
				"cannot read the message %s of %s: %s", d->unreadable.id,
				*d->unreadable.host ? d->unreadable.host : "the administrator",
				strerror(-error));
}

/* Store the next message of the folder. Return 1, or 0: it has no more, or a negative errno. */
static int next_message(struct directory *d, struct parcel *p)
{
	while (d->names.next < d->names.nr) {
		const char *id = d->names.name[d->names.next++];
		struct delivery *one;
		void *data = NULL;
		int ret;

		if (!is_source_name(id) || *find_delivery(d, d->from, d->from_host, id))
			continue;
		ret = folder_read(d->dir, id, &data, &p->size);
		/* A file that cannot be a message is delivered without bytes, and refused. */
		if (ret == -EBADMSG)
			p->size = 0;
		else if (ret == -ENOENT || ret == -EISDIR)
			continue;
		else if (ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE)
			return ret;
		else if (ret) {
			skip_unreadable(d, id, ret);
			continue;
		}
		one = calloc(1, sizeof(*one));
		if (!one) {
			free(data);
			return -ENOMEM;
		}
		one->channel = p->channel = d->from;
		memcpy(one->host, d->from_host, sizeof(one->host));
		memcpy(p->host, d->from_host, sizeof(p->host));
		snprintf(one->id, sizeof(one->id), "%s", id);
		snprintf(p->id, sizeof(p->id), "%s", id);
		one->pending = true;
		one->next = d->deliveries;
		d->deliveries = one;
		p->data = data;
		p->handle = one;
		return 1;
	}
	return 0;
}

/* Look into both folders of the host. */
static int look_as_host(struct directory *d, struct parcel *p)
{
	int ret = d->dir < 0 ? 0 : next_message(d, p);

	for (enum channel channel = CHANNEL_HOST; !ret && channel <= CHANNEL_ALL; channel++) {
		close_folder(d);
		ret = host_folder(d, channel);
		if (ret > 0)
			ret = next_message(d, p);
	}
	return ret;
}

/* Look into the folders of all hosts: the rest of the last list, then a new one. */
static int look_as_collector(struct directory *d, struct parcel *p)
{
	bool is_new = false;

	for (;;) {
		int ret = d->dir < 0 ? 0 : next_message(d, p);

		if (ret)
			return ret;
		close_folder(d);
		if (next_host(d))
			continue;
		if (is_new)
			return 0;
		is_new = true;
		folder_names_free(&d->hosts);
		ret = folder_list(d->channel[CHANNEL_COLLECTOR], FOLDER_HOSTS_MAX, &d->hosts);
		if (ret)
			return ret;
	}
}

static int look(struct directory *d, struct parcel *p)
{
	if (d->role == ROLE_COLLECTOR)
		return look_as_collector(d, p);
	forget_removed(d);
	return look_as_host(d, p);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static int directory_receive(struct transport *t, struct parcel *p, int timeout_ms)
{
	const struct directory *d = t->data;
	int64_t shortest = d->role == ROLE_HOST ? HOST_POLL_MS : POLL_MS;
	int64_t end = now_ms() + timeout_ms;

	for (;;) {
		int64_t begin = now_ms();
		int ret = look(t->data, p);
		int64_t now = now_ms(), left = end - now, pause = POLL_SHARE * (now - begin);

		if (ret < 0)
			return transport_failed(t, transport_errno(-ret), "cannot read messages: %s",
						strerror(-ret));
		if (!ret && d->unreadable.error)
			return report_unreadable(t);
		if (ret || left <= 0)
			return ret;
		if (pause < shortest)
			pause = shortest;
		if (poll(NULL, 0, (int)(pause < left ? pause : left)))
			return 0;
	}
}

static int directory_acknowledge(struct transport *t, struct parcel *p, bool done)
{
	struct directory *d = t->data;
	struct delivery *one = p->handle, **at = find_delivery(d, one->channel, one->host, one->id);
	int dir, ret = 0;

	free((void *)p->data);
	p->data = NULL;
	one->pending = false;
	if (done && one->channel == CHANNEL_ALL)
		return 0;
	if (done) {
		dir = open_folder(d, one->channel, one->host, false);
		if (dir < 0 || (unlinkat(dir, one->id, 0) && errno != ENOENT))
			ret = transport_failed(t, transport_errno(errno), "cannot remove %s/%s/%s: %s",
					       channels[one->channel], one->host, one->id,
					       strerror(errno));
		if (dir >= 0)
			close(dir);
	}
	*at = one->next;
	free(one);
	return ret;
}

const struct transport_ops transport_directory = {
	.scheme		= SCHEME,
	.open		= directory_open,
	.publish	= directory_publish,
	.receive	= directory_receive,
	.acknowledge	= directory_acknowledge,
	.close		= directory_close,
};
