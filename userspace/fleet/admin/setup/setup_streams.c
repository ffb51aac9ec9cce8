// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "setup_steps.h"
#include "transport/jetstream/jetstream_options.h"

int setup_streams(const struct transport_options *options, struct streams_plan plan)
{
	struct transport t;
	int ret;

	if (strncmp(options->url, JETSTREAM_SCHEME, strlen(JETSTREAM_SCHEME))) {
		complain("invalid servers '%s': use nats://HOST:PORT", options->url);
		return STATUS_USAGE;
	}
	ret = transport_open(&t, options);
	if (!ret)
		ret = jetstream_streams(&t, &plan);
	if (ret)
		complain("%s", t.error);
	else
		printf("the streams are on %u server%s\n", plan.replicas, plan.replicas == 1 ? "" : "s");
	transport_close(&t);
	return ret ? STATUS_ERROR : STATUS_OK;
}
