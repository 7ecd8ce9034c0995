/* SPDX-License-Identifier: MIT */
/* Properties of the marks of a run. */
#include "report/bug.h"

static const struct bug_form form = {
	"property violated",
	{"norn/property", "Property", "Property violated",
	 "An execution exists whose marks are not as specified.",
	 "The code flow is that execution."},
};

static void put_block(struct text *t, const struct finding *f)
{
	for (size_t i = 0; i < f->witness.bug_events.n; i++) {
		uint32_t event = (uint32_t)f->witness.bug_events.at[i];
		const struct event *e = &t->story.index->events[event];

		output_text(t->out, "  mark ");
		text_put(t->out, story_object(&t->story, e));
		output_text(t->out, " by thread ");
		text_put(t->out, story_thread(&t->story, e->thread));
		output_text(t->out, ":\n");
		text_frame(t, event);
	}
	text_witness(t, &f->witness, "the marks are these, in this order");
}

const struct bug_report bug_report_property = {
	.forms = &form,
	.form_count = 1,
	.put_block = put_block,
};
