// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers that a module owns.
 *
 *	insmod emit.ko own=NAME raw=1	create a buffer; all events are written to it
 *	echo "NAME SIZE SUBBUF MODE CLOCK" >.../try
 *					create one, write to it, destroy it; returns
 *					the error of the first step that fails
 *	echo N >.../churn		the same N times, with writes on all CPUs
 *	echo NAME >.../find		look a buffer up and write to it
 *	echo NAME >.../hold		look a buffer up and hold it; "-": release it
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <rbmap/buffer.h>

#include "internal.h"

static char *emit_own = "";
module_param_named(own, emit_own, charp, 0444);
MODULE_PARM_DESC(own, "name of a buffer to be made; none: the default one");

static bool emit_raw = true;
module_param_named(raw, emit_raw, bool, 0444);
MODULE_PARM_DESC(raw, "of that buffer");

static unsigned long emit_own_kb;
module_param_named(own_kb, emit_own_kb, ulong, 0444);
MODULE_PARM_DESC(own_kb, "size of that buffer");

static struct rbmap_buffer *emit_owned, *emit_held;

/* A text that identifies the writer in the test's output. */
static const char emit_text[] = "from a module";

struct rbmap_buffer *emit_own_create(void)
{
	const struct rbmap_buffer_config config = {
		.size_kb = emit_own_kb,
		.raw = emit_raw,
	};

	if (!*emit_own)
		return rbmap_default_buffer();
	emit_owned = rbmap_buffer_create(emit_own, &config);
	return emit_owned;
}

void emit_own_exit(void)
{
	if (emit_held)
		rbmap_buffer_put(emit_held);
	rbmap_buffer_destroy(emit_owned);
}

static int emit_once(const char *name, const struct rbmap_buffer_config *config,
		     smp_call_func_t everywhere)
{
	struct rbmap_buffer *buf = rbmap_buffer_create(name, config);
	int err;

	if (IS_ERR(buf))
		return PTR_ERR(buf);
	err = rbmap_write(buf, emit_text, sizeof(emit_text));
	if (everywhere)
		on_each_cpu(everywhere, buf, 1);
	rbmap_buffer_destroy(buf);
	return err;
}

static int emit_try(const char *text, const struct kernel_param *param)
{
	struct rbmap_buffer_config config = { .raw = true };
	unsigned int mode, clock;
	char name[40];

	if (sscanf(text, "%39s %lu %lu %u %u", name, &config.size_kb,
		   &config.subbuf_size_kb, &mode, &clock) != 5)
		return -EBADMSG;
	config.mode = mode;
	config.clock = clock;
	return emit_once(name, &config, NULL);
}

/* Write more than the ring holds, so that its slow paths run, too. */
static void emit_many(void *buf)
{
	struct rbmap_reservation r;
	u64 *payload;
	int i;

	for (i = 0; i < 1000; i++) {
		payload = rbmap_reserve(buf, &r, 16 + i % 64);
		if (!payload)
			continue;
		*payload = i;
		if (i % 8)
			rbmap_commit(&r);
		else
			rbmap_discard(&r);
	}
}

static int emit_churn(const char *text, const struct kernel_param *param)
{
	struct rbmap_buffer_config config = { .size_kb = 16 };
	unsigned int n, i;
	char name[16];
	int err;

	err = kstrtouint(text, 0, &n);
	for (i = 0; !err && i < n; i++) {
		snprintf(name, sizeof(name), "churn%u", i % 2);
		config.raw = i % 3;
		config.mode = i % 4 ? RBMAP_MODE_OVERWRITE : RBMAP_MODE_DISCARD;
		err = emit_once(name, &config, emit_many);
		/*
		 * Another process may have found the buffer and filled it with
		 * its own events.
		 */
		if (err == -EAGAIN)
			err = 0;
		cond_resched();
	}
	return err;
}

static struct rbmap_buffer *emit_found(const char *text)
{
	char name[40] = "";

	sscanf(text, "%39s", name);
	return rbmap_buffer_find(name);
}

static int emit_find(const char *text, const struct kernel_param *param)
{
	struct rbmap_buffer *buf = emit_found(text);
	int err;

	if (!buf)
		return -ENOENT;
	err = rbmap_write_noinline(buf, emit_text, sizeof(emit_text));
	rbmap_buffer_put(buf);
	return err;
}

static int emit_hold(const char *text, const struct kernel_param *param)
{
	if (!emit_ready)
		return -EBUSY;
	if (emit_held)
		rbmap_buffer_put(emit_held);
	emit_held = NULL;
	if (*text == '-')
		return 0;
	emit_held = emit_found(text);
	return emit_held ? 0 : -ENOENT;
}

static const struct kernel_param_ops emit_try_ops = { .set = emit_try };
static const struct kernel_param_ops emit_churn_ops = { .set = emit_churn };
static const struct kernel_param_ops emit_find_ops = { .set = emit_find };
static const struct kernel_param_ops emit_hold_ops = { .set = emit_hold };

module_param_cb(try, &emit_try_ops, NULL, 0200);
module_param_cb(churn, &emit_churn_ops, NULL, 0200);
module_param_cb(find, &emit_find_ops, NULL, 0200);
module_param_cb(hold, &emit_hold_ops, NULL, 0200);
