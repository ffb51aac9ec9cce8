/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The buffer of a recorder: one of its own, which nobody else changes or reads, or a
 * buffer that it shares with others (-B and --default).
 */
#ifndef RBMAP_LIVE_PRIVATE_BUFFER_H
#define RBMAP_LIVE_PRIVATE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "command/options.h"
#include "kernel/anonymous_buffer.h"

/**
 * struct private_buffer - the options, and the buffer that was created
 * @size_kb: KiB of each CPU's ring; 0: as the module was loaded with
 * @subbuf_kb: KiB of a sub-buffer; 0: as the module was loaded with
 * @clock: name of the clock; NULL: local
 * @cpus: list of the CPUs whose events are recorded; NULL: all
 * @use_default: the default buffer is wanted
 * @records_self: events of this process are wanted, too
 * @kept: the buffer
 * @left_out: whether exclude_process has this process
 */
struct private_buffer {
	uint64_t size_kb;
	uint64_t subbuf_kb;
	const char *clock;
	const char *cpus;
	bool use_default;
	bool records_self;

	struct anonymous_buffer kept;
	bool left_out;
};

/* The structure has a member own, a struct private_buffer. */
#define PRIVATE_BUFFER_OPTIONS(structure)					\
	{ .name = "default",						\
	  .target = FLAG(structure, own.use_default),		\
	  .help = "use the default buffer, which others may use, too" },	\
	{ .name = "buffer-size", .letter = 'b', .arg = "SIZE", .kind = "number", \
	  .target = OPTION_TO(set_size_kb, uint64_t, structure, own.size_kb), \
	  .help = "KiB of each CPU's ring; 8M and 1G are sizes, too" }, \
	{ .name = "subbuf", .arg = "SIZE", .kind = "number",		\
	  .target = OPTION_TO(set_size_kb, uint64_t, structure, own.subbuf_kb), \
	  .help = "size of a sub-buffer" },				\
	{ .name = "clock", .letter = 'C', .arg = "NAME",		\
	  .kind = "local,mono,boot,x86-tsc",				\
	  .target = STRING(structure, own.clock),			\
	  .help = "local, mono, boot or x86-tsc (local)" },		\
	{ .name = "cpus", .arg = "LIST", .kind = "text",		\
	  .target = STRING(structure, own.cpus),			\
	  .help = "only events of these CPUs: 0-3,8" },			\
	{ .name = "self", .target = FLAG(structure, own.records_self), \
	  .help = "events of this command itself, too" }

/* Check the options. Return STATUS_OK, or the status of a usage error. */
int private_buffer_check(const struct private_buffer *own, const struct command *cmd);

/*
 * Use a buffer of its own for what follows, unless the user chose another one. Its events keep
 * the kernel's addresses, if this process may see them. It ends with private_buffer_end(), or with
 * the process. @overwrite: a full ring must overwrite its
 * oldest events. On failure, report the error and return false.
 */
bool private_buffer_begin(struct private_buffer *own, bool overwrite);
void private_buffer_end(struct private_buffer *own);

/* Return whether the buffer is this process' own. */
bool private_buffer_is_private(const struct private_buffer *own);

/*
 * Leave out the events that the threads of this process cause, and count them, unless the user
 * wants them. Interrupts in these threads and events about the whole machine are recorded. On
 * failure, report the error and return false.
 */
bool private_buffer_leave_out_self(struct private_buffer *own);

/* Undo private_buffer_leave_out_self() in a buffer that others use, too. */
bool private_buffer_restore_self(struct private_buffer *own);

#endif /* RBMAP_LIVE_PRIVATE_BUFFER_H */
