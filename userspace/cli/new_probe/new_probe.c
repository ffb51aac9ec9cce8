// SPDX-License-Identifier: GPL-2.0-only
/* rbmap new-probe: write the source of a module that has its own event. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/complain.h"
#include "command/command.h"
#include "command/options.h"
#include "live/probe/btf_types.h"
#include "live/probe/field_expr.h"
#include "trace_header.h"

extern const struct command command_new_probe;

#define DEFAULT_GROUP	"probes"
#define WIDTH		80	/* in columns, of the generated files */

struct new_probe {
	const char *name;
	const char *tracepoint;
	const char *dir;
	const char *group;
	const char *kernel;	/* NULL: the running kernel */
	char *btf;
	char kdir[PATH_MAX];
	char header[PATH_MAX];
	struct tracepoint_args args;
};

/* ---- fields with an obvious format */

struct text_of {
	struct buf fields, assign, format, values;
	bool tasks;
	unsigned int nr;
};

static bool points_to(const struct btf *btf, const struct btf_type *type,
		      const char *name)
{
	if (!btf_is_ptr(type))
		return false;
	type = ktype_bare(btf, type->type, NULL);
	return (btf_is_struct(type) || btf_is_fwd(type)) &&
	       !strcmp(ktype_name(btf, type), name);
}

/* Return the printk() format of a type. */
static const char *format_of(const struct btf *btf, const struct btf_type *type)
{
	static const struct {
		const char *type, *format;
	} formats[] = {
		{ "unsigned int", "%u" },
		{ "long", "%ld" },
		{ "unsigned long", "%lu" },
		{ "long long", "%lld" },
		{ "unsigned long long", "%llu" },
	};
	const char *name = ktype_spelled(ktype_name(btf, type));

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(name, formats[i].type))
			return formats[i].format;
	return "%d";
}

static void add_value(struct text_of *text, const char *name,
		      const char *format, const char *value, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Append "name=%d" to the format, and its argument to the arguments, which take
 * a line each.
 */
static void add_value(struct text_of *text, const char *name,
		      const char *format, const char *value, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, value);
	vsnprintf(line, sizeof(line), value, ap);
	va_end(ap);
	buf_printf(&text->format, "%s%s=%s", text->nr ? " " : "", name, format);
	buf_printf(&text->values, "%s\n", line);
	text->nr++;
}

static void add_task(struct text_of *text, const char *name)
{
	char field[128];

	buf_printf(&text->fields,
		   "\t\t__field(pid_t, %s_pid)\n"
		   "\t\t__array(char, %s_comm, TASK_COMM_LEN)\n", name, name);
	buf_printf(&text->assign,
		   "\t\t__entry->%s_pid = %s->pid;\n"
		   "\t\tmemcpy(__entry->%s_comm, %s->comm, TASK_COMM_LEN);\n",
		   name, name, name, name);
	snprintf(field, sizeof(field), "%s_pid", name);
	add_value(text, field, "%d", "__entry->%s", field);
	snprintf(field, sizeof(field), "%s_comm", name);
	add_value(text, field, "%s", "__entry->%s", field);
	text->tasks = true;
}

static void add_string(struct text_of *text, const char *name)
{
	buf_printf(&text->fields, "\t\t__string(%s, %s)\n", name, name);
	buf_printf(&text->assign, "\t\t__assign_str(%s);\n", name);
	add_value(text, name, "%s", "__get_str(%s)", name);
}

static void add_plain(struct text_of *text, const char *type, const char *name,
		      const char *format)
{
	buf_printf(&text->fields, "\t\t__field(%s, %s)\n", type, name);
	buf_printf(&text->assign, "\t\t__entry->%s = %s;\n", name, name);
	add_value(text, name, format, "__entry->%s", name);
}

static void add_number(struct text_of *text, const struct btf *btf, uint32_t id,
		       const char *name)
{
	struct buf type = { 0 };

	ktype_declare(&type, btf, id, "");
	buf_add(&type, "", 1);
	if (type.failed)
		text->fields.failed = true;
	else
		add_plain(text, type.data, name,
			  format_of(btf, ktype_bare(btf, id, NULL)));
	buf_free(&type);
}

