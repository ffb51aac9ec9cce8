# SPDX-License-Identifier: GPL-2.0-only
#
# The module by way of DKMS, which builds it for each kernel that is installed,
# now and later. Included by the top Makefile.

SRCDIR	?= /usr/src
DKMS_SOURCE = $(DESTDIR)$(SRCDIR)/rbmap-$(VERSION)

UNINSTALL_USER += uninstall-dkms

.PHONY: install-dkms install-dkms-source uninstall-dkms
# Built files are not part of the source.
install-dkms-source:
	rm -rf "$(DKMS_SOURCE)"
	$(INSTALL) -d "$(DKMS_SOURCE)"
	tar -c --exclude='*.o' --exclude='*.o.d' --exclude='.*.cmd' --exclude=rbmap_features.h \
		Kbuild VERSION dkms.conf module uapi | \
		tar -x -C "$(DKMS_SOURCE)" --no-same-owner

# A version that was installed so before goes first. DKMS knows this machine alone: below
# DESTDIR there is only the source.
install-dkms: install-user
	$(if $(DESTDIR),,@command -v dkms >/dev/null || { \
	echo "rbmap: DKMS is not installed." >&2; \
	echo "       Install it:  apt-get install dkms linux-headers-$(KVER)" >&2; exit 1; })
	$(if $(DESTDIR),,module/dkms/remove-all "$(SRCDIR)")
	$(MAKE) --no-print-directory install-dkms-source
	$(if $(DESTDIR),,module/dkms/install-all $(VERSION) \
		$(if $(filter command% environment%,$(origin KVER)),$(KVER)))

uninstall-dkms:
	$(if $(DESTDIR),rm -rf "$(DKMS_SOURCE)",module/dkms/remove-all "$(SRCDIR)")
