/* SPDX-License-Identifier: MIT */
/*
 * What Norn does inside, for people who work on it. NORN_LOG=solver:2,merge:1 prints what these
 * topics have to say up to that level, on standard error: 1 is a line for each question, 2 one
 * for each step of it. It is compiled in; a topic that is off costs a comparison.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/err.h"

#include <stdint.h>

#define LOG_TOPICS(row)                                                         \
	row(LOG_SAT, "sat") row(LOG_SOLVER, "solver") row(LOG_GREEDY, "greedy") \
		row(LOG_EXPLORE, "explore") row(LOG_MERGE, "merge") row(LOG_HUNT, "hunt")

enum log_topic {
#define LOG_TOPIC_NUMBER(number, name) number,
	LOG_TOPICS(LOG_TOPIC_NUMBER)
#undef LOG_TOPIC_NUMBER
		LOG_TOPIC_COUNT
};

#define LOG_LEVEL_MOST 2

extern uint8_t log_levels[LOG_TOPIC_COUNT];

/* TOPIC:LEVEL with commas between them; "all" is every topic. ERR_USAGE if it is not. */
int log_set(const char *text, struct err *err);

void log_print(enum log_topic topic, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The arguments are evaluated only if the line is printed. */
#define LOG(topic, level, ...)                                                             \
	(__builtin_expect(log_levels[topic] >= (level), 0) ? log_print(topic, __VA_ARGS__) \
							   : (void)0)

#endif
