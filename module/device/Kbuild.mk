# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/device/,\
	chrdev.o device.o mmap.o splice.o marker.o)
