// SPDX-License-Identifier: GPL-2.0-only
/* Messages to the service manager: their text, how often they come, and bad addresses. */
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli_directory.h"
#include "command/service.h"

static int manager;

/* Listen as the service manager does. '@' is the zero of an abstract address. */
static void listen_at(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t size = strlen(name);

	memcpy(address.sun_path, name, size);
	if (*name == '@')
		*address.sun_path = '\0';
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_true(manager >= 0);
	assert_int_equal(bind(manager, (struct sockaddr *)&address,
			      offsetof(struct sockaddr_un, sun_path) + size), 0);
	setenv("NOTIFY_SOCKET", name, 1);
}

static void assert_message(const char *wanted)
{
	char text[512] = "";
	ssize_t got = recv(manager, text, sizeof(text) - 1, 0);

	if (wanted)
		assert_string_equal(text, wanted);
	else
		assert_int_equal(got, -1);
}

static void check_messages(void)
{
	service_ready("recording");
	assert_message("READY=1\nSTATUS=recording\n");
	service_status("3 files");
	assert_message("STATUS=3 files\n");
	service_stopping();
	assert_message("STOPPING=1\n");
	assert_message(NULL);
	close(manager);
}

static void test_path(void **state)
{
	(void)state;
	listen_at(path_of("notify"));
	check_messages();
}

static void test_abstract(void **state)
{
	char name[64];

	(void)state;
	snprintf(name, sizeof(name), "@rbmap-test-%d", getpid());
	listen_at(name);
	check_messages();
}

/* Return the second of the clock that decides. */
static time_t second(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

static time_t next_second(void)
{
	time_t before = second();

	while (second() == before)
		usleep(1000);
	return second();
}

/* Alive and busy share the one message of a second. */
static void test_once_a_second(void **state)
{
	time_t begun, messages = 1;
	char name[64];

	(void)state;
	snprintf(name, sizeof(name), "@rbmap-test-%d", getpid());
	listen_at(name);
	begun = next_second();
	service_alive();
	assert_message("WATCHDOG=1\n");
	for (int i = 0; i < 1000; i++) {
		service_alive();
		messages += recv(manager, name, sizeof(name), 0) > 0;
	}
	/* On a busy machine this takes more than a second. */
	assert_in_range(messages, 1, second() - begun + 1);
	next_second();
	service_busy();
	assert_message("WATCHDOG=1\nEXTEND_TIMEOUT_USEC=60000000\n");
	close(manager);
}

/* Three signs of life come within the manager's limit. */
static void test_interval(void **state)
{
	(void)state;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	assert_int_equal(service_interval_ms(), 0);
	setenv("WATCHDOG_USEC", "3000000", 1);
	assert_int_equal(service_interval_ms(), 0);
	setenv("NOTIFY_SOCKET", "@rbmap-test", 1);
	assert_int_equal(service_interval_ms(), 1000);
	setenv("WATCHDOG_USEC", "180000000", 1);
	assert_int_equal(service_interval_ms(), 60000);
	setenv("WATCHDOG_USEC", "18446744073709551615", 1);
	assert_int_equal(service_interval_ms(), INT_MAX);
	setenv("WATCHDOG_USEC", "none", 1);
	assert_int_equal(service_interval_ms(), 0);
	unsetenv("WATCHDOG_USEC");
	unsetenv("NOTIFY_SOCKET");
}

static void test_nobody_listens(void **state)
{
	static const char *const names[] = { "", "/", "@", "relative", "/nowhere/notify" };
	char longest[200];

	(void)state;
	memset(longest, 'x', sizeof(longest));
	*longest = '/';
	longest[sizeof(longest) - 1] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		setenv("NOTIFY_SOCKET", names[i], 1);
		service_ready("x");
	}
	setenv("NOTIFY_SOCKET", longest, 1);
	service_ready("x");
	unsetenv("NOTIFY_SOCKET");
	service_ready("x");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_path, begin, end),
		cmocka_unit_test_setup_teardown(test_abstract, begin, end),
		cmocka_unit_test_setup_teardown(test_once_a_second, begin, end),
		cmocka_unit_test(test_interval),
		cmocka_unit_test_setup_teardown(test_nobody_listens, begin, end),
	};

	return cmocka_run_group_tests_name("cli_service", tests, NULL, NULL);
}
