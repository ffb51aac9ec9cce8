// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "transport.h"

static const struct transport_ops *const kinds[] = {
	&transport_directory,
	&transport_jetstream,
};

int transport_errno(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return -ENOSPC;
	case EACCES:
	case EPERM:
	case EROFS:
		return -EACCES;
	case ENOMEM:
		return -ENOMEM;
	default:
		return -EAGAIN;
	}
}

int transport_failed(struct transport *t, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(t->error, sizeof(t->error), fmt, args);
	va_end(args);
	return error;
}

int transport_open(struct transport *t, const struct transport_options *options)
{
	*t = (struct transport){ 0 };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strncmp(options->url, kinds[i]->scheme, strlen(kinds[i]->scheme)))
			continue;
		t->ops = kinds[i];
		return t->ops->open(t, options);
	}
	return transport_failed(t, -EINVAL, "unknown transport '%s': use dir:/DIRECTORY or nats://HOST:PORT",
				options->url);
}

void transport_close(struct transport *t)
{
	if (t->data)
		t->ops->close(t);
	t->data = NULL;
}
