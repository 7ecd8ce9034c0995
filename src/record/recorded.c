/* SPDX-License-Identifier: MIT */
#include "record/recorded.h"

#include "base/output.h"
#include "record/log/modules.h"
#include "record/log/raw.h"
#include "record/run/relay.h"
#include "runtime/log.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The environment that changes how threads run or where memory lies. */
static const char *const interesting[] = {"LD_",    "OMP_", "GOMP_", "KMP_", "MALLOC_",
					  "GLIBC_", "LANG", "LC_",   "TZ",   "NORN_"};

/* How the recorder itself is told. */
static const char *const ours[] = {"NORN_RECORD=", "NORN_FOLLOW=", "NORN_OPTIONS="};

static bool starts_with_one(const char *text, const char *const *starts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(text, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static bool is_of_interest(const char *variable)
{
	return starts_with_one(variable, interesting, sizeof(interesting) / sizeof(*interesting)) &&
	       !starts_with_one(variable, ours, sizeof(ours) / sizeof(*ours));
}

/* Writing */

typedef VEC(char) text_buffer;

static void add_text(text_buffer *to, const char *text, size_t length)
{
	vec_reserve(to, to->n + length + 1);
	memcpy(to->at + to->n, text, length);
	to->n += length;
	to->at[to->n] = '\0';
}

static void add_encoded(text_buffer *to, const char *text)
{
	char code[4];

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c > ' ' && c != 0x7f && c != '%') {
			add_text(to, text, 1);
			continue;
		}
		snprintf(code, sizeof(code), "%%%02X", c);
		add_text(to, code, 3);
	}
}

static void add_meta(struct symbols *metas, const char *key, const char *value)
{
	symbols_add_meta(metas, key, strlen(key), value, strlen(value));
}

static void add_word(struct symbols *metas, const char *key, const char *word)
{
	text_buffer text = {0};

	add_encoded(&text, word);
	add_meta(metas, key, text.n ? text.at : "%00"); /* no word at all holds a NUL */
	vec_release(&text);
}

/* For people: as it was typed, more or less. */
static void add_command(struct symbols *metas, char *const *argv)
{
	text_buffer line = {0};

	for (; *argv; argv++) {
		if (line.n)
			add_text(&line, " ", 1);
		add_text(&line, *argv, strlen(*argv));
	}
	add_meta(metas, "command", line.at ? line.at : "");
	vec_release(&line);
}

/* A regular file, or /dev/null: what can be read again. */
static bool is_file(int fd)
{
	struct stat st;

	return !fstat(fd, &st) &&
	       (S_ISREG(st.st_mode) || (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)));
}

uint32_t recorded_kind_of_ours(void)
{
	if (is_file(STDIN_FILENO))
		return LOG_STDIN_FILE;
	return relay_is_needed() ? LOG_STDIN_SAVED : LOG_STDIN_OUTSIDE;
}

uint32_t recorded_kind(const struct recorded *f)
{
	if (f->input)
		return LOG_STDIN_FILE;
	return f->inputs.saved ? LOG_STDIN_SAVED : LOG_STDIN_OUTSIDE;
}

static void add_input(struct symbols *metas)
{
	char path[PATH_MAX];
	ssize_t length;

	if (!is_file(STDIN_FILENO))
		return;
	length = readlink("/proc/self/fd/0", path, sizeof(path) - 1);
	if (length <= 0)
		return;
	path[length] = '\0';
	add_word(metas, "input", path);
}

void recorded_end(struct symbols *metas, const struct launch_result *run)
{
	char text[32];

	snprintf(text, sizeof(text), run->signal ? "signal %d" : "%d",
		 run->signal ? run->signal : run->status);
	add_meta(metas, "status", text);
}

void recorded_begin(struct symbols *metas, const char *recorder, char *const *argv)
{
	char text[PATH_MAX];

	add_meta(metas, "recorder", recorder);
	add_command(metas, argv);
	for (char *const *word = argv; *word; word++)
		add_word(metas, "argument", *word);
	if (getcwd(text, sizeof(text)))
		add_word(metas, "directory", text);
	add_input(metas);
	for (char **e = environ; *e; e++)
		if (is_of_interest(*e))
			add_word(metas, "environment", *e);
}

