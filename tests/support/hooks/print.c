/* SPDX-License-Identifier: MIT */
/* Prints events as text to the file that NORN_PRINT names. */
#include "tests/support/hooks/hooks.h"

#include "runtime/hooks.h"

#include <stdio.h>
#include <stdlib.h>

static FILE *out;

void observe_start(void)
{
	out = getenv("NORN_PRINT") ? fopen(getenv("NORN_PRINT"), "w") : NULL;
}

void observe_before(uint64_t position, void *p, unsigned size)
{
	(void)position, (void)p, (void)size;
}

/* WORD NAME @FUNCTION:LINE [order=N] [reads= or any] [at] [= EXPRESSION] */
static void print(const char *word, uint32_t number, const uint64_t *depends)
{
	const struct site *site = hooks_site(number);
	fprintf(out, "%s", word);
	if (site->name)
		fprintf(out, " %s", hooks_text(number, site->name));
	fprintf(out, " @%s:%u", hooks_text(number, site->function), site->line);
	if (site->order)
		fprintf(out, " order=%u", site->order);
	if (site->kind != SITE_READ && site->kind != SITE_STACK) {
		fprintf(out, site->flags & SITE_EXACT ? " reads=" : " any");
		for (unsigned i = 0; i < site->values; i++)
			if (depends[i])
				fprintf(out, "%s%s%llu", i ? "," : "",
					depends[i] & NORN_HERE ? "!" : "",
					(unsigned long long)(depends[i] & ~NORN_HERE));
	}
	for (unsigned i = site->values; i < site->values + site->addresses; i++)
		if (depends[i])
			fprintf(out, " at=%llu", (unsigned long long)depends[i]);
	if (site->expression)
		fprintf(out, " = %s", hooks_text(number, site->expression));
	fprintf(out, "\n");
}

static const char *word_of(const struct event *event)
{
	/* "fixed" has no site, and is not asked for */
	static const char *const words[] = {
		"read",	     "write", "rmw",   "swap",	    "branch", "read-range", "write-range",
		"copy-from", "fill",  "stack", "stack-end", "value",  "fixed"};
	const struct site *site = hooks_site(event->site);
	if (event->what == WHAT_BRANCH && site->kind == SITE_PIN)
		return "pin";
	if (event->what == WHAT_BRANCH && site->kind == SITE_CALL)
		return "call";
	if (event->what == WHAT_READ && site->order)
		return "load";
	if (event->what == WHAT_WRITE && site->order)
		return "store";
	return words[event->what];
}

void observe(const struct event *event)
{
	char word[40];
	if (!out)
		return;
	if (event->what == WHAT_FIXED) {
		fprintf(out, "%llu fixed %lld\n", (unsigned long long)event->position,
			(long long)event->read);
		return;
	}
	if (event->position)
		snprintf(word, sizeof(word), "%llu %s", (unsigned long long)event->position,
			 word_of(event));
	else
		snprintf(word, sizeof(word), "%s", word_of(event));
	print(word, event->site, event->depends);
	if (event->what == WHAT_COPY)
		print("copy-to", event->second, event->depends);
	fflush(out);
}
