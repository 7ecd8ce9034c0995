/* SPDX-License-Identifier: MIT */
#include "report/merged.h"

#include "report/report.h"
#include "trace/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const merged_state_text[] = {
	[STATE_NONE] = "", [STATE_NEW] = "new", [STATE_KNOWN] = "known"};

/* The best first. */
static const char *const verdicts[] = {"seen", "confirmed", "certified", "conditional"};

static size_t rank_of(const struct merged_finding *f)
{
	size_t i = 0;

	while (i < sizeof(verdicts) / sizeof(*verdicts) && strcmp(verdicts[i], merged_verdict(f)))
		i++;
	return i;
}

const char *merged_verdict(const struct merged_finding *f)
{
	return f->seen ? "seen" : json_text(f->node, "verdict");
}

bool merged_complete(const struct merged *m)
{
	for (size_t i = 0; i < m->sources.n; i++)
		if (!json_true(m->sources.at[i].root, "complete"))
			return false;
	return true;
}

bool merged_counts(const struct merged_finding *f)
{
	return !f->suppressed && f->state != STATE_KNOWN &&
	       strcmp(merged_verdict(f), "conditional") != 0;
}

bool merged_has(const struct merged_finding *f, uint32_t source)
{
	for (size_t i = 0; i < f->sources.n; i++)
		if (f->sources.at[i] == source)
			return true;
	return false;
}

/* Reading */

static const struct json_node *parse_report(struct merged *m, const char *data, size_t size,
					    struct err *err)
{
	const struct json_node *root = json_parse(&m->text, data, size, err);

	if (!root)
		return NULL;
	if (strcmp(json_text(root, "format"), "norn-report") != 0) {
		err_set(err, ERR_INPUT, "not a report of norn predict --json");
		return NULL;
	}
	uint64_t version = json_number(root, "version");

	if (version == 2 || version == 3)
		return root;
	err_set(err, ERR_INPUT, "a report of version %llu; this Norn reads 2 and 3: predict again",
		(unsigned long long)version);
	return NULL;
}

/* A fingerprint is 16 digits, or the report is somebody else's. */
static bool is_fingerprint(const char *text)
{
	return strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16;
}

static int check_list(const struct json_node *list, struct err *err)
{
	for (const struct json_node *n = json_first(list); n; n = n->next)
		if (!is_fingerprint(json_text(n, "fingerprint")))
			return err_set(err, ERR_INPUT,
				       "a report with a finding without a fingerprint");
	return 0;
}

/* A report that was added: itself, or of a merged one those that it was made of. */
struct added {
	uint32_t first; /* source */
	struct intern names;
	VEC(uint32_t) numbers; /* of a name, its source */
};

static void add_source(struct merged *m, const char *name, const struct json_node *root)
{
	struct merged_source source = {arena_copy(&m->text, name, strlen(name) + 1), root};

	vec_push(&m->sources, source);
}

static void add_sources(struct merged *m, const char *name, const struct json_node *root,
			struct added *added)
{
	const struct json_node *reports = json_first(json_member(root, "reports"));

	added->first = (uint32_t)m->sources.n;
	for (const struct json_node *n = reports; n; n = n->next) {
		const char *inner = json_text(n, "name");

		if (intern_add(&added->names, inner, strlen(inner)) == added->numbers.n)
			vec_push(&added->numbers, (uint32_t)m->sources.n);
		add_source(m, inner, n);
	}
	if (!reports)
		add_source(m, name ? name : json_text(root, "trace"), root);
}

static void add_to(struct merged_finding *f, uint32_t source)
{
	if (!merged_has(f, source))
		vec_push(&f->sources, source);
}

static void name_sources(struct merged_finding *f, const struct json_node *node,
			 const struct added *added)
{
	const struct json_node *names = json_first(json_member(node, "reports"));
	bool named = false;

	for (const struct json_node *n = names; n; n = n->next) {
		const char *name = n->kind == JSON_STRING ? n->text : "";
		uint32_t number = intern_find(&added->names, name, strlen(name));

		if (number == INTERN_NONE)
			continue;
		add_to(f, added->numbers.at[number]);
		named = true;
	}
	if (!named)
		add_to(f, added->first);
}

