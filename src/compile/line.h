/* SPDX-License-Identifier: MIT */
/*
 * clang's command line, as far as the driver has to understand it: which words are inputs, what
 * is to be made of them, and which options go to which step. All others are clang's business.
 */
#ifndef COMPILE_LINE_H
#define COMPILE_LINE_H

#include "compile/words.h"

enum line_goal {
	LINE_PASS,    /* nothing that gets hooks or the runtime: clang's alone */
	LINE_COMPILE, /* -c: an object of each source */
	LINE_LINK,
};

/* The steps to which an option goes. */
enum line_step {
	STEP_BITCODE = 1, /* source to bitcode */
	STEP_OBJECT = 2,  /* bitcode with hooks to object */
	STEP_LINK = 4,
	STEP_OPTIMISE = 8, /* bitcode to bitcode */
	STEP_ALL = 15,
};

struct line_item {
	const char *word;
	const char *argument; /* the word behind it, if it belongs to it; else NULL */
	const char *language; /* of an input: what -x says, or NULL */
	int steps;	      /* of an option */
	bool input;	      /* a file, or "-" */
	bool source;	      /* an input that gets hooks */
};

struct line {
	VEC(struct line_item) items;
	enum line_goal goal;
	const char *output; /* of -o, or NULL */
	size_t inputs, sources;
	bool preprocessed;				       /* some input is */
	bool shared, statically, bare;			       /* bare: -r, -nostdlib: no runtime */
	bool dependencies, dependency_file, dependency_target; /* -MD, -MF, -MT */
	bool openmp;
	bool optimised;
	bool vectorised, slp_vectorised; /* was asked for by name; an -O level does not count */
	bool coverage;			 /* gcov's files, which are named after the object */
	bool save_temps, save_beside;	 /* -save-temps: here, or beside the object */
	bool lto;			 /* was asked for, and is left out */
	struct words events;		 /* --events FILE, --atomic FUNCTION: Norn's */
};

/* Words must outlive the line. ERR_USAGE: what cannot be done, and what to do instead. */
int line_parse(struct line *line, const struct words *words, struct err *err);
void line_release(struct line *line);
/* Is it one of these, or one with a `=`? */
bool line_is_events(const char *word);

/* The options for a step, in their order, each with its argument. */
void line_options(const struct line *line, enum line_step step, struct words *to);

#endif
