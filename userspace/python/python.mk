# SPDX-License-Identifier: GPL-2.0-only
#
# The Python package rbmap. Included by the top Makefile. It needs python3-dev, so it is
# part of no other target:
#
#	make python		build it, in build/python
#	make install-python	install it

PYTHON_DIR	:= userspace/python
PYTHON_BUILD	:= $(BUILD)/python/rbmap
PYTHON_SO	:= $(PYTHON_BUILD)/_rbmap.abi3.so
PYTHON_SRCS	:= $(wildcard $(PYTHON_DIR)/extension/*.c)
PYTHON_OBJS	:= $(PYTHON_SRCS:$(PYTHON_DIR)/extension/%.c=$(BUILD)/python/objects/%.o)
PYTHON_FILES	:= $(patsubst $(PYTHON_DIR)/rbmap/%,$(PYTHON_BUILD)/%,\
	$(wildcard $(PYTHON_DIR)/rbmap/*.py $(PYTHON_DIR)/rbmap/*.pyi $(PYTHON_DIR)/rbmap/py.typed))
# Debian's: the first python3 of a machine need not be the one that has its modules.
PYTHON3		?= $(firstword $(wildcard /usr/bin/python3) python3)

# A makefile is read before anything is installed: ask when it is needed.
PYTHON_CFLAGS	= -std=gnu11 -Wall -Wextra -fPIC -fvisibility=hidden -Iuapi -Iuserspace/lib \
		  -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -MMD -MP \
		  $(shell $(PKG_CONFIG) --cflags python3)

# The folder where this Python looks for packages below PREFIX, asked for at the first use
# only. Without Python it is empty.
PYTHONDIR	?= $(eval PYTHONDIR := $$(PYTHON_PLATLIB))$(PYTHONDIR)
PYTHON_PLATLIB	= $(if $(filter /usr,$(PREFIX)),/usr/lib/python3/dist-packages,$\
	$(if $(filter /usr/local,$(PREFIX)),$(shell $(PYTHON3) -c \
	'import sysconfig; print(sysconfig.get_path("platlib"))' 2>/dev/null),$\
	$(PREFIX)/lib/python3/dist-packages))

-include $(PYTHON_OBJS:.o=.d)

.PHONY: python check-python-libs install-python uninstall-python
python: $(PYTHON_SO) $(PYTHON_FILES)

check-python-libs:
	@$(PKG_CONFIG) --exists python3 || { \
	echo "rbmap: the Python package needs the development files of Python." >&2; \
	echo "       Install them:  tests/install-packages python" >&2; \
	exit 1; }

$(BUILD)/python/objects/%.o: $(PYTHON_DIR)/extension/%.c $(PYTHON_DIR)/python.mk | check-python-libs
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(PYTHON_CFLAGS) -c -o $@ $<

$(PYTHON_SO): $(PYTHON_OBJS) $(BUILD)/lib/librbmap.so.1.0.0
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $(PYTHON_OBJS) -L$(BUILD)/lib -lrbmap

$(PYTHON_BUILD)/%: $(PYTHON_DIR)/rbmap/%
	@mkdir -p $(@D)
	cp $< $@

install-python: python
	$(if $(PYTHONDIR),,@echo "rbmap: $(PYTHON3) does not say where its packages are: \
	set PYTHONDIR" >&2; exit 1)
	$(INSTALL) -d $(DESTDIR)$(PYTHONDIR)/rbmap
	$(INSTALL) -m 644 $(PYTHON_SO) $(PYTHON_FILES) $(DESTDIR)$(PYTHONDIR)/rbmap/

# Without the folder's name this would be /rbmap.
uninstall-python:
	$(if $(PYTHONDIR),rm -rf $(DESTDIR)$(PYTHONDIR)/rbmap)
UNINSTALL_USER	+= uninstall-python
