/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/rbmap/control: buffers that end with an open file. */
#ifndef RBMAP_CONTROL_DEVICE_H
#define RBMAP_CONTROL_DEVICE_H

int rbmap_control_device_init(void);
void rbmap_control_device_exit(void);

#endif /* RBMAP_CONTROL_DEVICE_H */
