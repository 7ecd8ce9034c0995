/* SPDX-License-Identifier: MIT */
#include "cmd/trace_file.h"

int trace_file_init(struct trace_file *s, const char *path, struct err *err)
{
	*s = (struct trace_file){.path = path};
	if (cmd_is_file(path))
		return 0;
	s->kept = input_open(path, err);
	if (!s->kept || input_make_seekable(s->kept, err) < 0)
		return err->code;
	return 0;
}

void trace_file_release(struct trace_file *s)
{
	input_close(s->kept);
	s->kept = NULL;
}

static struct input *open_again(const struct trace_file *s, struct err *err)
{
	return s->kept ? input_again(s->kept, err) : input_open(s->path, err);
}

struct reader *trace_file_open(const struct trace_file *s, struct err *err)
{
	struct input *in = open_again(s, err);

	return in ? reader_open_input(in, NULL, err) : NULL;
}

struct reader *trace_file_open_unnamed(const struct trace_file *s, struct err *err)
{
	struct input *in = open_again(s, err);

	return in ? reader_open_input_unnamed(in, NULL, err) : NULL;
}
