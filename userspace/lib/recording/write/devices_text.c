// SPDX-License-Identifier: GPL-2.0-only
#include "base/buf.h"
#include "devices_text.h"
#include "recording/dat_devices.h"

#define LINE_SIZE	(DAT_DEVICE_NAME + 16)	/* "4095:1048575 NAME\n" and a 0 byte */

size_t devices_text(const struct dat_devices *devices, struct buf *out, size_t limit)
{
	size_t begin = out->size, nr = dat_devices_count(devices);

	for (size_t i = 0; i < nr; i++) {
		uint32_t dev = dat_devices_number(devices, i);

		if (out->size - begin + sizeof(DAT_DEVICES_HEAD) + LINE_SIZE > limit)
			return nr - i;
		if (!i)
			buf_printf(out, "%s", DAT_DEVICES_HEAD);
		buf_printf(out, "%u:%u %s\n", DAT_DEV_MAJOR(dev), DAT_DEV_MINOR(dev),
			   dat_devices_name(devices, dev));
	}
	return 0;
}
