# SPDX-License-Identifier: GPL-2.0-only
#
# librbmap, shared and static.  Included by the top Makefile.

LIB_DIR		:= userspace/lib
LIB_BUILD	:= $(BUILD)/lib
LIB_SONAME	:= librbmap.so.1
LIB_REAL	:= librbmap.so.1.0.0

# The files beside this one read rings. Those in formats/ and recording/ read recordings, and
# those in print/ and symbols/ print them. The other folders write recordings. They are no part of
# librbmap: the programs of this repository are linked with them.
LIB_RING_SRCS	:= $(notdir $(wildcard $(LIB_DIR)/*.c))
LIB_DAT_SRCS	:= $(patsubst $(LIB_DIR)/%,%,$(wildcard $(addprefix $(LIB_DIR)/,formats/*.c recording/*.c)))
LIB_SRCS	:= $(LIB_RING_SRCS) $(LIB_DAT_SRCS)
LIB_STATIC	:= $(LIB_BUILD)/librbmap.a
LIB_ALL		:= $(LIB_BUILD)/all.a
LIB_SHARED	:= $(LIB_BUILD)/$(LIB_REAL)

OBJCOPY		?= objcopy
LIB_CFLAGS	:= -std=gnu11 -Wall -Wextra -fPIC -fvisibility=hidden \
		   -Iuapi -Iuserspace -I$(LIB_DIR) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		   -DRBMAP_LIB_VERSION='"$(VERSION)"' -MMD -MP

ALL_USER	+= $(LIB_STATIC) $(LIB_SHARED)
INSTALL_USER	+= install-lib
UNINSTALL_USER	+= uninstall-lib

LIB_OBJS	:= $(LIB_SRCS:%.c=$(LIB_BUILD)/%.o)
# The command has the same objects, and those of base/ that the print engine needs.
LIB_PRINT_SRCS	:= $(call user_sources,$(PRINT_DIRS)) lib/symbols/symbols.c \
	$(addprefix base/,buf.c json.c names.c printable.c process.c terminal.c)
LIB_PRINT_OBJS	:= $(LIB_PRINT_SRCS:%.c=$(USER_BUILD)/%.o)
LIB_PRINT_LIBS	:= libtraceevent libseccomp
-include $(LIB_OBJS:.o=.d)

$(LIB_BUILD)/%.o: $(LIB_DIR)/%.c VERSION $(LIB_DIR)/lib.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LIB_CFLAGS) -c -o $@ $<

# The objects of each part are linked into one, so that only the functions of the API are
# global symbols of the static library too. A static program that reads rings alone gets
# no dlopen() from the parts that read recordings, for which the linker warns, and only a program
# that prints needs other libraries. A part has copies of the functions of others that it calls.
LIB_PARTS	:= $(LIB_BUILD)/rings.o $(LIB_BUILD)/recordings.o $(LIB_BUILD)/print.o
$(LIB_BUILD)/rings.o: $(LIB_RING_SRCS:%.c=$(LIB_BUILD)/%.o)
$(LIB_BUILD)/recordings.o: $(LIB_DAT_SRCS:%.c=$(LIB_BUILD)/%.o) $(LIB_BUILD)/decode_bytes.o
$(LIB_BUILD)/print.o: $(LIB_PRINT_OBJS) \
	$(addprefix $(LIB_BUILD)/recording/,dat_cgroups.o dat_comms.o dat_hosts.o dat_parts.o)
$(LIB_PARTS):
	$(CC) $(CFLAGS) -nostdlib -r -o $@ $^
	$(OBJCOPY) --localize-hidden $@

$(LIB_STATIC): $(LIB_PARTS)
	rm -f $@
	$(AR) rcs $@ $^

# For the command, which also calls functions that are not part of the API.
$(LIB_ALL): $(LIB_OBJS)
	rm -f $@
	$(AR) rcs $@ $^

$(LIB_SHARED): $(LIB_OBJS) $(LIB_PRINT_OBJS) $(LIB_DIR)/librbmap.map
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(LIB_SONAME) \
		-Wl,--version-script=$(LIB_DIR)/librbmap.map \
		-Wl,-z,defs -o $@ $(LIB_OBJS) $(LIB_PRINT_OBJS) \
		$(shell $(PKG_CONFIG) --libs $(LIB_PRINT_LIBS)) -lpthread -ldl
	ln -sf $(LIB_REAL) $(@D)/$(LIB_SONAME)
	ln -sf $(LIB_SONAME) $(@D)/librbmap.so

LIB_MAN		= $(wildcard docs/man/*.3)

# PAGE:FUNCTION for each function that another function's man page describes.
LIB_MAN_LINKS	:= \
	rbmap_open:rbmap_open_path rbmap_open:rbmap_close \
	rbmap_open:rbmap_fd rbmap_open:rbmap_cpu \
	rbmap_open:rbmap_subbuf_size rbmap_open:rbmap_nr_subbufs \
	rbmap_open:rbmap_clock rbmap_open:rbmap_generation \
	rbmap_next_event:rbmap_next_subbuf rbmap_next_event:rbmap_splice \
	rbmap_next_event:rbmap_events_read \
	rbmap_next_event:rbmap_discard_unread \
	rbmap_decode:rbmap_decode_lost \
	rbmap_observe:rbmap_observer_number rbmap_observe:rbmap_observe_path rbmap_observe:rbmap_merge_observe \
	rbmap_observe:rbmap_merge_observe_path \
	rbmap_wait:rbmap_wake rbmap_merge_open:rbmap_merge_open_path rbmap_merge_open:rbmap_merge_next \
	rbmap_merge_open:rbmap_merge_wait rbmap_merge_open:rbmap_merge_wake \
	rbmap_merge_open:rbmap_merge_loss rbmap_merge_open:rbmap_merge_lost_last \
	rbmap_merge_open:rbmap_merge_unopened \
	rbmap_merge_open:rbmap_merge_set_hold \
	rbmap_merge_open:rbmap_merge_pace \
	rbmap_merge_open:rbmap_merge_close rbmap_strerror:rbmap_version \
	$(addprefix rbmap_formats:rbmap_,formats_new formats_free formats_add formats_load \
		formats_of formats_by_id formats_by_name formats_next format_field \
		format_field_by_name field_data field_number field_string) \
	$(addprefix rbmap_recording_open:rbmap_recording_,open_fd close next \
		next_subbuf rewind lost_last \
		done formats cpus comm cgroup ns_pid device clock uname moment reason damage \
		buffers buffer_name buffer_cpus choose_buffer event_buffer correct host is_dated) \
	$(addprefix rbmap_report_open:rbmap_report_,close event head lost)
LIB_MAN_LINK_NAMES := $(foreach link,$(LIB_MAN_LINKS),\
	$(lastword $(subst :, ,$(link))).3)

# A user who installs below a PREFIX of their own may not run ldconfig.
.PHONY: install-lib uninstall-lib
install-lib: $(LIB_STATIC) $(LIB_SHARED)
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)/pkgconfig \
		$(DESTDIR)$(INCLUDEDIR)/linux $(DESTDIR)$(MANDIR)/man3
	$(INSTALL) -m 644 $(LIB_STATIC) $(DESTDIR)$(LIBDIR)/librbmap.a
	$(INSTALL) -m 755 $(LIB_SHARED) $(DESTDIR)$(LIBDIR)/$(LIB_REAL)
	ln -sf $(LIB_REAL) $(DESTDIR)$(LIBDIR)/$(LIB_SONAME)
	ln -sf $(LIB_SONAME) $(DESTDIR)$(LIBDIR)/librbmap.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(VERSION)|' $(LIB_DIR)/librbmap.pc.in \
		> $(DESTDIR)$(LIBDIR)/pkgconfig/librbmap.pc
	$(INSTALL) -m 644 $(LIB_DIR)/rbmap.h $(DESTDIR)$(INCLUDEDIR)/rbmap.h
	$(INSTALL) -m 644 uapi/linux/rbmap.h \
		$(DESTDIR)$(INCLUDEDIR)/linux/rbmap.h
	$(if $(LIB_MAN),$(INSTALL) -m 644 $(LIB_MAN) $(DESTDIR)$(MANDIR)/man3/)
	set -e; for link in $(LIB_MAN_LINKS); do \
		ln -sf $${link%:*}.3 $(DESTDIR)$(MANDIR)/man3/$${link#*:}.3; \
	done
	$(if $(DESTDIR),,@ldconfig || \
	echo "rbmap: run ldconfig as root, or set LD_LIBRARY_PATH=$(LIBDIR)" >&2)

uninstall-lib:
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,librbmap.a librbmap.so \
		$(LIB_SONAME) $(LIB_REAL) pkgconfig/librbmap.pc)
	rm -f $(addprefix $(DESTDIR)$(INCLUDEDIR)/,rbmap.h linux/rbmap.h)
	rm -f $(addprefix $(DESTDIR)$(MANDIR)/man3/,$(notdir $(LIB_MAN)) \
		$(LIB_MAN_LINK_NAMES))
	$(if $(DESTDIR),,@ldconfig || echo "rbmap: run ldconfig as root" >&2)
