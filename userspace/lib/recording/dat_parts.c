// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The parts of a recording beside its events. The static library has these functions twice, for
 * those that print (lib.mk).
 */
#include "dat_reader.h"

size_t dat_formats(const struct rbmap_recording *r, const struct dat_text **formats)
{
	*formats = r->format;
	return r->nr_formats;
}

const struct dat_text *dat_kallsyms(const struct rbmap_recording *r)
{
	return &r->kallsyms;
}

const struct dat_text *dat_cmdlines(const struct rbmap_recording *r)
{
	return &r->cmdlines;
}

const struct dat_text *dat_printk(const struct rbmap_recording *r)
{
	return &r->printk;
}

const struct dat_times *dat_times(const struct rbmap_recording *r)
{
	return &r->times;
}

const struct dat_cgroups *dat_cgroups(const struct rbmap_recording *r)
{
	return r->cgroups;
}

const struct dat_devices *dat_devices(const struct rbmap_recording *r)
{
	return r->devices;
}

const struct dat_hosts *dat_hosts(const struct rbmap_recording *r)
{
	return r->hosts;
}

unsigned int dat_long_size(const struct rbmap_recording *r)
{
	return r->long_size;
}
