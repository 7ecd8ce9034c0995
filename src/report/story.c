/* SPDX-License-Identifier: MIT */
#include "report/story.h"

#include "model/depends.h"
#include "predict/fingerprint.h"
#include "report/bug.h"

#include <stdio.h>
#include <string.h>

void story_init(struct story *s, const struct prediction *p)
{
	*s = (struct story){.prediction = p};
	story_turn_to(s, NULL);
}

void story_turn_to(struct story *s, const struct finding *f)
{
	s->index = f && f->evidence ? f->evidence->index : s->prediction->index;
	s->symbols = s->index->symbols;
	s->sections = sections_of(s->index);
	if (s->callers.index == s->index)
		return;
	callers_release(&s->callers);
	callers_init(&s->callers, s->index);
	mem_free(s->threads);
	s->threads = mem_alloc_zero(s->index->thread_count + 1, sizeof(*s->threads));
}

void story_release(struct story *s)
{
	callers_release(&s->callers);
	mem_free(s->threads);
	arena_release(&s->names);
	arena_release(&s->text);
}

static const char *keep(struct story *s, const char *text, size_t length)
{
	char *copy = arena_alloc(&s->text, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

/* Objects */

/* What a thread does to the object; NULL where the name of the kind will do. */
static const char *const verbs[EV_COUNT] = {
	[EV_FORK] = "starts",
	[EV_END] = "ends",
	[EV_JOIN] = "joins",
	[EV_READ] = "reads",
	[EV_WRITE] = "writes",
	[EV_RMW] = "updates",
	[EV_ACQUIRE] = "takes",
	[EV_RELEASE] = "releases",
	[EV_ACQUIRE_SHARED] = "takes (shared)",
	[EV_RELEASE_SHARED] = "releases (shared)",
	[EV_TRY_FAIL] = "finds taken",
	[EV_WAIT] = "waits on",
	[EV_WOKEN] = "is woken on",
	[EV_SIGNAL] = "signals",
	[EV_BROADCAST] = "broadcasts",
	[EV_BARRIER_ENTER] = "enters",
	[EV_BARRIER_EXIT] = "leaves",
	[EV_SEM_POST] = "posts",
	[EV_SEM_WAIT] = "takes one of",
	[EV_SEM_FAIL] = "finds at 0",
	[EV_ONCE_BEGIN] = "begins once",
	[EV_ONCE_END] = "ends once",
	[EV_ONCE_PASS] = "passes once",
	[EV_ALLOC] = "allocates",
	[EV_FREE] = "frees",
	[EV_MARK] = "marks",
};

const char *story_verb(const struct event *e)
{
	return verbs[e->kind] ? verbs[e->kind] : event_kind_text[e->kind];
}

const char *story_thread(const struct story *s, uint32_t thread)
{
	return symbols_name(s->symbols, CLASS_THREAD, thread);
}

static void name_thread(struct story *s, uint32_t thread)
{
	const char *id = story_thread(s, thread), *given = symbols_given_name(s->symbols, id);

	s->threads[thread].who = id;
	s->threads[thread].given = given;
	if (!given)
		return;
	size_t size = strlen(id) + strlen(given) + 4;
	char *who = arena_alloc(&s->names, size);

	snprintf(who, size, "%s (%s)", given, id);
	s->threads[thread].who = who;
}

const char *story_who(struct story *s, uint32_t thread)
{
	if (!s->threads[thread].who)
		name_thread(s, thread);
	return s->threads[thread].who;
}

void story_put_thread(struct story *s, struct json *json, const char *key, uint32_t thread)
{
	char named[40];

	json_string(json, key, story_thread(s, thread));
	story_who(s, thread);
	if (!s->threads[thread].given)
		return;
	snprintf(named, sizeof(named), "%s_name", key);
	json_string(json, named, s->threads[thread].given);
}

const char *story_object(const struct story *s, const struct event *e)
{
	enum object_class class = event_kind_class[e->kind];

	return class == CLASS_NONE ? "" : symbols_name(s->symbols, class, e->object);
}

uint32_t story_allocation(const struct story *s, uint32_t variable, uint32_t event)
{
	const struct variable *v = symbols_variable(s->symbols, variable);
	const struct index_list *uses = &s->index->uses[CLASS_VARIABLE][variable];

	if (!(v->flags & VARIABLE_MEMORY) ||
	    strncmp(intern_text(&s->symbols->bases, v->base), "heap:", 5) != 0)
		return 0;
	for (uint32_t i = index_place(uses, event); i-- > 0;)
		if (s->index->events[uses->events[i]].kind == EV_ALLOC)
			return uses->events[i];
	return 0;
}

/* Places */

/* As src/order names what has no location. */
static const char *without_location(struct story *s, const struct event *e)
{
	const char *thread = story_thread(s, e->thread), *kind = event_kind_text[e->kind];
	const char *object = story_object(s, e);
	size_t size = strlen(thread) + strlen(kind) + strlen(object) + 3;
	char *text = arena_alloc(&s->text, size);

	snprintf(text, size, "%s %s%s%s", thread, kind, *object ? " " : "", object);
	return text;
}

struct place story_place_of(struct story *s, const char *location)
{
	struct location l = location_split(location);

	return (struct place){.text = location,
			      .file = keep(s, l.file, l.file_length),
			      .line = l.line,
			      .column = l.column,
			      .function = l.function};
}

struct place story_place(struct story *s, uint32_t event)
{
	const struct event *e = &s->index->events[event];

	if (!e->location)
		return (struct place){.event = event, .text = without_location(s, e)};
	struct place place = story_place_of(s, intern_text(&s->symbols->locations, e->location));

	place.event = event;
	return place;
}

const char *story_line(struct story *s, uint32_t event)
{
	struct place place = story_place(s, event);
	size_t size = 40 + (place.file ? strlen(place.file) : 0);
	char *text = arena_alloc(&s->text, size);

	if (!place.file)
		snprintf(text, size, "event %u", event);
	else if (!place.line)
		snprintf(text, size, "%s", place.file);
	else
		snprintf(text, size, "%s:%u", place.file, place.line);
	return text;
}

/* Locks */

void story_held(const struct story *s, uint32_t event, story_locks *held)
{
	uint32_t thread = s->index->events[event].thread;
	const struct section *at = NULL;

	held->n = 0;
	while ((at = sections_next(s->sections, thread, event, at))) {
		struct story_lock lock = {at->lock, at->acquire, at->shared};

		vec_push(held, lock);
	}
	/* the last one came first */
	for (size_t i = 0; i < held->n / 2; i++) {
		struct story_lock swapped = held->at[i];

		held->at[i] = held->at[held->n - 1 - i];
		held->at[held->n - 1 - i] = swapped;
	}
}

/* Findings */

void story_events(const struct story *s, const struct finding *f, event_numbers *events)
{
	events->n = 0;
	if (bug_report_of(f)->events)
		bug_report_of(f)->events(s, f, events);
	else
		for (size_t i = 0; i < f->witness.bug_events.n; i++)
			vec_push(events, (uint32_t)f->witness.bug_events.at[i]);
}

static const char *next_meta(const struct story *s, size_t *at, const char *key, const char * or)
{
	while (*at < s->symbols->metas.n) {
		const struct meta *meta = &s->symbols->metas.at[(*at)++];

		if (!strcmp(meta->key, key) || !strcmp(meta->key, or))
			return meta->value;
	}
	return NULL;
}

const char *story_unknown(const struct story *s, size_t *at)
{
	return next_meta(s, at, "unknown-function", "");
}

const char *story_relies_on(const struct story *s, size_t *at)
{
	return next_meta(s, at, "unknown-function", META_RELIES_ON);
}

static const char *name_of_read(const struct story *s, uint32_t read)
{
	return symbols_name(s->symbols, CLASS_VARIABLE, s->index->events[read].object);
}

static bool names_others(const struct depends *d)
{
	for (size_t i = 1; i < d->named.n; i++)
		if (d->named.at[i] != d->named.at[0])
			return true;
	return false;
}

const char *story_unfollowed(struct story *s, uint32_t event)
{
	const struct event *e = &s->index->events[event];
	const char *what = e->kind == EV_BRANCH ? "a condition, a call or an address"
						: "the value that is written";

	if (!event_is(e, EV_DEPENDS))
		return "in this model a read decides all that its thread does behind it";
	struct depends depends = {0};

	depends_of(e, &depends);
	uint32_t read = depends.named.n ? depends.named.at[0] : 0;
	const char *name = read ? name_of_read(s, read) : "";
	size_t room = strlen(what) + strlen(name) + 100;
	char *text = arena_alloc(&s->text, room);

	if (read)
		snprintf(text, room, "%s: from the read of %s%s (event %u), it is not known how",
			 what, name, names_others(&depends) ? " and others" : "", read);
	else
		snprintf(text, room, "%s: it is not known which reads before it are behind it",
			 what);
	vec_release(&depends.named);
	return text;
}

uint64_t story_fingerprint(struct story *s, const struct finding *f)
{
	event_numbers events = {0};
	VEC(const char *) texts = {0};
	const struct bug_report *bug = bug_report_of(f);

	if (bug->key)
		vec_push(&texts, bug->key(s, f));
	story_events(s, f, &events);
	for (size_t i = 0; i < events.n; i++)
		vec_push(&texts,
			 bug->part ? bug->part(s, f, i) : story_place(s, events.at[i]).text);
	uint64_t fingerprint =
		fingerprint_of(bug_kind_text[f->witness.bug], texts.at, texts.n, bug->places_once);

	vec_release(&texts);
	vec_release(&events);
	return fingerprint;
}

uint64_t story_likeness(struct story *s, const struct finding *f)
{
	event_numbers events = {0};
	VEC(const char *) texts = {0};
	const struct bug_report *bug = bug_report_of(f);

	if (bug->key)
		vec_push(&texts, bug->key(s, f));
	story_events(s, f, &events);
	for (size_t i = 0; i < events.n; i++) {
		const struct event *e = &s->index->events[events.at[i]];
		const char *location =
			e->location ? intern_text(&s->symbols->locations, e->location) : NULL;

		vec_push(&texts, fingerprint_likeness(&s->text, location, event_kind_text[e->kind],
						      story_object(s, e)));
	}
	uint64_t likeness =
		fingerprint_of(bug_kind_text[f->witness.bug], texts.at, texts.n, bug->places_once);

	vec_release(&texts);
	vec_release(&events);
	return likeness;
}

/* Counts */

const char *story_lost(const struct prediction *p, size_t i)
{
	return symbols_meta(p->index->symbols, META_STOPPED_BY, i);
}

uint64_t story_kept(const struct prediction *p)
{
	const struct symbols *symbols = p->index->symbols;
	uint64_t kept = 0;

	for (uint32_t i = 0; i < symbols_count(symbols, CLASS_ONCE); i++)
		kept += symbols_is_order(symbols, i);
	return kept;
}

struct counts story_counts(const struct prediction *p, enum bug_kind bug)
{
	struct counts c = {0};

	for (int kind = 0; kind < BUG_COUNT; kind++) {
		if (bug != BUG_COUNT && kind != (int)bug)
			continue;
		c.signatures += p->kinds[kind].signatures;
		c.refuted += p->kinds[kind].refuted;
	}
	for (size_t i = 0; i < p->findings.n; i++) {
		if (bug != BUG_COUNT && p->findings.at[i].witness.bug != bug)
			continue;
		if (finding_verdict(&p->findings.at[i]) == VERDICT_CONDITIONAL) {
			c.conditional++;
			continue;
		}
		c.proved++;
		c.suppressed += p->findings.at[i].suppressed;
	}
	c.undecided = c.conditional;
	for (size_t i = 0; i < p->undecided.n; i++)
		c.undecided += bug == BUG_COUNT || p->undecided.at[i].bug == bug;
	for (size_t i = 0; i < p->held.n; i++)
		c.held += bug == BUG_COUNT || p->held.at[i].witness.bug == bug;
	uint64_t seen = c.proved + c.refuted + c.undecided;

	c.shown = c.proved - c.suppressed;
	c.unseen = c.signatures > seen ? c.signatures - seen : 0;
	c.complete = !p->interrupted && !c.undecided && !c.unseen &&
		     !reader_cut(p->index->reader) && !story_lost(p, 0);
	return c;
}
