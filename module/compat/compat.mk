# SPDX-License-Identifier: GPL-2.0-only
#
# For Kbuild, after rbmap-y and rbmap_selftest-y: makes rbmap_features.h before the first
# object. It is made anew when the kernel, the compiler, its options or a test is another.

rbmap-features := module/compat/rbmap_features.h
rbmap-module := $(src)/module

ccflags-y += -I$(obj)/module/compat

# The options with which Kbuild compiles a file of the module; Kbuild adds the names
# of the file.
rbmap-options = $(NOSTDINC_FLAGS) $(LINUXINCLUDE) $(KBUILD_CPPFLAGS) \
	$(ccflags-y) $(KBUILD_CFLAGS) -DMODULE $(KBUILD_CFLAGS_MODULE) \
	-DKBUILD_MODNAME='"rbmap"' -DKBUILD_BASENAME='"probe"' \
	-DKBUILD_MODFILE='"rbmap"' -D__KBUILD_MODNAME=kmod_rbmap

# It may be missing, so modpost says nothing.
rbmap-lockdown = $(if $(CONFIG_SECURITY),grep -qsw security_locked_down \
	$(objtree)/Module.symvers || echo "rbmap: warning: this kernel does not \
	export security_locked_down: kernel lockdown can't be respected" >&2,:)

# Options that rbmap requires; dkms.conf has the same list.
rbmap-lacks = $(strip $(foreach option,CONFIG_64BIT CONFIG_TRACEPOINTS,\
	$(if $($(option)),,$(option))))
rbmap-refuse = $(if $(rbmap-lacks),{ \
	echo "rbmap: not for this kernel: it is built without $(rbmap-lacks)" >&2; exit 1; };)

quiet_cmd_rbmap_features = PROBE   $@
      cmd_rbmap_features = : $(KERNELRELEASE) $(realpath $(objtree)); \
	$(rbmap-refuse) RBMAP_KERNEL_CC='$(subst ",,$(CONFIG_CC_VERSION_TEXT))' RBMAP_CC='$(CC)' \
	$(CONFIG_SHELL) $(rbmap-module)/compat/probe.sh $@ $(rbmap-module) $(rbmap-options) || exit; \
	$(rbmap-lockdown)

rbmap-probed := $(wildcard $(addprefix $(rbmap-module)/, \
	compat/probe.sh compat/*.h compat/tests/*.c event/*.h include/rbmap/*.h \
	include/rbmap/ring/*.h probes/*.[ch]))

$(obj)/$(rbmap-features): $(filter-out %/rbmap_features.h,$(rbmap-probed)) \
		$(objtree)/include/generated/autoconf.h FORCE
	$(call if_changed,rbmap_features)

targets += $(rbmap-features)
clean-files += $(rbmap-features)

$(addprefix $(obj)/,$(rbmap-y) $(rbmap_selftest-y)): $(obj)/$(rbmap-features)
