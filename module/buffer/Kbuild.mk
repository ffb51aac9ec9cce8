# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/buffer/,build.o write.o wait.o)

rbmap-writer-y += $(addprefix module/buffer/,write.o wait.o)
