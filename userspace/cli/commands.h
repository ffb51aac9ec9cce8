/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands, for the table in main.c alone: no command knows another one. */
#ifndef RBMAP_CLI_COMMANDS_H
#define RBMAP_CLI_COMMANDS_H

#include "command/command.h"

/*
 * A command is defined in the file of its name, or of the opposite command's
 * name.
 */
extern const struct command command_load;
extern const struct command command_unload;
extern const struct command command_create;
extern const struct command command_destroy;
extern const struct command command_status;
extern const struct command command_doctor;
extern const struct command command_selftest;
extern const struct command command_list;
extern const struct command command_enable;
extern const struct command command_disable;
extern const struct command command_probe;
extern const struct command command_new_probe;
extern const struct command command_stat;
extern const struct command command_stream;
extern const struct command command_record;
extern const struct command command_snapshot;
extern const struct command command_recover;
extern const struct command command_report;
extern const struct command command_latency;
extern const struct command command_why;
extern const struct command command_top;
extern const struct command command_convert;
extern const struct command command_cut;
extern const struct command command_tracefs_dir;

#endif /* RBMAP_CLI_COMMANDS_H */
