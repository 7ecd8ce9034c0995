/* SPDX-License-Identifier: MIT */
/* What the verbs share: messages, the end of standard output, choices. */
#include "cmd/cmd.h"

#include "base/harmless.h"
#include "trace/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Messages quote the input, which may hold anything; a terminal should not obey it. */
static void put_line(const char *prefix, char *text)
{
	harmless_make(text);
	fprintf(stderr, "%s%s\n", prefix, text);
}

void say(const char *format, ...)
{
	char text[1200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_line("norn: ", text);
}

int say_failure(const struct err *err)
{
	struct err copy = *err;

	put_line(err->code == ERR_LIMIT ? "undecided: " : "norn: ", copy.message);
	return err_exit_status(err->code);
}

int say_if_cut(const struct reader *r, bool empty)
{
	const char *cut = reader_cut(r), *mended = reader_mended(r);

	if (mended)
		say("%s: %s", reader_name(r), mended);
	if (!cut)
		return 0;
	say("%s: %s", reader_name(r), cut);
	return empty ? EXIT_BAD_INPUT : 0;
}

void say_if_no_branches(const struct reader *r, enum model model)
{
	if (format_by_name(reader_format(r))->knows & FORMAT_BRANCHES || model == MODEL_MCM ||
	    model == MODEL_SAID)
		return;
	say("%s: %s has no branches, so model %s assumes that there are none; model mcm assumes "
	    "one after every read",
	    reader_name(r), reader_format(r), model_text[model]);
}

bool cmd_is_file(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode);
}

struct output *cmd_open_output(void)
{
	struct err err;

	return output_open("-", OUTPUT_IN_PLACE, &err);
}

int cmd_close_output(struct output *out, int status)
{
	struct err err = {0};

	return output_close(out, &err) < 0 ? say_failure(&err) : status;
}

bool cmd_choose_model(size_t i, struct option_choice *choice)
{
	if (i >= MODEL_COUNT)
		return false;
	*choice = (struct option_choice){model_text[i], model_help[i]};
	return true;
}

bool cmd_choose_format(size_t i, struct option_choice *choice)
{
	if (i >= format_count)
		return false;
	*choice = (struct option_choice){formats[i].name, formats[i].title};
	return true;
}
