/* SPDX-License-Identifier: MIT */
#include "report/bug.h"

/* No bug: where a hunt leaves a run. */
static const struct bug_report bug_report_choice;

static const struct bug_report *const bug_reports[] = {
	[BUG_RACE] = &bug_report_race,		 [BUG_DEADLOCK] = &bug_report_deadlock,
	[BUG_STUCK] = &bug_report_stuck,	 [BUG_PROPERTY] = &bug_report_property,
	[BUG_ATOMICITY] = &bug_report_atomicity, [BUG_CHOICE] = &bug_report_choice,
};
BUG_ROWS_ARE_ALL(bug_reports);

const struct bug_report *bug_report_of(const struct finding *f)
{
	return bug_reports[f->witness.bug];
}

const struct bug_form *bug_form_of(const struct story *s, const struct finding *f)
{
	const struct bug_report *bug = bug_report_of(f);

	return &bug->forms[bug->form ? bug->form(s, f) : 0];
}

const char *bug_variable_of(const struct story *s, const struct finding *f)
{
	const struct bug_report *bug = bug_report_of(f);

	return bug->variable ? symbols_name(s->symbols, CLASS_VARIABLE, bug->variable(s, f)) : NULL;
}

const struct bug_form *bug_form_at(size_t i)
{
	for (int bug = 0; bug < BUG_COUNT; bug++) {
		if (i < bug_reports[bug]->form_count)
			return &bug_reports[bug]->forms[i];
		i -= bug_reports[bug]->form_count;
	}
	return NULL;
}

size_t bug_form_number(const struct bug_form *form)
{
	size_t i = 0;

	while (bug_form_at(i) != form)
		i++;
	return i;
}
