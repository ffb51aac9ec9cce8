# SPDX-License-Identifier: GPL-2.0-only
#
# Access to the rings: a group, and a udev rule that gives it the devices.
# Included by the top Makefile.

ACCESS_DIR	:= userspace/access
UDEVRULESDIR	?= $(PREFIX)/lib/udev/rules.d
SYSUSERSDIR	?= $(PREFIX)/lib/sysusers.d

INSTALL_USER	+= install-access
UNINSTALL_USER	+= uninstall-access

.PHONY: install-access uninstall-access
install-access:
	$(INSTALL) -d $(DESTDIR)$(UDEVRULESDIR) $(DESTDIR)$(SYSUSERSDIR)
	$(INSTALL) -m 644 $(ACCESS_DIR)/60-rbmap.rules $(DESTDIR)$(UDEVRULESDIR)/
	$(INSTALL) -m 644 $(ACCESS_DIR)/rbmap.sysusers \
		$(DESTDIR)$(SYSUSERSDIR)/rbmap.conf
	@# On this machine at once; a package has its own way.
	@[ -n "$(DESTDIR)" ] || ! command -v systemd-sysusers >/dev/null || \
		systemd-sysusers "$(SYSUSERSDIR)/rbmap.conf" || \
		echo "rbmap: no group tracing: groupadd -r tracing" >&2
	@[ -n "$(DESTDIR)" ] || ! command -v udevadm >/dev/null || \
		udevadm control --reload 2>/dev/null || true

# The group stays: files may belong to it.
uninstall-access:
	rm -f $(DESTDIR)$(UDEVRULESDIR)/60-rbmap.rules \
		$(DESTDIR)$(SYSUSERSDIR)/rbmap.conf
