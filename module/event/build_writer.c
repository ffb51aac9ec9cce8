// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#include "reserve.c"
#include "wanted.c"
#include "copies.c"
#include "whole.c"
#include "self_cost.c"
