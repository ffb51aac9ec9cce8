/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_CLI_LIBPROTOBUF_C_H
#define RBMAP_CLI_LIBPROTOBUF_C_H

/* Load the library that writes messages. Without it, the command ends. */
void libprotobuf_c_load(void);

#endif /* RBMAP_CLI_LIBPROTOBUF_C_H */