/* A structure that is passed by value has no obvious field. */
static void add_arg(struct text_of *text, const struct btf *btf,
		    const struct tracepoint_arg *arg)
{
	const struct btf_type *type = ktype_bare(btf, arg->type, NULL);

	if (points_to(btf, type, "task_struct"))
		add_task(text, arg->name);
	else if (btf_is_ptr(type) && ktype_is_char(btf, type->type))
		add_string(text, arg->name);
	else if (btf_is_ptr(type))
		add_plain(text, "const void *", arg->name, "%p");
	else if (btf_is_int(type) || btf_is_any_enum(type))
		add_number(text, btf, arg->type, arg->name);
}

/* ---- generated text */

/* Return the column in which the last line of the text ends. */
static unsigned int column(const struct buf *out)
{
	unsigned int at = 0;

	for (size_t i = 0; i < out->size; i++) {
		if (out->data[i] == '\n')
			at = 0;
		else if (out->data[i] == '\t')
			at = (at / 8 + 1) * 8;
		else
			at++;
	}
	return at;
}

/*
 * Append an item to a list. If the line has no room, begin a new line with the
 * indentation of the first item.
 */
static void add_item(struct buf *out, const char *item, unsigned int indent,
		     bool first)
{
	if (!first && column(out) + strlen(item) + 4 > WIDTH) {
		buf_printf(out, ",\n");
		for (unsigned int i = 0; i < indent / 8; i++)
			buf_printf(out, "\t");
		buf_printf(out, "%*s%s", indent % 8, "", item);
	} else {
		buf_printf(out, "%s%s", first ? "" : ", ", item);
	}
}

static void print_proto(struct buf *out, const struct tracepoint_args *args)
{
	struct buf item;
	unsigned int indent;

	buf_printf(out, "\tTP_PROTO(");
	indent = column(out);
	for (unsigned int i = 0; i < args->nr; i++) {
		item = (struct buf){ 0 };
		ktype_declare(&item, args->btf, args->v[i].type,
			      args->v[i].name);
		buf_add(&item, "", 1);
		if (!item.failed)
			add_item(out, item.data, indent, !i);
		out->failed |= item.failed;
		buf_free(&item);
	}
	buf_printf(out, "),\n\tTP_ARGS(");
	indent = column(out);
	for (unsigned int i = 0; i < args->nr; i++)
		add_item(out, args->v[i].name, indent, !i);
	buf_printf(out, "),\n");
}

static void print_printk(struct buf *out, struct text_of *text)
{
	char *value, *save = NULL;
	unsigned int indent;

	buf_printf(out, "\tTP_printk(");
	indent = column(out);
	buf_printf(out, "\"%s\"", text->format.data);
	for (value = strtok_r(text->values.data, "\n", &save); value;
	     value = strtok_r(NULL, "\n", &save))
		add_item(out, value, indent, false);
	buf_printf(out, "));\n\n");
}

static void print_source(struct buf *out, const struct new_probe *p,
			 struct text_of *text)
{
	buf_printf(out,
		   "// SPDX-License-Identifier: GPL-2.0\n"
		   "/* The event %s:%s, of the tracepoint %s. */\n"
		   "#include <linux/module.h>\n", p->group, p->name,
		   p->tracepoint);
	if (text->tasks)
		buf_printf(out, "#include <linux/sched.h>\n");
	buf_printf(out,
		   "#include <%s>\n"
		   "#include <rbmap/probe.h>\n"
		   "\n"
		   "RBMAP_PROBE(%s, %s,\n", p->header, p->name, p->tracepoint);
	print_proto(out, &p->args);
	buf_printf(out,
		   "\tTP_STRUCT__entry(\n%s\t),\n"
		   "\tTP_fast_assign(\n%s\t),\n", text->fields.data,
		   text->assign.data);
	print_printk(out, text);
	buf_printf(out,
		   "RBMAP_MODULE_PROBES(\"%s\", %s);\n"
		   "MODULE_DESCRIPTION(\"rbmap event %s of %s\");\n"
		   "MODULE_LICENSE(\"GPL\");\n", p->group, p->name, p->name,
		   p->tracepoint);
}

static bool make_source(struct buf *out, const struct new_probe *p)
{
	struct text_of text = { 0 };
	bool some;

	for (unsigned int i = 0; i < p->args.nr; i++)
		add_arg(&text, p->args.btf, &p->args.v[i]);
	some = text.nr;
	buf_add(&text.fields, "", 1);
	buf_add(&text.assign, "", 1);
	buf_add(&text.format, "", 1);
	buf_add(&text.values, "", 1);
	out->failed = text.fields.failed || text.assign.failed ||
		      text.format.failed || text.values.failed;
	if (some && !out->failed)
		print_source(out, p, &text);
	buf_free(&text.fields);
	buf_free(&text.assign);
	buf_free(&text.format);
	buf_free(&text.values);
	if (out->failed)
		complain("out of memory");
	else if (!some)
		complain("no argument of the tracepoint %s can be a field: 'rbmap probe add %s' makes an event without fields",
			 p->tracepoint, p->tracepoint);
	return some && !out->failed;
}

