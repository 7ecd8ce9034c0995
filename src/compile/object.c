/* SPDX-License-Identifier: MIT */
/* From one source to its object. */
#include "base/input.h"
#include "base/scratch.h"
#include "compile/driver.h"
#include "compile/unhooked.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct object {
	const char *source, *language;
	const char *stem;   /* the source's name, without directory and suffix */
	const char *path;   /* what is made */
	const char *target; /* what it is called in a dependency file */
	/* as the front end made it, and marked; then optimised; then with hooks */
	const char *raw, *marked, *bitcode, *hooked;
	bool exempts; /* some functions want no hooks: those that get some have an attribute */
	bool told;    /* clang has put it there */
};

static const char *stem_of(const char *path, struct arena *arena)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return words_format(arena, "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
}

/* path with another suffix, as clang names dependency files */
static const char *with_suffix(const char *path, const char *suffix, struct arena *arena)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
	size_t length = dot ? (size_t)(dot - path) : strlen(path);

	return words_format(arena, "%.*s%s", (int)length, path, suffix);
}

/* With -save-temps the bitcode stays, here or beside the object. */
static const char *bitcode_file(struct driver *d, const struct object *o, const char *suffix)
{
	const char *name = words_format(&d->arena, "%s%s", o->stem, suffix);

	if (!d->line.save_temps)
		return scratch_file(words_format(&d->arena, "%u-%s", d->objects, name));
	if (d->line.save_beside && d->line.output)
		return with_suffix(d->line.output, suffix, &d->arena);
	return name;
}

static void name_object(struct driver *d, const struct line_item *item, struct object *o)
{
	o->source = item->word;
	o->language = item->language;
	o->stem = stem_of(item->word, &d->arena);
	o->target = words_format(&d->arena, "%s.o", o->stem);
	o->path = o->target;
	o->exempts = d->ignore.lines.n;
	d->objects++;
	if (d->line.goal == LINE_LINK)
		o->path = scratch_file(words_format(&d->arena, "%u-%s", d->objects, o->target));
	else if (d->line.output)
		o->path = d->line.output;
	if (d->line.output)
		o->target = d->line.output;
	o->raw = scratch_file(words_format(&d->arena, "%u-%s.raw.bc", d->objects, o->stem));
	o->marked = scratch_file(words_format(&d->arena, "%u-%s.marked.bc", d->objects, o->stem));
	o->bitcode = bitcode_file(d, o, ".bc");
	o->hooked = bitcode_file(d, o, ".norn.bc");
}

static void add_source(const struct object *o, struct words *command, struct arena *arena)
{
	if (o->language)
		words_add_all(command, "-x", o->language);
	words_add(command, *o->source == '-' && o->source[1]
				   ? words_format(arena, "./%s", o->source)
				   : o->source);
}

/* Dependency files are named after the object, whatever the name of the bitcode is. */
static void add_dependencies(struct driver *d, const struct object *o, struct words *command)
{
	const struct line *line = &d->line;

	if (!line->dependencies)
		return;
	if (!line->dependency_file)
		words_add_all(command, "-MF",
			      line->output ? with_suffix(line->output, ".d", &d->arena)
					   : words_format(&d->arena, "%s.d", o->stem));
	if (!line->dependency_target)
		words_add_all(command, "-MQ", o->target);
}

/* So are the files of gcov; the program writes one when it ends, wherever it runs then. */
static void add_coverage(struct driver *d, const struct object *o, struct words *command)
{
	static const char *const kinds[][2] = {{"-coverage-notes-file", ".gcno"},
					       {"-coverage-data-file", ".gcda"}};
	char here[PATH_MAX];

	if (!d->line.coverage || !getcwd(here, sizeof(here)))
		return;
	for (size_t i = 0; i < 2; i++) {
		const char *path = with_suffix(o->target, kinds[i][1], &d->arena);

		words_add_all(command, "-Xclang",
			      words_format(&d->arena, "%s=%s%s%s", kinds[i][0],
					   *path == '/' ? "" : here, *path == '/' ? "" : "/",
					   path));
	}
}

/* What `clang version` the bitcode says it is from; 0: it does not say. */
static int version_in(const char *text, size_t length)
{
	static const char words[] = "clang version ";
	const char *found = memmem(text, length, words, sizeof(words) - 1);

	return found ? atoi(found + sizeof(words) - 1) : 0;
}

