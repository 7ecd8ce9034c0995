/* SPDX-License-Identifier: MIT */
/* Scopes of branches: what may stand in them, so that a thread can skip it (doc/model.md). */
#include "trace/check_parts.h"

static const struct check_scope *innermost(const struct check_thread *t)
{
	return &t->scopes.at[t->scopes.n - 1];
}

/* A lock that is taken in a scope is left in it: what a thread holds behind it is always the same.
 */
static int close_scopes(const struct here *h, struct check_thread *t)
{
	for (; t->scopes.n && innermost(t)->end == t->events; t->scopes.n--)
		for (size_t i = 0; i < t->arm_holds.n; i++)
			if (t->arm_holds.at[i].depth == t->scopes.n)
				return fail(h,
					    "the scope of event %llu ends before it with %s held",
					    (unsigned long long)innermost(t)->branch,
					    name_of(h->c, CLASS_LOCK, t->arm_holds.at[i].lock));
	return 0;
}

static int drop_hold(const struct here *h, struct check_thread *t)
{
	for (size_t i = t->arm_holds.n; i-- > 0;)
		if (t->arm_holds.at[i].lock == h->e->object &&
		    t->arm_holds.at[i].depth == t->scopes.n) {
			t->arm_holds.at[i] = t->arm_holds.at[--t->arm_holds.n];
			return 0;
		}
	return fail(h, "%s was taken outside of the scope of event %llu", OBJECT(h),
		    (unsigned long long)innermost(t)->branch);
}

static int check_in_scope(const struct here *h, struct check_thread *t)
{
	struct scope_hold hold = {h->e->object, (uint32_t)t->scopes.n};

	if (!event_is(h->e, EV_ARM))
		return fail(h, "it stands in the scope of event %llu, which has no %s",
			    (unsigned long long)innermost(t)->branch, event_kind_text[h->e->kind]);
	if (h->e->kind == EV_ACQUIRE || h->e->kind == EV_ACQUIRE_SHARED)
		vec_push(&t->arm_holds, hold);
	if (h->e->kind == EV_RELEASE || h->e->kind == EV_RELEASE_SHARED)
		return drop_hold(h, t);
	return 0;
}

int check_scopes(const struct here *h, struct check_thread *t)
{
	struct check_scope scope = {h->number, t->events + 1 + event_scope(h->e)};
	int code = close_scopes(h, t);

	if (!code && t->scopes.n)
		code = check_in_scope(h, t);
	if (code || !event_scope(h->e))
		return code;
	if (t->scopes.n && scope.end > innermost(t)->end)
		return fail(h, "its scope ends after that of event %llu, in which it stands",
			    (unsigned long long)innermost(t)->branch);
	vec_push(&t->scopes, scope);
	return 0;
}
