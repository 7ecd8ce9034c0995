/* SPDX-License-Identifier: MIT */
#include "compile/line.h"

#include <string.h>

/* Options whose argument is the next word. Where one may be joined too, it is other words then. */
static const char *const with_argument[] = {
	"-A",
	"-B",
	"-D",
	"-F",
	"-G",
	"-I",
	"-L",
	"-MF",
	"-MJ",
	"-MQ",
	"-MT",
	"-T",
	"-Tbss",
	"-Tdata",
	"-Ttext",
	"-U",
	"-V",
	"-Xanalyzer",
	"-Xassembler",
	"-Xclang",
	"-Xcuda-fatbinary",
	"-Xcuda-ptxas",
	"-Xlinker",
	"-Xopenmp-target",
	"-Xpreprocessor",
	"-arch",
	"-b",
	"-c-isystem",
	"-cxx-isystem",
	"-dependency-dot",
	"-dependency-file",
	"-e",
	"-framework",
	"-gcc-toolchain",
	"-idirafter",
	"-iframework",
	"-iframeworkwithsysroot",
	"-imacros",
	"-imultilib",
	"-include",
	"-include-pch",
	"-index-store-path",
	"-iprefix",
	"-iquote",
	"-isysroot",
	"-isystem",
	"-isystem-after",
	"-ivfsoverlay",
	"-iwithprefix",
	"-iwithprefixbefore",
	"-iwithsysroot",
	"-l",
	"-mllvm",
	"-mthread-model",
	"-o",
	"-rpath",
	"-serialize-diagnostics",
	"-stdlib++-isystem",
	"-target",
	"-u",
	"-working-directory",
	"-x",
	"-z",
	"--atomic",
	"--config",
	"--define-macro",
	"--events",
	"--ignore",
	"--imacros",
	"--include",
	"--include-directory",
	"--language",
	"--library-directory",
	"--output",
	"--param",
	"--serialize-diagnostics",
	"--sysroot",
	"--undefine-macro",
};

/* With these clang makes something else than objects or programs, or only tells something. */
static const char *const passing[] = {
	"-E",
	"-S",
	"-M",
	"-MM",
	"-###",
	"-cc1",
	"-cc1as",
	"-emit-llvm",
	"-emit-ast",
	"-emit-interface-stubs",
	"-fsyntax-only",
	"-fdriver-only",
	"-help",
	"--help-hidden",
	"--version",
	"-rewrite-objc",
	"-verify-pch",
	"-module-file-info",
	"--analyze",
	"--precompile",
	"--preprocess",
	"--assemble",
	"--dependencies",
	"--user-dependencies",
	"--migrate",
};
static const char *const passing_prefixes[] = {"-dump", "-print-", "--print-", "-ccc-",
					       "--autocomplete"};

static const struct {
	const char *suffix, *language;
} languages[] = {
	{"c", "c"},
	{"i", "cpp-output"},
	{"cc", "c++"},
	{"cp", "c++"},
	{"cpp", "c++"},
	{"cxx", "c++"},
	{"c++", "c++"},
	{"C", "c++"},
	{"CC", "c++"},
	{"CPP", "c++"},
	{"CXX", "c++"},
	{"C++", "c++"},
	{"ii", "c++-cpp-output"},
	{"S", "assembler-with-cpp"},
	{"sx", "assembler-with-cpp"},
	/* these become no object */
	{"h", "header"},
	{"hh", "header"},
	{"hpp", "header"},
	{"hxx", "header"},
	{"H", "header"},
	{"h++", "header"},
	{"hp", "header"},
	{"pch", "header"},
};

static const char *const instrumented[] = {"c", "c++", "cpp-output", "c++-cpp-output"};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool is(const char *word, const char *other)
{
	return !strcmp(word, other);
}

static bool starts(const char *word, const char *start)
{
	return !strncmp(word, start, strlen(start));
}

static bool among(const char *word, const char *const *list, size_t n)
{
	while (n)
		if (is(word, list[--n]))
			return true;
	return false;
}

static bool takes_argument(const char *word)
{
	return among(word, with_argument, COUNT(with_argument)) || starts(word, "-Xarch_");
}

