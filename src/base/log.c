/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include "base/strbuf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const topic_names[LOG_TOPIC_COUNT] = {
#define LOG_TOPIC_NAME(number, name) [number] = name,
	LOG_TOPICS(LOG_TOPIC_NAME)
#undef LOG_TOPIC_NAME
};

uint8_t log_levels[LOG_TOPIC_COUNT];

static int no_topic(const char *name, size_t length, struct err *err)
{
	char names[200];
	struct strbuf list = STRBUF(names);

	strbuf_add(&list, "all");
	for (int t = 0; t < LOG_TOPIC_COUNT; t++)
		strbuf_add(&list, ", %s", topic_names[t]);
	return err_set(err, ERR_USAGE, "NORN_LOG: no topic \"%.*s\"; there are %s",
		       (int)(length < 60 ? length : 60), name, names);
}

static int set_topic(const char *text, size_t length, struct err *err)
{
	const char *colon = memchr(text, ':', length);
	size_t name = colon ? (size_t)(colon - text) : length;
	bool all = name == 3 && !memcmp(text, "all", 3), found = all;

	if (name + 2 != length || text[name + 1] < '0' || text[name + 1] > '0' + LOG_LEVEL_MOST)
		return err_set(err, ERR_USAGE,
			       "NORN_LOG: \"%.*s\" is not TOPIC:LEVEL, levels 0 to %d",
			       (int)(length < 60 ? length : 60), text, LOG_LEVEL_MOST);
	for (int t = 0; t < LOG_TOPIC_COUNT; t++) {
		if (!all && (strlen(topic_names[t]) != name || memcmp(topic_names[t], text, name)))
			continue;
		log_levels[t] = (uint8_t)(text[name + 1] - '0');
		found = true;
	}
	return found ? 0 : no_topic(text, name, err);
}

int log_set(const char *text, struct err *err)
{
	while (*text) {
		size_t length = strcspn(text, ",");

		if (set_topic(text, length, err) < 0)
			return err->code;
		text += length + (text[length] == ',');
	}
	return 0;
}

/* One write for a line: the processes that search write at the same time. */
void log_print(enum log_topic topic, const char *format, ...)
{
	char line[400];
	int n = snprintf(line, sizeof(line), "norn: %s: ", topic_names[topic]);
	va_list list;

	va_start(list, format);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n, format, list);
	va_end(list);
	if (n > (int)sizeof(line) - 1)
		n = (int)sizeof(line) - 1;
	line[n++] = '\n';
	ssize_t written = write(STDERR_FILENO, line, (size_t)n);

	(void)written;
}