/* A line each. */
static void facts_path(char *path, size_t room, const char *directory)
{
	snprintf(path, room, "%s/facts", directory);
}

static void save_fact(struct output *out, const struct meta *meta)
{
	output_format(out, "%s ", meta->key);
	for (const char *c = meta->value; *c; c++)
		output_char(out, *c == '\n' ? ' ' : *c);
	output_char(out, '\n');
}

int recorded_save(const struct symbols *metas, const char *directory, struct err *err)
{
	char path[PATH_MAX];

	facts_path(path, sizeof(path), directory);
	struct output *out = output_open(path, OUTPUT_PRIVATE, err);

	if (!out)
		return err->code;
	for (size_t i = 0; i < metas->metas.n; i++)
		save_fact(out, &metas->metas.at[i]);
	return output_close(out, err);
}

static int load_facts(struct symbols *metas, const char *directory, struct err *err)
{
	size_t size;
	char *text = raw_read_file(directory, "facts", &size, err);

	if (!text)
		return err->code;
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		char *value = strchr(line, ' ');

		if (value && value > line)
			symbols_add_meta(metas, line, (size_t)(value - line), value + 1,
					 strlen(value + 1));
	}
	mem_free(text);
	return 0;
}

static bool has_ended(const struct symbols *metas)
{
	for (size_t i = 0; i < metas->metas.n; i++)
		if (!strcmp(metas->metas.at[i].key, "status"))
			return true;
	return false;
}

static int recover(struct symbols *metas, const char *directory, struct log_run *run,
		   struct err *err)
{
	struct launch_result end = {.signal = (int)run->signal};

	if (run->magic != LOG_MAGIC)
		return err_set(err, ERR_INPUT, "%s: this is not a recording", directory);
	if (!run->pid)
		return err_set(err, ERR_INPUT, "%s: nothing was recorded there", directory);
	if (load_facts(metas, directory, err) < 0)
		return err->code;
	if (has_ended(metas))
		return 0;
	if (!run->signal && !run->exited)
		end.signal = SIGKILL; /* it did not outlive its recorder */
	recorded_end(metas, &end);
	if (!run->why)
		run->why = LOG_RECORDER;
	return 0;
}

int recorded_recover(struct symbols *metas, const char *directory, struct err *err)
{
	struct log_run *run = launch_map(directory);

	if (!run)
		return err_set(err, ERR_INPUT, "%s: this is not a recording: %s", directory,
			       strerror(errno));
	int code = recover(metas, directory, run, err);

	munmap(run, sizeof(*run));
	return code;
}

/* Reading */

