# SPDX-License-Identifier: GPL-2.0-only
#
# The makefiles of the areas share the flags of the variants, and the recipes that compile
# and link programs. Programs are in build/tests/unit/AREA/VARIANT, their objects in
# build/tests/unit/AREA/VARIANT/objects.
#
#	make list-unit-programs		the path of each program, one a line

UNIT_BUILD := $(BUILD)/tests/unit
UNIT_AREAS := $(addprefix $(UNIT_BUILD)/,ring filter dynamic lib cli fleet)

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
$(addsuffix /asan/%,$(UNIT_AREAS)): VARIANT_CFLAGS := $(SANITIZE)
$(addsuffix /tsan/%,$(UNIT_AREAS)): VARIANT_CFLAGS := -fsanitize=thread

# $(call chosen,PROGRAMS): with RBMAP_TEST_SHORT, no plain program that the list has with
# sanitizers, too
chosen = $(if $(RBMAP_TEST_SHORT),$(foreach program,$1,$(if $(filter \
	$(subst /plain/,/asan/,$(program)),$(filter-out $(program),$1)),,$(program))),$1)

# The recipe for an object. TEST_CFLAGS are the flags of the area. The compiler writes the
# headers that the object depends on to a file beside it.
define COMPILE_TEST
@mkdir -p $(@D)
$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(VARIANT_CFLAGS) -MMD -MP -c -o $@ $<
endef
-include $(wildcard $(addprefix $(UNIT_BUILD)/*/*/objects/,*.d */*.d */*/*.d */*/*/*.d))

# The recipe for a program of its prerequisites: sources, objects, and archives, which may
# need one another. TEST_LIBS are its libraries.
define LINK_TEST
@mkdir -p $(@D)
$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(VARIANT_CFLAGS) -o $@ $(filter %.c %.o,$^) \
	-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDFLAGS) $(TEST_LIBS)
endef

# The recipe for an archive. The linker takes the objects that a program needs from it.
define ARCHIVE_TEST
@mkdir -p $(@D)
@rm -f $@
$(AR) rcs $@ $(filter %.o,$^)
endef

.PHONY: list-unit-programs
list-unit-programs:
	@printf '%s\n' $(RING_BINARIES) $(FILTER_TEST_BINARIES) $(DYNAMIC_TEST_BINARIES) \
		$(LIB_TEST_BINARIES) $(CLI_TEST_BINARIES) $(FLEET_TEST_BINARIES)