/*
 * make finds the fragment in these directories. Otherwise use the one beside
 * this program.
 */
static void find_fragment(char *path, size_t size)
{
	static const char *const own[] = {
		"/usr/include", "/usr/local/include",
	}, *const beside[] = {
		"../include", "../module/include",
	};
	char exe[PATH_MAX], real[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	snprintf(path, size, "rbmap/probe.mk");
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		snprintf(real, sizeof(real), "%s/rbmap/probe.mk", own[i]);
		if (!access(real, R_OK))
			return;
	}
	exe[len > 0 ? len : 0] = '\0';
	slash = strrchr(exe, '/');
	if (!slash)
		return;
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		snprintf(slash + 1, sizeof(exe) - (slash + 1 - exe),
			 "%s/rbmap/probe.mk", beside[i]);
		if (realpath(exe, real) && !strpbrk(real, " #$")) {
			snprintf(path, size, "%s", real);
			return;
		}
	}
}

static void make_makefile(struct buf *out, const struct new_probe *p)
{
	char fragment[PATH_MAX];

	find_fragment(fragment, sizeof(fragment));
	buf_printf(out,
		   "# SPDX-License-Identifier: GPL-2.0\n"
		   "obj-m := %s.o\n", p->name);
	if (p->kernel)
		buf_printf(out, "KDIR ?= %s\n", p->kdir);
	buf_printf(out, "include %s\n", fragment);
}

/* ---- files */

static bool write_file(const char *dir, const char *file, const struct buf *text)
{
	char path[PATH_MAX];
	bool ok;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	ok = fd >= 0 &&
	     write(fd, text->data, text->size) == (ssize_t)text->size;
	if (fd >= 0 && close(fd))
		ok = false;
	if (ok) {
		printf("%s\n", path);
		return true;
	}
	complain("cannot write %s: %s", path, strerror(errno));
	if (fd >= 0)
		unlink(path);
	return false;
}

static bool is_free(const char *dir, const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (access(path, F_OK))
		return true;
	complain("%s exists already: choose another directory, or remove the file",
		 path);
	return false;
}

static bool write_files(const struct new_probe *p, const struct buf *source)
{
	struct buf makefile = { 0 };
	char file[NAME_MAX + 1];
	bool ok;

	snprintf(file, sizeof(file), "%s.c", p->name);
	if (!is_free(p->dir, file) || !is_free(p->dir, "Makefile") ||
	    !is_free(p->dir, "Kbuild"))
		return false;
	if (mkdir(p->dir, 0777) && errno != EEXIST) {
		complain("cannot make the directory %s: %s", p->dir,
			 strerror(errno));
		return false;
	}
	make_makefile(&makefile, p);
	if (makefile.failed)
		complain("out of memory");
	ok = !makefile.failed && write_file(p->dir, file, source) &&
	     write_file(p->dir, "Makefile", &makefile);
	buf_free(&makefile);
	if (ok)
		printf("\n"
		       "Then:  make -C %s && insmod %s/%s.ko && rbmap stream -e %s:%s\n",
		       p->dir, p->dir, p->name, p->group, p->name);
	return ok;
}

/* ---- kernel */

static bool find_kdir(struct new_probe *p)
{
	char path[PATH_MAX + 16];
	struct utsname name;
	const char *kernel = p->kernel;

	if (kernel && strchr(kernel, '/')) {
		if (!realpath(kernel, p->kdir)) {
			complain("cannot read %s: %s", kernel, strerror(errno));
			return false;
		}
	} else {
		if (!kernel && !uname(&name))
			kernel = name.release;
		snprintf(p->kdir, sizeof(p->kdir), "/lib/modules/%s/build",
			 kernel);
	}
	snprintf(path, sizeof(path), "%s/Makefile", p->kdir);
	if (!access(path, R_OK))
		return true;
	complain("the headers of kernel %s are not installed (%s does not exist): 'rbmap doctor -k %s' says how to install them",
		 kernel, path, kernel);
	return false;
}

