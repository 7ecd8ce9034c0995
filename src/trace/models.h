/* The models of doc/model.md, and the kinds of bug. */
#ifndef TRACE_MODELS_H
#define TRACE_MODELS_H

/* clang-format off */
#define MODELS(row) \
	row(MODEL_VALUES, "values", "expressions are evaluated") \
	row(MODEL_MAXIMAL, "maximal", "expressions only name the reads that matter") \
	row(MODEL_PREDICTABLE, "predictable", "maximal, but a read of another write has changed") \
	row(MODEL_MCM, "mcm", "as if a branch followed every read") \
	row(MODEL_SAID, "said", "every event happens and every read keeps its value")
/* clang-format on */

enum model {
#define MODEL_ROW(name, text, help) name,
	MODELS(MODEL_ROW)
#undef MODEL_ROW
		MODEL_COUNT
};

/* clang-format off */
#define BUG_KINDS(row) \
	row(BUG_RACE, "race") \
	row(BUG_DEADLOCK, "deadlock") \
	row(BUG_STUCK, "stuck") \
	row(BUG_PROPERTY, "property")
/* clang-format on */

enum bug_kind {
#define BUG_ROW(name, text) name,
	BUG_KINDS(BUG_ROW)
#undef BUG_ROW
		BUG_COUNT
};

extern const char *const model_text[MODEL_COUNT];
extern const char *const model_help[MODEL_COUNT];
extern const char *const bug_kind_text[BUG_COUNT];

/* -1 if there is none of that name. */
int model_by_name(const char *name);

#endif
