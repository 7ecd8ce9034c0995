/* SPDX-License-Identifier: MIT */
#include "cmd/report_trace.h"

#include "base/digest.h"
#include "base/json_tree.h"
#include "cmd/step.h"
#include "cmd/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_stream(FILE *in, const char *path, size_t *size)
{
	VEC(char) bytes = {0};
	size_t got;

	do {
		vec_reserve(&bytes, bytes.n + (1 << 16) + 1);
		got = fread(bytes.at + bytes.n, 1, 1 << 16, in);
		bytes.n += got;
	} while (got);
	bool failed = ferror(in);

	if (failed)
		say("%s: %s", path, strerror(errno));
	bytes.at[bytes.n] = '\0';
	*size = bytes.n;
	if (failed)
		vec_release(&bytes);
	return bytes.at;
}

char *report_read_whole(const char *path, size_t *size)
{
	FILE *in = fopen(path, "re");

	if (!in) {
		say("%s: %s", path, strerror(errno));
		return NULL;
	}
	char *data = read_stream(in, path, size);

	fclose(in);
	return data;
}

bool report_is_recording(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *mark = strstr(name, ".rec.");

	return mark && strlen(mark) == strlen(".rec.XXXXXX");
}

/* Whether the report is of the trace as it is now. */
static bool is_report_of(const char *data, size_t size, const char *trace)
{
	char digest[DIGEST_TEXT];
	struct arena arena = {0};
	struct err err = {0};
	const struct json_node *root = json_parse(&arena, data, size, &err);
	bool is = root && !strcmp(json_text(root, "format"), "norn-report") &&
		  !digest_file(trace, digest, &err) &&
		  !strcmp(json_text(root, "trace_digest"), digest);

	arena_release(&arena);
	return is;
}

/* NULL: there is none. */
static char *read_kept(const char *path, const char *trace, size_t *size)
{
	if (access(path, R_OK) < 0)
		return NULL;
	char *data = report_read_whole(path, size);

	if (data && !is_report_of(data, *size, trace)) {
		say("%s: not the report of %s as it is now: predicted again", path, trace);
		mem_free(data);
		data = NULL;
	}
	return data;
}

static int predict_from(const char *trace, const struct report_trace_options *o, struct err *err)
{
	struct step step;

	step_init(&step, "predict");
	step_add(&step, "--json");
	if (o->replay)
		step_add(&step, "--replay");
	if (o->trust)
		step_add(&step, "--trust");
	step_add_option(&step, "--budget", o->budget);
	step_add_option(&step, "--time", o->time);
	for (size_t i = 0; i < o->suppressions.n; i++)
		step_add_option(&step, "--suppressions", o->suppressions.at[i]);
	step_add(&step, "--");
	step_add(&step, trace);
	return step_run(&step, err);
}

/* Its standard output is the memory: there is no file that a sudden end would leave. */
static int predict_into(int memory, const char *trace, const struct report_trace_options *o,
			struct err *err)
{
	int ours = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (ours < 0 || dup2(memory, STDOUT_FILENO) < 0)
		return err_set(err, ERR_SYSTEM, "standard output: %s", strerror(errno));
	int status = predict_from(trace, o, err);

	dup2(ours, STDOUT_FILENO);
	close(ours);
	return status;
}

static bool made_report(int status)
{
	return !status || status == EXIT_FINDINGS || status == err_exit_status(ERR_LIMIT);
}

/* Negative: it was said. */
static int predict_for(int memory, const char *trace, const struct report_trace_options *o)
{
	struct err err = {0};
	int status = predict_into(memory, trace, o, &err);

	if (status < 0)
		say("%s: %s", trace, err.message);
	else if (!made_report(status) && status != EXIT_BAD_INPUT)
		say("%s: norn predict ended with status %d", trace, status);
	return made_report(status) ? 0 : -1;
}

static void keep(const char *path, const char *data, size_t size)
{
	struct err err = {0};
	struct output *out = output_open(path, OUTPUT_PRIVATE, &err);

	if (out)
		output_bytes(out, data, size);
	if (!out || output_close(out, &err) < 0)
		say("%s", err.message);
}

char *report_trace_read(const char *trace, const struct report_trace_options *o, size_t *size)
{
	char path[PATH_MAX], *data;
	struct stat st;

	snprintf(path, sizeof(path), "%s.json", trace);
	if (!stat(trace, &st) && S_ISREG(st.st_mode) && !st.st_size) {
		/* as text it would be a run in which nothing happened */
		say("%s: the file is empty", trace);
		return NULL;
	}
	data = read_kept(path, trace, size);
	if (data)
		return data;
	FILE *memory = fdopen(memfd_create("report", MFD_CLOEXEC), "r+");

	if (!memory) {
		say("%s: %s", trace, strerror(errno));
		return NULL;
	}
	if (!predict_for(fileno(memory), trace, o)) {
		rewind(memory);
		data = read_stream(memory, trace, size);
	}
	fclose(memory);
	if (data && o->keep)
		keep(path, data, *size);
	return data;
}
