/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Libraries that one command needs and the others do not. Such a library is loaded at the
 * first call of one of its functions, because loading it can take longer than the rest of the
 * start of a command. rbmap works where the library is not installed.
 */
#ifndef RBMAP_COMMAND_LOADED_LIBRARY_H
#define RBMAP_COMMAND_LOADED_LIBRARY_H

#include <stdint.h>

/**
 * struct loaded_library - a library
 * @name: its name in messages
 * @file: name of the file, with the version of its interface
 * @package: Debian's package
 * @handle: the handle of dlopen(); NULL: not loaded
 */
struct loaded_library {
	const char *name;
	const char *file;
	const char *package;
	void *handle;
};

/* Return a function of the library. Without the library, the command ends. */
void *loaded_library_function(struct loaded_library *library, const char *name);

/*
 * Define a function that calls the one of the same name in the library. The prototype is
 * in the library's own header. The file that uses this has a static struct loaded_library
 * library.
 */
#define LOADED_FUNCTION(result, name, parameters, arguments)		\
	result name parameters						\
	{								\
		static typeof(&(name)) called;				\
									\
		if (!called)						\
			called = (typeof(called))loaded_library_function(&library, #name); \
		return called arguments;				\
	}

/*
 * An ELF note with the name of the library, for programs that list the libraries of a program.
 * Its format is that of https://systemd.io/ELF_DLOPEN_METADATA.
 */
#define LOADED_LIBRARY_NOTE(name, feature, description, priority, file)	\
	static const struct {						\
		uint32_t owner_size;					\
		uint32_t text_size;					\
		uint32_t type;						\
		char owner[4];						\
		char text[128];						\
	/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is defined */ \
	} name __attribute__((used, aligned(4), section(".note.dlopen"))) = { \
		.owner_size = 4,					\
		.text_size = 128,					\
		.type = 0x407c0c0a,					\
		.owner = "FDO",						\
		.text = "[{\"feature\":\"" feature "\",\"description\":\"" description "\"," \
			"\"priority\":\"" priority "\",\"soname\":[\"" file "\"]}]", \
	}

#endif /* RBMAP_COMMAND_LOADED_LIBRARY_H */
