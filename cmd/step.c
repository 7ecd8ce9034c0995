/* SPDX-License-Identifier: MIT */
#include "cmd/step.h"

#include "base/spawn.h"

#include <unistd.h>

void step_init(struct step *s, const char *verb)
{
	*s = (struct step){0};
	if (readlink("/proc/self/exe", s->self, sizeof(s->self) - 1) < 0)
		s->self[0] = '\0';
	step_add(s, s->self);
	step_add(s, verb);
}

void step_add(struct step *s, const char *word)
{
	vec_push(&s->words, word);
}

void step_add_all(struct step *s, char *const *words)
{
	for (; *words; words++)
		step_add(s, *words);
}

void step_add_option(struct step *s, const char *option, const char *value)
{
	if (!value)
		return;
	step_add(s, option);
	step_add(s, value);
}

int step_run(struct step *s, struct err *err)
{
	step_add(s, NULL);
	int status = spawn_wait(s->words.at, err);

	vec_release(&s->words);
	return status;
}

int step_begin(struct step *s, struct err *err)
{
	step_add(s, NULL);
	int place = spawn_begin(s->words.at, err);

	vec_release(&s->words);
	return place;
}
