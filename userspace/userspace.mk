# SPDX-License-Identifier: GPL-2.0-only
#
# Sources of user space that several programs share, and how these are compiled. Included
# by the top Makefile before the makefiles of the folders.

USER_DIR	:= userspace
USER_BUILD	:= $(BUILD)/userspace
PKG_CONFIG	?= pkg-config

# Folders that the command and the fleet's commands share
COMMON_DIRS	:= base command kernel lib/recording/write lib/recording/assemble lib/symbols
# The print engine
PRINT_DIRS	:= lib/print lib/print/fields
# Parts of recorders
LIVE_DIRS	:= live live/probe live/recorder live/selftest
# Folders of the command alone. cli/ has one for each command.
CLI_DIRS	:= $(patsubst $(USER_DIR)/%/,%,$(sort $(dir $(wildcard $(USER_DIR)/cli/*.c $(USER_DIR)/cli/*/*.c \
	$(USER_DIR)/cli/*/*/*.c $(USER_DIR)/cli/*/*/*/*.c)))) \
	$(PRINT_DIRS) $(LIVE_DIRS) filter input intervals intervals/summary intervals/why

# $(call user_sources,FOLDERS) prints the sources in the folders, with paths below userspace/.
user_sources	= $(patsubst $(USER_DIR)/%,%,$(wildcard $(addsuffix /*.c,$(addprefix $(USER_DIR)/,$(1)))))

COMMON_SRCS	:= $(call user_sources,$(COMMON_DIRS))
CLI_SRCS	:= $(sort $(COMMON_SRCS) $(call user_sources,$(CLI_DIRS)))

# The kernel's language of filters: filter/ compiles module/filter for a process.
KERNEL_FILTER_SRCS := $(filter-out %/build.c %/build_writer.c,$(wildcard module/filter/*.c))
KERNEL_FILTER_OBJS := $(KERNEL_FILTER_SRCS:%.c=$(USER_BUILD)/%.o)

# The folders in which an include is looked for
USER_INCLUDES	:= -Iuapi -I$(USER_DIR) -I$(USER_DIR)/lib