static void add_finding(struct merged *m, const struct json_node *node, bool seen,
			const struct added *added)
{
	struct merged_finding fresh = {.node = node, .seen = seen, .best = added->first};
	const char *fingerprint = json_text(node, "fingerprint");
	uint32_t number = intern_add(&m->fingerprints, fingerprint, strlen(fingerprint));

	fresh.suppressed = json_true(node, "suppressed");
	if (number == m->findings.n)
		vec_push(&m->findings, fresh);
	struct merged_finding *f = &m->findings.at[number];

	f->suppressed &= fresh.suppressed;
	if (rank_of(&fresh) < rank_of(f)) {
		f->node = node;
		f->seen = seen;
		f->best = added->first;
	}
	name_sources(f, node, added);
}

static void add_list(struct merged *m, const struct json_node *list, bool seen,
		     const struct added *added)
{
	for (const struct json_node *n = json_first(list); n; n = n->next)
		add_finding(m, n, seen, added);
}

int merged_add(struct merged *m, const char *name, const char *data, size_t size, struct err *err)
{
	const struct json_node *root = parse_report(m, data, size, err);
	struct added added = {0};

	if (!root || check_list(json_member(root, "seen"), err) < 0 ||
	    check_list(json_member(root, "findings"), err) < 0)
		return err->code;
	add_sources(m, name, root, &added);
	add_list(m, json_member(root, "seen"), true, &added);
	add_list(m, json_member(root, "findings"), false, &added);
	intern_release(&added.names);
	vec_release(&added.numbers);
	return 0;
}

static void mark_known(struct merged *m, const struct json_node *list)
{
	for (const struct json_node *n = json_first(list); n; n = n->next) {
		const char *fingerprint = json_text(n, "fingerprint");
		uint32_t number = intern_find(&m->fingerprints, fingerprint, strlen(fingerprint));

		if (number == INTERN_NONE)
			vec_push(&m->gone, n);
		else
			m->findings.at[number].state = STATE_KNOWN;
	}
}

/* New findings, in a list for each likeness. */
struct alike {
	struct intern likenesses;
	VEC(uint32_t) first; /* of a likeness; findings count from 1, 0 ends a list */
	VEC(uint32_t) next;  /* of a finding */
};

static void list_new(const struct merged *m, struct alike *a)
{
	vec_extend(&a->next, m->findings.n);
	for (size_t i = m->findings.n; i-- > 0;) {
		const char *likeness = json_text(m->findings.at[i].node, "likeness");

		if (m->findings.at[i].state == STATE_KNOWN || !*likeness)
			continue;
		uint32_t number = intern_add(&a->likenesses, likeness, strlen(likeness));

		vec_extend(&a->first, (size_t)number + 1);
		a->next.at[i] = a->first.at[number];
		a->first.at[number] = (uint32_t)i + 1;
	}
}

/* Each that seems to be gone and is like one that seems to be new is that one: its lines moved. */
static void mark_moved(struct merged *m)
{
	struct alike a = {0};
	size_t gone = 0;

	list_new(m, &a);
	for (size_t i = 0; i < m->gone.n; i++) {
		const struct json_node *n = m->gone.at[i];
		const char *likeness = json_text(n, "likeness");
		uint32_t number = intern_find(&a.likenesses, likeness, strlen(likeness));
		uint32_t finding = number == INTERN_NONE ? 0 : a.first.at[number];

		if (finding) {
			m->findings.at[finding - 1].state = STATE_KNOWN;
			a.first.at[number] = a.next.at[finding - 1];
		} else {
			m->gone.at[gone++] = n;
		}
	}
	m->gone.n = gone;
	vec_release(&a.first);
	vec_release(&a.next);
	intern_release(&a.likenesses);
}

int merged_compare(struct merged *m, const char *data, size_t size, struct err *err)
{
	const struct json_node *root = parse_report(m, data, size, err);

	if (!root)
		return err->code;
	m->compared = true;
	for (size_t i = 0; i < m->findings.n; i++)
		m->findings.at[i].state = STATE_NEW;
	mark_known(m, json_member(root, "seen"));
	mark_known(m, json_member(root, "findings"));
	mark_moved(m);
	return 0;
}

