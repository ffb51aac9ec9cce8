# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/buffer/,\
	buffer.o cpu_buffer.o generation.o file.o resize.o pages.o passed.o expire.o \
	snapshot.o write.o wait.o consume.o meta_page.o)

rbmap-writer-y += $(addprefix module/buffer/,write.o wait.o)
