/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's messages of devices that come. */
#ifndef RBMAP_LIVE_RECORDER_DEVICE_WATCH_H
#define RBMAP_LIVE_RECORDER_DEVICE_WATCH_H

/*
 * Open a socket that gets a datagram for each device that comes or goes, and does not block.
 * Its end does not wait, as that of inotify does. Return the descriptor, or -1.
 */
int device_watch_open(void);

#endif /* RBMAP_LIVE_RECORDER_DEVICE_WATCH_H */