/* By what they are worth, else as they came. */
static int compare_findings(const void *a, const void *b)
{
	const struct merged_finding *x = a, *y = b;
	size_t rank_x = rank_of(x), rank_y = rank_of(y);

	if (x->suppressed != y->suppressed)
		return x->suppressed - y->suppressed;
	if (x->state != y->state)
		return x->state < y->state ? -1 : 1;
	if (rank_x != rank_y)
		return rank_x < rank_y ? -1 : 1;
	return strcmp(json_text(x->node, "fingerprint"), json_text(y->node, "fingerprint"));
}

void merged_end(struct merged *m)
{
	/* one report has its own order */
	if (m->findings.n && (m->sources.n > 1 || m->compared))
		qsort(m->findings.at, m->findings.n, sizeof(*m->findings.at), compare_findings);
}

void merged_release(struct merged *m)
{
	for (size_t i = 0; i < m->findings.n; i++)
		vec_release(&m->findings.at[i].sources);
	vec_release(&m->findings);
	vec_release(&m->sources);
	vec_release(&m->gone);
	intern_release(&m->fingerprints);
	arena_release(&m->text);
}

/* Words */

void merged_append(merged_text *text, const char *more)
{
	for (; *more; more++)
		vec_push(text, *more);
}

void merged_append_place(merged_text *text, const char *root, struct merged_place place)
{
	char line[24];

	if (!*place.file)
		return;
	merged_append(text, " at ");
	merged_append(text, report_file(root, place.file));
	snprintf(line, sizeof(line), ":%llu", (unsigned long long)place.line);
	merged_append(text, place.line ? line : "");
}

const struct json_node *merged_events(const struct merged_finding *f)
{
	return json_first(json_member(f->node, f->seen ? "steps" : "events"));
}

struct merged_place merged_place_of(const struct json_node *event)
{
	const struct json_node *location = json_member(event, "location");

	return (struct merged_place){json_text(location, "file"), json_number(location, "line"),
				     json_number(location, "column"),
				     json_text(location, "function")};
}

const struct json_node *merged_callers(const struct json_node *event)
{
	return json_first(json_member(json_member(event, "location"), "callers"));
}

struct merged_place merged_place_of_caller(const struct json_node *caller, merged_text *text)
{
	struct location l = location_split(caller->kind == JSON_STRING ? caller->text : "");

	text->n = 0;
	for (size_t i = 0; i < l.file_length; i++)
		vec_push(text, l.file[i]);
	vec_push(text, '\0');
	return (struct merged_place){text->at, l.line, l.column, l.function ? l.function : ""};
}

struct merged_place merged_place_of_finding(const struct merged_finding *f)
{
	struct merged_place place = {.file = "", .function = ""};

	for (const struct json_node *n = merged_events(f); n && !*place.file; n = n->next)
		place = merged_place_of(n);
	return place;
}

void merged_rule(const struct merged_finding *f, merged_text *text)
{
	text->n = 0;
	if (*json_text(f->node, "rule")) {
		merged_append(text, json_text(f->node, "rule"));
	} else {
		merged_append(text, f->seen ? "norn/seen-" : "norn/");
		merged_append(text, json_text(f->node, f->seen ? "kind" : "bug"));
	}
	vec_push(text, '\0');
}

void merged_title(const struct merged_finding *f, merged_text *text)
{
	text->n = 0;
	merged_append(text, json_text(f->node, "title"));
	if (*json_text(f->node, "variable")) {
		merged_append(text, " on ");
		merged_append(text, json_text(f->node, "variable"));
	}
	vec_push(text, '\0');
}

static void put_thread(merged_text *text, const struct json_node *event)
{
	const char *name = json_text(event, "thread_name");

	merged_append(text, name);
	merged_append(text, *name ? " (" : "");
	merged_append(text, json_text(event, "thread"));
	merged_append(text, *name ? ")" : "");
}

void merged_describe(const struct json_node *event, merged_text *text)
{
	const struct json_node *variable = json_first(json_member(event, "variables"));
	const char *object = variable ? json_text(variable, "name") : json_text(event, "object");

	text->n = 0;
	if (*json_text(event, "text")) {
		merged_append(text, json_text(event, "text"));
	} else {
		merged_append(text, json_text(event, "op"));
		merged_append(text, *object ? " of " : "");
		merged_append(text, object);
		merged_append(text, " by thread ");
		put_thread(text, event);
	}
	vec_push(text, '\0');
}
