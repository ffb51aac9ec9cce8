/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of functions, for addresses in events. */
#ifndef RBMAP_CONTROL_SYMBOLS_H
#define RBMAP_CONTROL_SYMBOLS_H

#include <linux/rbmap.h>

long rbmap_symbols_resolve(const struct rbmap_symbols *symbols);

#endif /* RBMAP_CONTROL_SYMBOLS_H */