/* Bitcode of another LLVM is not read, or worse, is read wrongly. */
static int check_version(const struct driver *d, const char *bitcode, struct err *err)
{
	struct input *in = input_open(bitcode, err);
	uint64_t size = 0;

	if (!in)
		return err->code;
	input_seekable(in, &size);
	char *text = mem_alloc(size + 1);
	int64_t got = input_read(in, text, size, err);
	int version = got > 0 ? version_in(text, (size_t)got) : 0;

	text[size] = '\0';
	mem_free(text);
	input_close(in);
	if (!version || version == PARTS_LLVM)
		return 0;
	return err_set(
		err, ERR_INPUT,
		"%s is of LLVM %d, but norn-instrument needs LLVM %d: install clang-%d and set "
		"NORN_CLANG=clang-%d",
		d->parts.clang, version, PARTS_LLVM, PARTS_LLVM, PARTS_LLVM);
}

/* Behind what the user says: the last of these and -O2 counts. */
static void add_vectors(const struct driver *d, struct words *command)
{
	if (!d->line.vectorised)
		words_add(command, "-fno-vectorize");
	if (!d->line.slp_vectorised)
		words_add(command, "-fno-slp-vectorize");
}

static void start_front_end(struct driver *d, const struct object *o, struct words *command)
{
	driver_start(d, command);
	/* in front, so that what the user says goes before it */
	words_add_all(command, "-g", "-Qunused-arguments");
	line_options(&d->line, STEP_BITCODE, command);
	if (d->line.openmp) /* threadprivate is no memory of the thread: runtime/openmp */
		words_add(command, "-fnoopenmp-use-tls");
	add_vectors(d, command);
	add_coverage(d, o, command);
}

/* The front end. If there is nothing to optimise, that is all. */
static void start_raw(struct driver *d, const struct object *o, struct words *command)
{
	bool last = !d->line.optimised && !o->exempts;

	start_front_end(d, o, command);
	driver_define(d, command);
	add_dependencies(d, o, command);
	words_add_all(command, "-Xclang",
		      d->line.optimised ? "-disable-llvm-passes" : "-disable-O0-optnone");
	words_add_all(command, "-c", "-emit-llvm", "-o", last ? o->bitcode : o->raw);
	add_source(o, command, &d->arena);
}

static void start_preprocessor(struct driver *d, const struct object *o, const char *text,
			       struct words *command)
{
	driver_start(d, command);
	words_add_all(command, "-Qunused-arguments", "-w");
	line_options(&d->line, STEP_BITCODE, command);
	driver_define(d, command);
	if (d->line.dependencies) /* the front end writes those that are asked for */
		words_add_all(
			command, "-MF",
			scratch_file(words_format(&d->arena, "%u-%s.d", d->objects, o->stem)));
	/* where it says the same in other words, inlining does not know them */
	words_add_all(command, "-Ddisable_sanitizer_instrumentation=no_sanitize(\"thread\")",
		      "-D__disable_sanitizer_instrumentation__=no_sanitize(\"thread\")", "-E", "-o",
		      text);
	add_source(o, command, &d->arena);
}

/* As for ThreadSanitizer, but without its pass. */
static int make_raw_marked(struct driver *d, const struct object *o, const char *text,
			   const char *language, struct err *err)
{
	struct words command = {0};

	start_front_end(d, o, &command);
	if (!d->line.optimised)
		words_add_all(&command, "-Xclang", "-disable-O0-optnone");
	words_add_all(&command, "-w", "-fsanitize=thread", "-Xclang", "-disable-llvm-passes", "-c",
		      "-emit-llvm", "-o", o->raw, "-x", language, text);
	return driver_spawn(d, &command, err);
}

static bool is_file(const char *path)
{
	struct stat s;

	return !stat(path, &s) && S_ISREG(s.st_mode);
}

/*
 * Which functions want no hooks clang says only if it compiles for ThreadSanitizer; but then the
 * program would see that, by __has_feature. So it gets text that is preprocessed already, and only
 * where there are such functions. What is no file can be read once only, and has none.
 */
