// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/complain.h"
#include "base/process.h"
#include "driver_buffer.h"
#include "kernel/control.h"
#include "kernel/cpustats.h"

/* The inode of the control files; 0: there is no such buffer. */
static ino_t directory_now(void)
{
	struct stat st;

	return stat(control_dir(), &st) ? 0 : st.st_ino;
}

void driver_buffer_begin(struct driver_buffer *driver)
{
	*driver = (struct driver_buffer){ 0 };
	if (!control_buffer())
		return;
	driver->module = control_owner();
	if (driver->module && !*driver->module) {
		free(driver->module);
		driver->module = NULL;
	}
	driver->directory = directory_now();
}

void driver_buffer_end(struct driver_buffer *driver)
{
	free(driver->module);
	driver->module = NULL;
}

/* The old ring of a CPU can end after the new buffer was seen. */
void driver_buffer_ended(struct driver_buffer *driver)
{
	if (driver->gone || directory_now() == driver->directory)
		return;
	driver->gone = true;
	driver->since = now();
	complain("the module %s was removed: the buffer %s was read to its end, and this command waits for the next one",
		 driver->module, control_buffer());
}

bool driver_buffer_is_back(struct driver_buffer *driver)
{
	ino_t directory;
	uint64_t lost;

	if (!driver->gone)
		return false;
	directory = directory_now();
	if (!directory || directory == driver->directory)
		return false;
	driver->directory = directory;
	driver->gone = false;
	lost = cpustats_sum(CPUSTAT_LOST);
	complain("the module %s was loaded again after %.1f s: %" PRIu64 " events of the new buffer are lost until now",
		 driver->module, now() - driver->since, lost);
	return true;
}
