// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "kernel/control.h"
#include "pid_list.h"
#include "private_buffer.h"
#include "rbmap.h"

#define NAME_PREFIX	"record"

int private_buffer_check(const struct private_buffer *own, const struct command *cmd)
{
	bool shared = own->use_default || control_buffer();
	uint32_t words[CPU_LIST_WORDS] = { 0 };

	if (own->use_default && control_buffer())
		return usage_error(cmd, "--default and -B name two buffers");
	if (own->clock && isdigit((unsigned char)*own->clock))
		return usage_error(cmd, "invalid clock '%s': --cpus chooses CPUs, and -C is local, mono, boot or x86-tsc",
				   own->clock);
	if (own->cpus && !parse_cpus(own->cpus, words))
		return usage_error(cmd, "invalid list of CPUs '%s': use numbers and ranges, such as 0-3,8",
				   own->cpus);
	if (shared && (own->size_kb || own->subbuf_kb || own->clock || own->cpus))
		return usage_error(cmd, "-b, --subbuf, -C and --cpus are for a buffer of the command's own: without -B and --default");
	return STATUS_OK;
}

bool private_buffer_is_private(const struct private_buffer *own)
{
	return own->kept.name[0];
}

static void complain_create(int error, const char *message)
{
	switch (error) {
	case -EACCES:
	case -EPERM:
		if (!control_complain_lockdown())
			complain("no permission to make a buffer for this command: run it as root, or use the default buffer with --default");
		break;
	case -ENOENT:
		complain_no_device(CONTROL_DEVICE, rbmap_version());
		break;
	case -ENOMEM:
		complain("not enough memory for the rings%s%s: use a smaller size with -b",
			 *message ? ": " : "", message);
		break;
	case -EINVAL:
		if (*message) {
			complain("the kernel refused the buffer's settings: %s", message);
			break;
		}
		/* fall through */
	default:
		complain("cannot make a buffer for this command: %s",
			 strerror(-error));
	}
}

/* The file has groups of eight hexadecimal digits, the highest CPUs first. */
static bool set_cpus(const char *list)
{
	static const char file[] = "tracing_cpumask";
	uint32_t words[CPU_LIST_WORDS] = { 0 };
	struct buf text = { 0 };
	int ret = -ENOMEM, i = CPU_LIST_WORDS - 1;

	parse_cpus(list, words);
	while (i && !words[i])
		i--;
	for (; i >= 0; i--)
		buf_printf(&text, "%08" PRIx32 "%s", words[i], i ? "," : "");
	buf_add(&text, "", 1);
	if (!text.failed)
		ret = control_write(file, text.data);
	buf_free(&text);
	if (ret == -EINVAL || ret == -EOVERFLOW)
		complain("this machine does not have all CPUs of the list %s", list);
	else if (ret)
		control_complain(CONTROL_WRITE, file, ret);
	return !ret;
}

bool private_buffer_begin(struct private_buffer *own, bool overwrite)
{
	struct buf settings = { 0 };
	char message[1024] = "";
	int ret = -ENOMEM;

	if (own->use_default || control_buffer())
		return true;
	buf_printf(&settings, "clock=%s", own->clock ? own->clock : "local");
	if (own->size_kb)
		buf_printf(&settings, " buffer_size_kb=%" PRIu64, own->size_kb);
	if (own->subbuf_kb)
		buf_printf(&settings, " subbuf_size_kb=%" PRIu64, own->subbuf_kb);
	if (overwrite)
		buf_printf(&settings, " overwrite=1");
	buf_add(&settings, "", 1);
	if (!settings.failed)
		ret = anonymous_buffer_create(&own->kept, NAME_PREFIX, settings.data,
					      message, sizeof(message));
	buf_free(&settings);
	if (ret) {
		complain_create(ret, message);
		return false;
	}
	control_set_buffer(own->kept.name);
	/* It fails without CAP_SYSLOG, and with kernel.kptr_restrict=2: addresses are hashed. */
	control_write("kptr", "1");
	return !own->cpus || set_cpus(own->cpus);
}

void private_buffer_end(struct private_buffer *own)
{
	if (private_buffer_is_private(own))
		control_set_buffer(NULL);
	anonymous_buffer_destroy(&own->kept);
}

bool private_buffer_leave_out_self(struct private_buffer *own)
{
	if (own->records_self || control_is_raw())
		return true;
	own->left_out = pid_list_exclude_self(true);
	return own->left_out;
}

bool private_buffer_restore_self(struct private_buffer *own)
{
	bool undo = own->left_out && !private_buffer_is_private(own);

	own->left_out = false;
	return !undo || pid_list_exclude_self(false);
}
