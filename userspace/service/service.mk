# SPDX-License-Identifier: GPL-2.0-only
#
# The flight recorder as a service. Included by the top Makefile.

SERVICE_DIR	:= userspace/service
SYSTEMDUNITDIR	?= $(PREFIX)/lib/systemd/system
# Settings of the services; `rbmap fleet` looks for its own in /etc/rbmap
SYSCONFDIR	?= $(if $(filter /usr /usr/local,$(PREFIX)),/etc,$(PREFIX)/etc)
SERVICE_CONF	= $(DESTDIR)$(SYSCONFDIR)/rbmap/flight-recorder.conf

INSTALL_USER	+= install-service
UNINSTALL_USER	+= uninstall-service

.PHONY: install-service uninstall-service
# Settings that somebody has changed stay.
install-service:
	$(INSTALL) -d $(DESTDIR)$(SYSTEMDUNITDIR) $(dir $(SERVICE_CONF))
	sed 's|@BINDIR@|$(BINDIR)|; s|@SYSCONFDIR@|$(SYSCONFDIR)|' \
		$(SERVICE_DIR)/rbmap-flight-recorder.service \
		>$(DESTDIR)$(SYSTEMDUNITDIR)/rbmap-flight-recorder.service
	test -e $(SERVICE_CONF) || \
		$(INSTALL) -m 644 $(SERVICE_DIR)/flight-recorder.conf $(SERVICE_CONF)

uninstall-service:
	rm -f $(DESTDIR)$(SYSTEMDUNITDIR)/rbmap-flight-recorder.service
	! cmp -s $(SERVICE_DIR)/flight-recorder.conf $(SERVICE_CONF) || rm $(SERVICE_CONF)
	test ! -d $(dir $(SERVICE_CONF)) || \
		rmdir --ignore-fail-on-non-empty $(dir $(SERVICE_CONF))
