/* SPDX-License-Identifier: MIT */
#include "trace/format.h"

#include "trace/binary.h"
#include "trace/import.h"
#include "trace/text.h"

#include <string.h>

#define ALL (FORMAT_VALUES | FORMAT_BRANCHES)

const struct format formats[] = {
	{"binary", ".norn", "Norn's binary format", ALL, binary_probe, binary_open_source,
	 binary_open_sink, binary_open_unnamed},
	{"text", ".trace", "Norn's text format", ALL, text_probe, text_open_source, text_open_sink,
	 NULL},
	{"std", ".std", "STD, of RAPID and most research tools", 0, std_probe, std_open_source,
	 std_open_sink, NULL},
	{"rapid-csv", ".csv", "RAPID's CSV", 0, rapid_csv_probe, rapid_csv_open_source, NULL, NULL},
	{"roadrunner", ".rr", "RoadRunner's log", 0, roadrunner_probe, roadrunner_open_source, NULL,
	 NULL},
	{"focs", ".focs", "focs text", FORMAT_VALUES, focs_probe, focs_open_source, NULL, NULL},
};

const size_t format_count = sizeof(formats) / sizeof(*formats);

const struct format *format_by_name(const char *name)
{
	for (size_t i = 0; i < format_count; i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

const struct format *format_by_extension(const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < format_count; i++) {
		size_t tail = strlen(formats[i].extension);

		if (length > tail && !strcmp(path + length - tail, formats[i].extension))
			return &formats[i];
	}
	return NULL;
}

const struct format *format_by_content(const char *head, size_t size)
{
	const struct format *best = NULL;
	int best_score = 0;

	for (size_t i = 0; i < format_count; i++) {
		int score = formats[i].probe(head, size);

		if (score > best_score) {
			best = &formats[i];
			best_score = score;
		}
	}
	return best;
}
