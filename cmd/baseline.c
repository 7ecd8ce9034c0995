/* SPDX-License-Identifier: MIT */
#include "cmd/baseline.h"

#include "report/story.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef VEC(uint64_t) fingerprints;

static bool has(const fingerprints *all, uint64_t fingerprint)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i] == fingerprint)
			return true;
	return false;
}

static void read_baseline(FILE *file, fingerprints *all)
{
	unsigned long long fingerprint;

	while (fscanf(file, "%llx", &fingerprint) == 1)
		vec_push(all, fingerprint);
}

/* And if it is, it is in the baseline from now on. */
static bool is_news(fingerprints *all, FILE *file, uint64_t fingerprint)
{
	if (has(all, fingerprint))
		return false;
	vec_push(all, fingerprint);
	fprintf(file, "%016llx\n", (unsigned long long)fingerprint);
	return true;
}

static void mark(struct prediction *p, FILE *file, fingerprints *all)
{
	struct story s;

	story_init(&s, p);
	for (size_t i = 0; i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];

		story_turn_to(&s, f);
		finding_open(f);
		uint64_t fingerprint = story_fingerprint(&s, f);

		finding_close(f);
		f->suppressed |= !is_news(all, file, fingerprint);
	}
	for (size_t i = 0; i < p->seen.at.n; i++) {
		uint64_t fingerprint = seen_fingerprint(&p->seen.at.at[i]);

		p->seen.at.at[i].suppressed |= !is_news(all, file, fingerprint);
	}
	story_release(&s);
}

int baseline_mark(struct prediction *p, const char *path, struct err *err)
{
	fingerprints all = {0};
	FILE *file = fopen(path, "a+");

	if (!file)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	rewind(file);
	read_baseline(file, &all);
	mark(p, file, &all);
	vec_release(&all);
	if (fclose(file))
		return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	return 0;
}
