/* SPDX-License-Identifier: MIT */
/* What the files of the theory of order (search/solver/precedence.h) share. */
#ifndef SEARCH_SOLVER_PRECEDENCE_PARTS_H
#define SEARCH_SOLVER_PRECEDENCE_PARTS_H

#include "base/err.h"
#include "base/intern.h"
#include "sat/parts.h"
#include "search/solver/precedence.h"

/* What a variable is about. */
enum meaning_kind { MEANS_NOTHING, MEANS_ORDER, MEANS_SOURCE, MEANS_USED, MEANS_ADJACENT };

struct meaning {
	enum meaning_kind kind;
	uint32_t number; /* of orders, sources, neighbours; used: the node */
};

/*
 * Rules make many of these that nobody asks for: what follows for a variable is told only while it
 * is in clauses, or somebody else wants to know.
 */
struct order_variable {
	uint32_t from, to;
	bool wanted;	 /* by who made it */
	bool in_clauses; /* of sat/cdcl.h */
};

/* The literal says that a node comes before this one. */
struct successor {
	uint32_t node;
	lit lit;
};

struct successors {
	VEC(struct successor) at; /* by node */
};

/* Why a literal was implied: as of that time. */
struct implied {
	struct reach_reason reason;
	size_t when;
};

/* Nodes in ascending order, so that those of a chain follow each other; with a number each. */
struct entry {
	uint32_t node, number;
};

struct entries {
	VEC(struct entry) at;
};

struct precedence_lock {
	struct entries all, exclusive; /* by their acquires, those at START aside */
	VEC(uint32_t) held;	       /* sections from START */
};

/* One variable that a read sees. */
struct precedence_read {
	uint32_t node, cell;
	lit used;
	struct entries sources; /* by their writes */
	bool marked;
	uint32_t active; /* 1 + the source that holds, or 0 */
	uint32_t next;	 /* 1 + another read of this node, with the same `used`; or 0 */
};

struct read_source {
	uint32_t read;
	uint32_t write; /* node */
	lit lit;
	uint32_t next_active; /* 1 + another one that holds with this write, or 0 */
};

struct precedence_cell {
	struct entries writes, reads; /* numbers: nothing; of reads */
	VEC(uint32_t) used;	      /* reads whose values matter, the last ones last */
};

struct neighbours {
	uint32_t nodes[2];
	lit when;
};

/*
 * Of a chain, for one read: up to this node, what is written is overwritten by that write; and from
 * that node on all is behind the read.
 */
struct hiding {
	uint32_t up_to, by;
	uint32_t behind;
};

/* Two nodes in this order, if both happen. */
struct both {
	struct reach_way way;
	uint32_t next[2]; /* 1 + the next of from, of to; or 0 */
};

/* What a node is, for those rules that look at it. */
struct role {
	uint32_t section;      /* 1 + the one that it begins, or 0 */
	uint32_t first_cell;   /* 1 + the first that it writes to, in node_cells; or 0 */
	uint32_t first_read;   /* 1 + the first read that it is, or 0 */
	uint32_t first_active; /* 1 + the first source that holds and has it as the write; or 0 */
	uint32_t first_both;   /* 1 + the first, or 0 */
};

struct node_cell {
	uint32_t cell, next;
};

struct precedence_level {
	size_t edges, active, used, together;
};

struct precedence {
	struct cdcl *cdcl;
	struct reach *reach;
	uint32_t start, cut;
	VEC(struct meaning) meanings; /* by variable */
	VEC(struct implied) implied;  /* by variable */
	VEC(struct order_variable) orders;
	struct intern order_keys;      /* pairs of nodes, numbered as order_lits */
	VEC(lit) order_lits;	       /* the second comes first */
	uint32_t *recorded;	       /* of each node: its place in the trace */
	struct successors *successors; /* of each node */
	struct role *roles;	       /* of each node */
	struct intern lock_keys, cell_keys, read_keys;
	VEC(struct precedence_lock) locks;
	VEC(struct precedence_section) sections;
	VEC(struct precedence_cell) cells;
	VEC(struct node_cell) node_cells;
	VEC(struct precedence_read) reads;
	VEC(struct read_source) sources;
	VEC(struct both) both;
	VEC(struct neighbours) neighbours;
	VEC(uint32_t) active;	   /* sources that hold, the last ones last */
	VEC(uint32_t) used;	   /* reads, as in their cells */
	VEC(uint32_t) together;	   /* neighbours that hold */
	VEC(uint32_t) marked;	   /* reads that are to be looked at */
	VEC(struct hiding) hiding; /* scratch */
	VEC(struct precedence_level) levels;
	struct lits why; /* scratch */
};

/* precedence.c */

static inline bool happens(const struct precedence *p, uint32_t node)
{
	return reach_before(p->reach, node, p->cut);
}

/*
 * What follows, from a reason that holds: an edge, a literal. False: that is a conflict. No rule
 * adds an edge itself: literals stand between, and are what is learned about.
 */
bool precedence_derive(struct precedence *p, uint32_t from, uint32_t to,
		       const struct reach_reason *reason);
bool precedence_derive_literal(struct precedence *p, lit l, const struct reach_reason *reason);
/* The place of the first that is not in front of this node. */
size_t precedence_entries_find(const struct entries *e, uint32_t node);
void precedence_entries_add(struct entries *e, uint32_t node, uint32_t number);
struct meaning *precedence_meaning(struct precedence *p, lit l);

/* Each looks at what is new: that a node comes before others, or that it happens. */

/* precedence_locks.c */
bool precedence_locks_before(struct precedence *p, uint32_t acquire, uint32_t chain);
bool precedence_locks_happen(struct precedence *p, uint32_t acquire);

/* precedence_reads.c */
bool precedence_reads_activate(struct precedence *p, const struct meaning *m);
void precedence_reads_undo(struct precedence *p, const struct precedence_level *level);
bool precedence_reads_before(struct precedence *p, const struct reach_news *news);
bool precedence_reads_settle(struct precedence *p);
bool precedence_reads_are_idle(const struct precedence *p, uint32_t source);

/* precedence_adjacent.c */
bool precedence_adjacent_activate(struct precedence *p, uint32_t number);
bool precedence_adjacent_before(struct precedence *p, const struct reach_news *news);

#endif