/*
 * If another kernel than the running one is wanted, its headers may contain the
 * types.
 */
static bool open_types(struct new_probe *p, struct btf_types *types)
{
	char vmlinux[PATH_MAX + 16], error[1024], *file = p->btf;

	if (!file && p->kernel) {
		snprintf(vmlinux, sizeof(vmlinux), "%s/vmlinux", p->kdir);
		file = vmlinux;
		if (access(file, R_OK)) {
			complain("%s, which describes the types of that kernel, does not exist: give a vmlinux with --btf",
				 vmlinux);
			return false;
		}
	}
	if (btf_types_open(types, &file, !!file, error, sizeof(error)))
		return true;
	complain("%s", error);
	return false;
}

static bool find_header(struct new_probe *p)
{
	if (trace_header_find(p->kdir, p->tracepoint, p->header,
			      sizeof(p->header)))
		return true;
	complain("no header in %s declares the tracepoint %s: the kernel keeps its declaration private; use 'rbmap probe add', which needs no header",
		 p->kdir, p->tracepoint);
	return false;
}

static bool run(struct new_probe *p)
{
	struct buf source = { 0 };
	struct btf_types types;
	char error[2048];
	bool ok;

	if (!find_kdir(p) || !open_types(p, &types))
		return false;
	ok = btf_types_tracepoint(&types, p->tracepoint, &p->args, error,
				  sizeof(error));
	if (!ok)
		complain("%s", error);
	ok = ok && find_header(p) && make_source(&source, p) &&
	     write_files(p, &source);
	buf_free(&source);
	btf_types_close(&types);
	return ok;
}

static int check_name(const char *name, const char *what)
{
	if (is_identifier(name, strlen(name), EVENT_NAME_MAX))
		return STATUS_OK;
	return usage_error(&command_new_probe,
			   "'%s' is not a valid name for %s: use letters, digits and '_', at most %d characters, and no digit first",
			   name, what, EVENT_NAME_MAX);
}

static const struct cli_option options[] = {
	{ .name = "group", .letter = 'g', .arg = "GROUP", .kind = "text",
	  .target = STRING(struct new_probe, group),
	  .help = "of the event (" DEFAULT_GROUP ")" },
	{ .name = "kernel", .letter = 'k', .arg = "KERNEL", .kind = "kernel",
	  .target = STRING(struct new_probe, kernel),
	  .help = "a version whose headers are installed, or a directory\n"
		  "with headers (default: the running kernel)" },
	{ .name = "btf", .letter = 'b', .arg = "FILE", .kind = "file",
	  .target = STRING(struct new_probe, btf),
	  .help = "the types of KERNEL: a vmlinux or its BTF" },
	{ 0 }
};

/* Return STATUS_OK, or the status of a usage error. */
static int read_arguments(struct new_probe *p, int argc, char **argv)
{
	const struct command *cmd = &command_new_probe;
	int status;

	if (argc - optind < 2)
		return usage_error(cmd, argc == optind ?
				   "the name of the event is missing" :
				   "the name of a tracepoint is missing");
	if (argc - optind > 3)
		return usage_error(cmd, "unexpected argument '%s'", argv[optind + 3]);
	p->name = argv[optind];
	p->tracepoint = argv[optind + 1];
	p->dir = argc - optind == 3 ? argv[optind + 2] : p->name;
	status = check_name(p->name, "an event");
	if (!status)
		status = check_name(p->group, "a group");
	if (!status && !strcmp(p->name, "rbmap"))
		status = usage_error(cmd, "the name rbmap is taken by the module itself");
	return status;
}

static int new_probe(int argc, char **argv)
{
	struct new_probe p = { .group = DEFAULT_GROUP };
	int status;

	if (!parse_options(&command_new_probe, argc, argv, &p, &status))
		return status;
	status = read_arguments(&p, argc, argv);
	if (status)
		return status;
	return run(&p) ? STATUS_OK : STATUS_ERROR;
}

const struct command command_new_probe = {
	.name		= "new-probe",
	.synopsis	= "[-g GROUP] [-k KERNEL] [-b FILE] NAME TRACEPOINT [DIR]",
	.summary	= "Write the source of a module that defines an event",
	.intro		=
	"The command writes NAME.c and a Makefile to DIR (NAME). They define the event\n"
	"GROUP:NAME of the TRACEPOINT, with fields for its arguments.\n",
	.options	= options,
	.run		= new_probe,
};
