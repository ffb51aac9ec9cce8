/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tell the service manager how a service does, by systemd's protocol: see sd_notify(3).
 * Without a service manager (NOTIFY_SOCKET is not set) the functions do nothing. They
 * report no error, because the work goes on all the same. Any thread may call them.
 */
#ifndef RBMAP_COMMAND_SERVICE_H
#define RBMAP_COMMAND_SERVICE_H

#include <stdbool.h>

/*
 * Return the longest time that may pass between two calls of service_alive(). 0: no service
 * manager waits for them.
 */
unsigned int service_interval_ms(void);

/* The service has started. @status is one line for 'systemctl status'. */
void service_ready(const char *status);

/* Replace the line for 'systemctl status'. */
void service_status(const char *status);

/* Say that the service works, once a second at most. */
void service_alive(void);

/* Do the same during long work, and extend the time that the service has to start or stop. */
void service_busy(void);

/* The service ends. */
void service_stopping(void);

#endif /* RBMAP_COMMAND_SERVICE_H */
