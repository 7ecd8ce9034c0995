/* SPDX-License-Identifier: MIT */
/*
 * What the reports say of one kind of bug. Each kind has a file with one `struct bug_report`, and
 * a row of bug_reports; story.c, text.c, json.c and sarif.c do what is the same for all.
 */
#ifndef REPORT_BUG_H
#define REPORT_BUG_H

#include "report/sarif.h"
#include "report/text.h"

/* A kind may show in several forms: a race with a free is called a use after free. */
struct bug_form {
	const char *title; /* "data race" */
	struct sarif_rule rule;
};

struct bug_report {
	const struct bug_form *forms;
	uint32_t form_count;
	/* Which one it is; NULL: there is one. */
	uint32_t (*form)(const struct story *s, const struct finding *f);

	/* The events that reports show, added to events; NULL: those that the witness names. */
	void (*events)(const struct story *s, const struct finding *f, event_numbers *events);
	/* What else tells findings apart, in the fingerprint; NULL: nothing. */
	const char *(*key)(const struct story *s, const struct finding *f);
	/* What event i of these is in the fingerprint, in the story's memory; NULL: its place. */
	const char *(*part)(struct story *s, const struct finding *f, size_t i);
	/* A place is told once: in the fingerprint, and in the last line of a text. */
	bool places_once;

	/* The variable that it is about, which is told behind the title; NULL: there is none. */
	uint32_t (*variable)(const struct story *s, const struct finding *f);
	/* Text: what else follows the title, NULL: nothing; then the block itself. */
	void (*put_subject)(struct text *t, const struct finding *f);
	void (*put_block)(struct text *t, const struct finding *f);
	/* What is said if the recorded run had it, too; NULL: that is never known. */
	const char *seen;

	/* JSON: members of its own, before and behind those of `events`; NULL: none. */
	void (*put_before)(struct story *s, struct json *json, const struct finding *f);
	void (*put_behind)(struct story *s, struct json *json, const struct finding *f);

	/* What there is to say beyond that, in the story's memory; NULL: nothing. */
	const char *(*note)(struct story *s, const struct finding *f);

	/* SARIF: what the message says of the events; NULL: what each is, and where. */
	void (*append)(struct sarif *s, const struct finding *f, const event_numbers *events,
		       characters *text);
	/* Related locations beside those that all kinds have; NULL: none. */
	void (*put_related)(struct sarif *s, const struct finding *f, uint64_t *id);
};

extern const struct bug_report bug_report_race, bug_report_deadlock, bug_report_stuck,
	bug_report_property, bug_report_atomicity;

const struct bug_report *bug_report_of(const struct finding *f);
const struct bug_form *bug_form_of(const struct story *s, const struct finding *f);
/* The name of its variable; NULL: it is about none. */
const char *bug_variable_of(const struct story *s, const struct finding *f);

/* The forms of all kinds in a row; NULL: there are no more. */
const struct bug_form *bug_form_at(size_t i);
/* The place of a form in that row. */
size_t bug_form_number(const struct bug_form *form);

#endif