static int make_raw(struct driver *d, struct object *o, struct err *err)
{
	const char *language = unhooked_language(o->source, o->language, d->request->cplusplus);
	const char *text = scratch_file(words_format(&d->arena, "%u-%s.i", d->objects, o->stem));
	struct words raw = {0}, preprocessed = {0};
	int beside;

	start_raw(d, o, &raw);
	if (!language || !is_file(o->source))
		return driver_spawn(d, &raw, err);
	start_preprocessor(d, o, text, &preprocessed);
	int status = driver_spawn_both(d, &raw, &preprocessed, &beside, err);

	if (status || beside || !unhooked_are_in(text))
		return status;
	o->exempts = o->told = true;
	return make_raw_marked(d, o, text, language, err);
}

static int mark(struct driver *d, const struct object *o, struct err *err)
{
	struct words command = {0};

	if (check_version(d, o->raw, err) < 0)
		return err->code;
	words_add_all(&command, d->parts.instrument, "--mark", o->raw, "-o", o->marked);
	for (size_t i = 0; i < d->said.n; i++)
		words_add(&command, d->said.at[i]);
	if (o->told)
		words_add(&command, "--marked");
	return driver_spawn(d, &command, err);
}

static int optimise(struct driver *d, const struct object *o, struct err *err)
{
	struct words command = {0};

	driver_start(d, &command);
	/* warnings of the source were all given, but what was asked of the optimiser was not */
	words_add(&command, "-Qunused-arguments");
	line_options(&d->line, STEP_OPTIMISE, &command);
	add_vectors(d, &command);
	add_coverage(d, o, &command);
	words_add_all(&command, "-c", "-emit-llvm", "-o", o->bitcode, "-x", "ir", o->marked);
	return driver_spawn(d, &command, err);
}

static int make_bitcode(struct driver *d, struct object *o, struct err *err)
{
	int status = make_raw(d, o, err);

	if (!status && (d->line.optimised || o->exempts))
		status = mark(d, o, err);
	if (!status && (d->line.optimised || o->exempts))
		status = optimise(d, o, err);
	return status;
}

static int put_hooks_in(struct driver *d, const struct object *o, struct err *err)
{
	struct words command = {0};

	if (check_version(d, o->bitcode, err) < 0)
		return err->code;
	words_add(&command, d->parts.instrument);
	for (size_t i = 0; i < d->models.n; i++)
		words_add_all(&command, "--models", d->models.at[i]);
	for (size_t i = 0; i < d->said.n; i++)
		words_add(&command, d->said.at[i]);
	if (o->exempts)
		words_add(&command, "--marked");
	words_add_all(&command, o->bitcode, "-o", o->hooked);
	return driver_spawn(d, &command, err);
}

static int make_object(struct driver *d, const struct object *o, struct err *err)
{
	struct words command = {0};

	driver_start(d, &command);
	/* warnings were all given in the first step */
	words_add_all(&command, "-Qunused-arguments", "-w");
	line_options(&d->line, STEP_OBJECT, &command);
	words_add_all(&command, "-Xclang", "-disable-llvm-passes", "-c", "-o", o->path, "-x", "ir",
		      o->hooked);
	return driver_spawn(d, &command, err);
}

/* Assembler, for instance: as clang does it. */
static int make_other(struct driver *d, const struct object *o, struct err *err)
{
	struct words command = {0};

	driver_start(d, &command);
	words_add(&command, "-Qunused-arguments");
	line_options(&d->line, STEP_ALL, &command);
	driver_define(d, &command);
	words_add_all(&command, "-c", "-o", o->path);
	add_source(o, &command, &d->arena);
	return driver_spawn(d, &command, err);
}

static bool is_linker_input(const char *path)
{
	const char *dot = strrchr(path, '.');

	return !dot || !strcmp(dot, ".o") || !strcmp(dot, ".a") || !strcmp(dot, ".so");
}

int driver_compile(struct driver *d, struct line_item *item, struct err *err)
{
	struct object o = {0};

	name_object(d, item, &o);
	if (!item->source) /* nothing is linked with -c */
		return !item->language && is_linker_input(item->word) ? 0 : make_other(d, &o, err);
	int status = make_bitcode(d, &o, err);

	if (!status)
		status = put_hooks_in(d, &o, err);
	if (!status)
		status = make_object(d, &o, err);
	item->word = o.path;
	item->language = NULL;
	return status;
}
