# SPDX-License-Identifier: GPL-2.0-only
#
# The service of `rbmap ship`, its settings and its manual page. Included by fleet.mk.

FLEET_SHIP_CONF	= $(DESTDIR)$(SYSCONFDIR)/rbmap/ship.conf
FLEET_SHIP_DIR	:= $(FLEET_DIR)/agent

.PHONY: install-fleet-ship uninstall-fleet-ship
install-fleet: install-fleet-ship
uninstall-fleet: uninstall-fleet-ship

# Settings that somebody has changed stay.
install-fleet-ship:
	$(INSTALL) -d $(DESTDIR)$(SYSTEMDUNITDIR) $(dir $(FLEET_SHIP_CONF)) $(DESTDIR)$(MANDIR)/man1
	sed 's|@LIBEXECDIR@|$(LIBEXECDIR)|; s|@SYSCONFDIR@|$(SYSCONFDIR)|' \
		$(FLEET_SHIP_DIR)/rbmap-ship.service >$(DESTDIR)$(SYSTEMDUNITDIR)/rbmap-ship.service
	test -e $(FLEET_SHIP_CONF) || $(INSTALL) -m 644 $(FLEET_SHIP_DIR)/ship.conf $(FLEET_SHIP_CONF)
	$(INSTALL) -m 644 docs/man/rbmap-ship.1 $(DESTDIR)$(MANDIR)/man1

uninstall-fleet-ship:
	rm -f $(DESTDIR)$(SYSTEMDUNITDIR)/rbmap-ship.service $(DESTDIR)$(MANDIR)/man1/rbmap-ship.1
	! cmp -s $(FLEET_SHIP_DIR)/ship.conf $(FLEET_SHIP_CONF) || rm $(FLEET_SHIP_CONF)
	test ! -d $(dir $(FLEET_SHIP_CONF)) || \
		rmdir --ignore-fail-on-non-empty $(dir $(FLEET_SHIP_CONF))