/* "" is written as a NUL. */
static char *decoded(struct arena *memory, const char *word)
{
	char *text = arena_copy(memory, word, strlen(word) + 1), *to = text;

	for (const char *from = word; *from; to++) {
		if (*from == '%' && isxdigit((unsigned char)from[1]) &&
		    isxdigit((unsigned char)from[2])) {
			const char digits[] = {from[1], from[2], '\0'};

			*to = (char)strtoul(digits, NULL, 16);
			from += 3;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	return text;
}

/* What the recorder would not have written is not taken from a trace. */
static void read_variable(struct recorded *f, const char *value)
{
	const char *variable = decoded(&f->text, value);

	if (is_of_interest(variable) && strchr(variable, '='))
		vec_push(&f->environment, variable);
}

static void read_status(struct recorded *f, const char *value)
{
	if (sscanf(value, "signal %d", &f->signal) == 1)
		f->status = 128 + f->signal;
	else
		f->status = atoi(value);
}

static void read_fact(struct recorded *f, const struct meta *meta)
{
	if (!strcmp(meta->key, "argument"))
		vec_push(&f->argv, decoded(&f->text, meta->value));
	else if (!strcmp(meta->key, "environment"))
		read_variable(f, meta->value);
	else if (!strcmp(meta->key, "directory"))
		f->directory = decoded(&f->text, meta->value);
	else if (!strcmp(meta->key, "input"))
		f->input = decoded(&f->text, meta->value);
	else if (!strcmp(meta->key, "status"))
		read_status(f, meta->value);
}

int recorded_read(struct recorded *f, const struct symbols *symbols, const char *trace,
		  struct err *err)
{
	*f = (struct recorded){0};
	if (inputs_read(&f->inputs, symbols, trace, err) < 0)
		return err->code;
	for (size_t i = 0; i < symbols->metas.n; i++)
		read_fact(f, &symbols->metas.at[i]);
	if (!f->argv.n)
		return err_set(err, ERR_INPUT,
			       "%s does not contain a command: only traces of norn record can be "
			       "replayed",
			       trace);
	vec_push(&f->argv, NULL);
	return 0;
}

void recorded_release(struct recorded *f)
{
	vec_release(&f->argv);
	vec_release(&f->environment);
	inputs_release(&f->inputs);
	arena_release(&f->text);
}

/* Running again */

static void restore_environment(const struct recorded *f)
{
	char name[256];

	for (size_t i = 0; environ[i];) {
		size_t length = strcspn(environ[i], "=");

		if (!is_of_interest(environ[i]) || length >= sizeof(name)) {
			i++;
			continue;
		}
		memcpy(name, environ[i], length);
		name[length] = '\0';
		unsetenv(name);
	}
	for (size_t i = 0; i < f->environment.n; i++)
		putenv((char *)f->environment.at[i]);
}

int recorded_restore(const struct recorded *f)
{
	restore_environment(f);
	if (f->directory && chdir(f->directory) < 0)
		return -1;
	if (!f->input)
		return 0;
	/* who opens a pipe waits for its writer */
	int fd = open(f->input, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return -1;
	errno = EINVAL;
	int code = is_file(fd) && !fcntl(fd, F_SETFL, 0) && dup2(fd, STDIN_FILENO) >= 0 ? 0 : -1;

	close(fd);
	return code;
}

static int check_module(const char *id, const char *path, struct err *err)
{
	char line[PATH_MAX + 4], now[128] = "";
	const char *ignored;

	if (!strcmp(id, "-"))
		return 0; /* it never had one */
	if (access(path, R_OK) < 0)
		return err_set(err, ERR_INPUT, "%s, which was recorded: %s", path, strerror(errno));
	snprintf(line, sizeof(line), "0 %s\n", path);
	struct modules *m = modules_new(line);

	modules_build_id(m, 0, &ignored, now, sizeof(now));
	modules_free(m);
	if (!strcmp(id, now))
		return 0;
	return err_set(err, ERR_INPUT,
		       "%s has changed since it was recorded: its build id is %s, and was %s; "
		       "record it again",
		       path, *now ? now : "none", id);
}

static int check_modules(const struct symbols *symbols, struct err *err)
{
	char id[128];

	for (size_t i = 0; i < symbols->metas.n; i++) {
		const struct meta *meta = &symbols->metas.at[i];
		int at = 0;

		if (strcmp(meta->key, "module") || sscanf(meta->value, "%127s %n", id, &at) != 1 ||
		    !at)
			continue;
		if (check_module(id, meta->value + at, err) < 0)
			return err->code;
	}
	return 0;
}

int recorded_check(const struct recorded *f, const struct symbols *symbols, struct err *err)
{
	if (f->directory && access(f->directory, X_OK) < 0)
		return err_set(err, ERR_INPUT, "%s, where it was run: %s", f->directory,
			       strerror(errno));
	if (f->input && access(f->input, R_OK) < 0)
		return err_set(err, ERR_INPUT, "%s, its standard input: %s", f->input,
			       strerror(errno));
	return check_modules(symbols, err);
}

void recorded_copy(struct symbols *metas, const struct symbols *from,
		   const struct launch_result *run)
{
	static const char *const keys[] = {"recorder",	"command", "argument",
					   "directory", "input",   "environment"};

	for (size_t i = 0; i < from->metas.n; i++)
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++)
			if (!strcmp(from->metas.at[i].key, keys[k]))
				add_meta(metas, keys[k], from->metas.at[i].value);
	/* what threads were given is in the recording; standard input was ours to give */
	for (size_t i = 0; i < from->metas.n; i++)
		if (inputs_is_standard(&from->metas.at[i]))
			add_meta(metas, from->metas.at[i].key, from->metas.at[i].value);
	recorded_end(metas, run);
}
