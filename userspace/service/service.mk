# SPDX-License-Identifier: GPL-2.0-only
#
# The flight recorder as a service. Included by the top Makefile.

SERVICE_DIR	:= userspace/service
SYSTEMDUNITDIR	?= $(PREFIX)/lib/systemd/system

INSTALL_USER	+= install-service
UNINSTALL_USER	+= uninstall-service

.PHONY: install-service uninstall-service
install-service:
	$(INSTALL) -d $(DESTDIR)$(SYSTEMDUNITDIR)
	sed 's|@BINDIR@|$(BINDIR)|' $(SERVICE_DIR)/rbmap-flight-recorder.service \
		>$(DESTDIR)$(SYSTEMDUNITDIR)/rbmap-flight-recorder.service

uninstall-service:
	rm -f $(DESTDIR)$(SYSTEMDUNITDIR)/rbmap-flight-recorder.service