static bool passes(const char *word)
{
	for (size_t i = 0; i < COUNT(passing_prefixes); i++)
		if (starts(word, passing_prefixes[i]))
			return true;
	return among(word, passing, COUNT(passing));
}

static const char *language_of(const char *path, const char *said)
{
	const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');

	if (said)
		return strstr(said, "header") ? "header" : said;
	for (size_t i = 0; dot && i < COUNT(languages); i++)
		if (is(dot + 1, languages[i].suffix))
			return languages[i].language;
	return "";
}

/* Those that are Norn's, and what each needs. */
static const struct {
	const char *option, *what;
} ours[] = {{"--events", "a file"}, {"--atomic", "the name of a function"}, {"--ignore", "a file"}};

static size_t find_ours(const char *word)
{
	size_t i = 0;

	while (i < COUNT(ours) && strncmp(word, ours[i].option, strlen(ours[i].option)) != 0)
		i++;
	if (i < COUNT(ours) && word[strlen(ours[i].option)] && word[strlen(ours[i].option)] != '=')
		return COUNT(ours);
	return i;
}

bool line_is_events(const char *word)
{
	return find_ours(word) < COUNT(ours);
}

static void take_input(struct line *line, const char *word, const char *said)
{
	const char *language = language_of(word, said);
	struct line_item item = {
		.word = word,
		.input = true,
		.language = said,
		.source = among(language, instrumented, COUNT(instrumented)),
	};

	if (is(language, "header"))
		line->goal = LINE_PASS;
	line->inputs++;
	line->preprocessed |=
		*language && !strstr(language, "output") && !is(language, "assembler");
	line->sources += item.source;
	vec_push(&line->items, item);
}

/* The value of `-oX`, `-o X`, `--output=X` and so on; NULL if it is another option. */
static const char *value_of(const struct line_item *item, const char *letter, const char *name)
{
	const char *word = item->word;

	if (item->argument)
		return is(word, letter) || is(word, name) ? item->argument : NULL;
	if (starts(word, name) && word[strlen(name)] == '=')
		return word + strlen(name) + 1;
	return starts(word, letter) && word[1] != '-' ? word + strlen(letter) : NULL;
}

static bool take_goal(struct line *line, const struct line_item *item)
{
	const char *word = item->word;

	if (passes(word))
		line->goal = LINE_PASS;
	if (!is(word, "-c") && !is(word, "--compile"))
		return false;
	if (line->goal == LINE_LINK)
		line->goal = LINE_COMPILE;
	return true;
}

/* Dependency files are made from the source alone. */
static bool take_dependencies(struct line *line, const struct line_item *item)
{
	const char *word = item->word;
	bool preprocessor = starts(word, "-Wp,-M");

	if (!starts(word, "-M") && !preprocessor && !is(word, "-dependency-file"))
		return false;
	line->dependencies |= is(word, "-MD") || is(word, "-MMD") || preprocessor;
	line->dependency_file |= starts(word, "-MF") || is(word, "-dependency-file") ||
				 (preprocessor && strchr(word + 6, ','));
	line->dependency_target |= starts(word, "-MT") || starts(word, "-MQ");
	return true;
}

static void take_linking(struct line *line, const struct line_item *item)
{
	const char *word = item->word;

	line->shared |= is(word, "-shared") || is(word, "--shared");
	line->statically |= is(word, "-static") || is(word, "--static") || is(word, "-static-pie");
	line->bare |=
		is(word, "-r") || is(word, "-nostdlib") || is(word, "--no-standard-libraries");
}

static int refuse(const struct line_item *item, struct err *err)
{
	const char *word = item->word;
	const char *target = is(word, "-target")	 ? item->argument
			     : starts(word, "--target=") ? word + 9
							 : NULL;

	if (starts(word, "-fsanitize=") && strstr(word, "thread"))
		return err_set(
			err, ERR_USAGE,
			"%s: Norn and ThreadSanitizer cannot be combined; remove this option",
			word);
	if (is(word, "-m32") || is(word, "-mx32") || is(word, "-m16") ||
	    (target && (!starts(target, "x86_64") || !strstr(target, "linux"))))
		return err_set(err, ERR_USAGE, "%s%s%s: Norn records programs for x86-64 Linux",
			       word, target == item->argument && target ? " " : "",
			       target == item->argument && target ? target : "");
	return 0;
}

