# SPDX-License-Identifier: GPL-2.0-only
#
# The service of `rbmap collect`, its user and its settings. Included by fleet.mk.

FLEET_COLLECT_DIR := $(FLEET_DIR)/collector
FLEET_COLLECT_CONF = $(DESTDIR)$(SYSCONFDIR)/rbmap/collect.conf

.PHONY: install-fleet-collect uninstall-fleet-collect
install-fleet: install-fleet-collect
uninstall-fleet: uninstall-fleet-collect

# Settings that somebody has changed stay.
install-fleet-collect:
	$(INSTALL) -d $(DESTDIR)$(SYSTEMDUNITDIR) $(dir $(FLEET_COLLECT_CONF)) \
		$(DESTDIR)$(SYSUSERSDIR)
	sed 's|@LIBEXECDIR@|$(LIBEXECDIR)|; s|@SYSCONFDIR@|$(SYSCONFDIR)|' \
		$(FLEET_COLLECT_DIR)/rbmap-collect.service \
		>$(DESTDIR)$(SYSTEMDUNITDIR)/rbmap-collect.service
	$(INSTALL) -m 644 $(FLEET_COLLECT_DIR)/rbmap-fleet.sysusers \
		$(DESTDIR)$(SYSUSERSDIR)/rbmap-fleet.conf
	test -e $(FLEET_COLLECT_CONF) || \
		$(INSTALL) -m 644 $(FLEET_COLLECT_DIR)/collect.conf $(FLEET_COLLECT_CONF)
	@# On this machine at once; a package has its own way.
	@[ -n "$(DESTDIR)" ] || ! command -v systemd-sysusers >/dev/null || \
		systemd-sysusers "$(SYSUSERSDIR)/rbmap-fleet.conf" || \
		echo "rbmap: no user rbmap-collect: useradd -r rbmap-collect" >&2

# The user stays: incidents belong to it.
uninstall-fleet-collect:
	rm -f $(DESTDIR)$(SYSTEMDUNITDIR)/rbmap-collect.service \
		$(DESTDIR)$(SYSUSERSDIR)/rbmap-fleet.conf
	! cmp -s $(FLEET_COLLECT_DIR)/collect.conf $(FLEET_COLLECT_CONF) || \
		rm $(FLEET_COLLECT_CONF)
	test ! -d $(dir $(FLEET_COLLECT_CONF)) || \
		rmdir --ignore-fail-on-non-empty $(dir $(FLEET_COLLECT_CONF))
