# SPDX-License-Identifier: GPL-2.0-only
#
# The rbmap command.  Included by the top Makefile.

CLI_DIR		:= userspace/cli
CLI		:= $(BUILD)/rbmap
CLI_LIBS	:= libkmod libtraceevent libseccomp libbpf libzstd zlib ncursesw libprotobuf-c

CLI_OBJS	:= $(CLI_SRCS:%.c=$(USER_BUILD)/%.o)

# protoc-c makes structures and tables of convert/perfetto.proto.
CLI_MADE	:= $(USER_BUILD)/made
CLI_MADE_C	:= $(CLI_MADE)/perfetto.pb-c.c
CLI_MADE_O	:= $(CLI_MADE_C:.c=.o)

# A makefile is read before anything is installed: ask when it is needed.
CLI_CFLAGS	= -std=gnu11 -Wall -Wextra $(USER_INCLUDES) -I$(CLI_DIR) \
		  -I$(CLI_MADE) \
		  -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -MMD -MP \
		  $(shell $(PKG_CONFIG) --cflags $(CLI_LIBS))
# A command loads these libraries when it needs them (command/loaded_library.h).
CLI_LOADED	:= libkmod ncursesw libprotobuf-c
CLI_LDLIBS	= $(shell $(PKG_CONFIG) --libs $(filter-out $(CLI_LOADED),$(CLI_LIBS))) -lpthread -ldl -lm

BASHCOMPDIR	?= $(PREFIX)/share/bash-completion/completions
FISHCOMPDIR	?= $(PREFIX)/share/fish/vendor_completions.d
ZSHCOMPDIR	?= $(PREFIX)/share/zsh/site-functions
DATADIR		?= $(PREFIX)/share/rbmap
CLI_SCHEMAS	:= docs/rbmap-json.schema.json docs/rbmap-latency.schema.json \
	docs/rbmap-top.schema.json docs/rbmap-why.schema.json
# Pages of the fleet's commands are installed with them.
CLI_MAN		= $(filter-out $(FLEET_MAN),$(wildcard docs/man/*.1))
CLI_MAN5	= $(wildcard docs/man/*.5)

ALL_USER	+= $(CLI)
INSTALL_USER	+= install-cli
UNINSTALL_USER	+= uninstall-cli

-include $(CLI_OBJS:.o=.d) $(CLI_MADE_O:.o=.d) $(KERNEL_FILTER_OBJS:.o=.d)

.PHONY: check-cli-libs install-cli uninstall-cli
check-cli-libs:
	@{ $(PKG_CONFIG) --exists $(CLI_LIBS) && command -v protoc-c >/dev/null; } || { \
	echo "rbmap: the command needs protoc-c, and the development files of $(CLI_LIBS)." >&2; \
	echo "       Install them:  tests/install-packages build" >&2; \
	exit 1; }

$(CLI_MADE_C) $(CLI_MADE_C:.c=.h) &: $(CLI_DIR)/convert/perfetto.proto | check-cli-libs
	@mkdir -p $(CLI_MADE)
	protoc-c --proto_path=$(<D) --c_out=$(CLI_MADE) $<

$(CLI_MADE_O): $(CLI_MADE_C)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(CLI_CFLAGS) -Wno-missing-braces -c -o $@ $<

$(filter $(USER_BUILD)/cli/convert/%,$(CLI_OBJS)): $(CLI_MADE_C)

$(USER_BUILD)/%.o: $(USER_DIR)/%.c $(CLI_DIR)/cli.mk $(USER_DIR)/userspace.mk | check-cli-libs
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(CLI_CFLAGS) -c -o $@ $<

$(USER_BUILD)/module/%.o: module/%.c $(CLI_DIR)/cli.mk $(USER_DIR)/userspace.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(CLI_CFLAGS) -c -o $@ $<

# librbmap has these, too.
$(filter $(USER_BUILD)/base/% $(USER_BUILD)/lib/%,$(CLI_OBJS)): CLI_CFLAGS += -fPIC -fvisibility=hidden

# The only folder that includes headers of the module
$(USER_BUILD)/filter/%.o: CLI_CFLAGS += -I.

# The page of `rbmap report --html` without its data
HTML_FRAME	:= $(USER_BUILD)/cli/report/html/frame
HTML_PARTS	:= $(wildcard $(CLI_DIR)/report/html/page/*)
$(HTML_FRAME)/end.html: $(CLI_DIR)/report/html/page/assemble $(HTML_PARTS)
	@mkdir -p $(@D)
	$< $(@D)
$(USER_BUILD)/cli/report/html/frame.o: $(HTML_FRAME)/end.html
$(USER_BUILD)/cli/report/html/frame.o: CLI_CFLAGS += -DHTML_FRAME='"$(HTML_FRAME)"'

$(CLI): $(CLI_OBJS) $(KERNEL_FILTER_OBJS) $(CLI_MADE_O) $(BUILD)/lib/all.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(CLI_LDLIBS)

install-cli: $(CLI)
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1 \
		$(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(BASHCOMPDIR) \
		$(DESTDIR)$(ZSHCOMPDIR) $(DESTDIR)$(FISHCOMPDIR) $(DESTDIR)$(DATADIR)
	$(INSTALL) -m 755 $(CLI) $(DESTDIR)$(BINDIR)/rbmap
	$(if $(CLI_MAN),$(INSTALL) -m 644 $(CLI_MAN) $(DESTDIR)$(MANDIR)/man1/)
	$(if $(CLI_MAN5),$(INSTALL) -m 644 $(CLI_MAN5) $(DESTDIR)$(MANDIR)/man5/)
	$(INSTALL) -m 644 $(CLI_DIR)/completion/rbmap.bash \
		$(DESTDIR)$(BASHCOMPDIR)/rbmap
	$(INSTALL) -m 644 $(CLI_DIR)/completion/_rbmap $(DESTDIR)$(ZSHCOMPDIR)/_rbmap
	$(INSTALL) -m 644 $(CLI_DIR)/completion/rbmap.fish $(DESTDIR)$(FISHCOMPDIR)/rbmap.fish
	$(INSTALL) -m 644 $(CLI_SCHEMAS) $(DESTDIR)$(DATADIR)/

uninstall-cli:
	rm -f $(DESTDIR)$(BINDIR)/rbmap $(DESTDIR)$(BASHCOMPDIR)/rbmap \
		$(DESTDIR)$(ZSHCOMPDIR)/_rbmap $(DESTDIR)$(FISHCOMPDIR)/rbmap.fish \
		$(addprefix $(DESTDIR)$(DATADIR)/,$(notdir $(CLI_SCHEMAS)))
	rm -f $(addprefix $(DESTDIR)$(MANDIR)/man1/,$(notdir $(CLI_MAN))) \
		$(addprefix $(DESTDIR)$(MANDIR)/man5/,$(notdir $(CLI_MAN5)))
	test ! -d $(DESTDIR)$(DATADIR) || \
		rmdir --ignore-fail-on-non-empty $(DESTDIR)$(DATADIR)