/* To which steps does it go? */
static int steps_of(struct line *line, const struct line_item *item)
{
	const char *word = item->word, *value;

	if ((value = value_of(item, "-o", "--output"))) {
		line->output = value;
		return 0;
	}
	if (take_goal(line, item))
		return 0;
	if (starts(word, "-flto") || is(word, "-fwhole-program-vtables")) {
		line->lto |= starts(word, "-flto");
		return 0;
	}
	if (starts(word, "-save-temps") || starts(word, "--save-temps")) {
		line->save_temps = true;
		line->save_beside = strstr(word, "=obj") != NULL;
		return 0;
	}
	if (take_dependencies(line, item) || is(word, "--serialize-diagnostics") ||
	    is(word, "-serialize-diagnostics"))
		return STEP_BITCODE;
	if (starts(word, "-gsplit-dwarf"))
		return STEP_OBJECT | STEP_LINK; /* the bitcode would name another .dwo */
	if (is(word, "-fopenmp") || is(word, "-fopenmp=libomp") || is(word, "-fno-openmp")) {
		line->openmp = !is(word, "-fno-openmp");
		return STEP_BITCODE; /* the link: link.c */
	}
	if (starts(word, "-O"))
		line->optimised = !is(word, "-O0");
	if (is(word, "-fvectorize") || is(word, "-ftree-vectorize"))
		line->vectorised = true;
	if (is(word, "-fslp-vectorize") || is(word, "-ftree-slp-vectorize"))
		line->slp_vectorised = true;
	line->coverage |= is(word, "--coverage") || is(word, "-coverage") ||
			  is(word, "-fprofile-arcs") || is(word, "-ftest-coverage");
	take_linking(line, item);
	return STEP_ALL;
}

static int take_events(struct line *line, const struct line_item *item, struct err *err)
{
	size_t i = find_ours(item->word);
	const char *behind = item->word + strlen(ours[i].option);

	if (!*behind && !item->argument)
		return err_set(err, ERR_USAGE, "%s needs %s", ours[i].option, ours[i].what);
	words_add_all(&line->events, ours[i].option, *behind ? behind + 1 : item->argument);
	return 0;
}

static void take_option(struct line *line, struct line_item *item, const char **language)
{
	const char *value = value_of(item, "-x", "--language");

	if (value) {
		*language = is(value, "none") ? NULL : value;
		return;
	}
	item->steps = steps_of(line, item);
	vec_push(&line->items, *item);
}

static int check(struct line *line, struct err *err)
{
	for (size_t i = 0; i < line->items.n; i++)
		if (!line->items.at[i].input && refuse(&line->items.at[i], err) < 0)
			return err->code;
	return 0;
}

int line_parse(struct line *line, const struct words *words, struct err *err)
{
	const char *language = NULL;
	bool ended = false;

	*line = (struct line){.goal = LINE_LINK};
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->at[i];

		if (ended || *word != '-' || !word[1]) {
			take_input(line, word, language);
		} else if (is(word, "--")) {
			ended = true;
		} else {
			struct line_item item = {.word = word};

			if (takes_argument(word) && i + 1 < words->n)
				item.argument = words->at[++i];
			if (line_is_events(word)) {
				if (take_events(line, &item, err) < 0)
					return err->code;
				continue;
			}
			take_option(line, &item, &language);
		}
	}
	if (!line->inputs || (line->goal == LINE_COMPILE && !line->sources))
		line->goal = LINE_PASS;
	return line->goal == LINE_PASS ? 0 : check(line, err);
}

void line_release(struct line *line)
{
	vec_release(&line->items);
	words_release(&line->events);
}

void line_options(const struct line *line, enum line_step step, struct words *to)
{
	for (size_t i = 0; i < line->items.n; i++) {
		const struct line_item *item = &line->items.at[i];

		if (item->input || !(item->steps & (int)step))
			continue;
		words_add(to, item->word);
		if (item->argument)
			words_add(to, item->argument);
	}
}
