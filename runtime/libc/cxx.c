/* SPDX-License-Identifier: MIT */
/*
 * The parts of C++ containers that are in libstdc++ and not in its headers: hashing, trees (map,
 * set) and lists, link by link. Each link that is looked at says where to go next: a branch follows
 * it.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

enum side { LEFT, RIGHT };
enum colour { RED, BLACK };

/* As std::_Rb_tree_node_base; of a tree's header the links are its first and its last, and the
 * parent is its root. */
struct norn_tree_node {
	int32_t colour;
	struct norn_tree_node *parent, *links[2];
};
typedef struct norn_tree_node node;

struct norn_list_node {
	struct norn_list_node *next, *previous;
};

/* The program's memory */

static void *get(const void *pc, const void *p)
{
	void *link;
	norn_decide_by(pc, &link, p, sizeof link);
	return link;
}

static void set(const void *pc, void *p, const void *link)
{
	norn_pass(pc, p, &link, sizeof link);
}

static node *parent(const void *pc, const node *x)
{
	return get(pc, &x->parent);
}

static node *child(const void *pc, const node *x, enum side side)
{
	return get(pc, &x->links[side]);
}

static enum colour colour(const void *pc, const node *x)
{
	int32_t c;
	norn_decide_by(pc, &c, &x->colour, sizeof c);
	return (enum colour)c;
}

static void paint(const void *pc, node *x, enum colour colour)
{
	int32_t c = (int32_t)colour;
	norn_pass(pc, &x->colour, &c, sizeof c);
}

static bool is_red(const void *pc, const node *x)
{
	return x && colour(pc, x) == RED;
}

static enum side other(enum side side)
{
	return side == LEFT ? RIGHT : LEFT;
}

/* Trees */

static node *farthest(const void *pc, node *x, enum side side)
{
	for (node *next; (next = child(pc, x, side));)
		x = next;
	return x;
}

/* Who pointed to x points to y now. */
static void replace(const void *pc, node *x, node *y, node *header)
{
	node *up = parent(pc, x);
	if (parent(pc, header) == x)
		set(pc, &header->parent, y);
	else
		set(pc, &up->links[child(pc, up, LEFT) == x ? LEFT : RIGHT], y);
}

/* x goes down to this side, and its other child comes up. */
static void rotate(const void *pc, node *x, enum side side, node *header)
{
	node *y = child(pc, x, other(side)), *inner = child(pc, y, side);
	set(pc, &x->links[other(side)], inner);
	if (inner)
		set(pc, &inner->parent, x);
	set(pc, &y->parent, parent(pc, x));
	replace(pc, x, y, header);
	set(pc, &y->links[side], x);
	set(pc, &x->parent, y);
}

static void mend_after_insert(const void *pc, node *x, node *header)
{
	while (x != parent(pc, header) && is_red(pc, parent(pc, x))) {
		node *up = parent(pc, x), *top = parent(pc, up);
		enum side side = up == child(pc, top, LEFT) ? LEFT : RIGHT;
		node *uncle = child(pc, top, other(side));
		if (is_red(pc, uncle)) {
			paint(pc, up, BLACK);
			paint(pc, uncle, BLACK);
			paint(pc, top, RED);
			x = top;
			continue;
		}
		if (x == child(pc, up, other(side))) {
			x = up;
			rotate(pc, x, side, header);
		}
		paint(pc, parent(pc, x), BLACK);
		paint(pc, top, RED);
		rotate(pc, top, other(side), header);
	}
	paint(pc, parent(pc, header), BLACK);
}

void __norn__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(_Bool left, node *x,
									      node *up,
									      node *header)
{
	const void *pc = NORN_CALLER;
	norn_gather();
	enum side side = left ? LEFT : RIGHT;
	set(pc, &x->parent, up);
	set(pc, &x->links[LEFT], NULL);
	set(pc, &x->links[RIGHT], NULL);
	paint(pc, x, RED);
	set(pc, &up->links[side], x);
	if (up == header) {
		set(pc, &header->parent, x);
		set(pc, &header->links[RIGHT], x);
	} else if (up == child(pc, header, side)) {
		set(pc, &header->links[side], x);
	}
	mend_after_insert(pc, x, header);
}

/* A black node is missing above x, which may be null, below `up`. */
static void mend_after_erase(const void *pc, node *x, node *up, node *header)
{
	while (x != parent(pc, header) && !is_red(pc, x)) {
		enum side side = x == child(pc, up, LEFT) ? LEFT : RIGHT;
		node *w = child(pc, up, other(side));
		if (is_red(pc, w)) {
			paint(pc, w, BLACK);
			paint(pc, up, RED);
			rotate(pc, up, side, header);
			w = child(pc, up, other(side));
		}
		if (!is_red(pc, child(pc, w, LEFT)) && !is_red(pc, child(pc, w, RIGHT))) {
			paint(pc, w, RED);
			x = up;
			up = parent(pc, up);
			continue;
		}
		if (!is_red(pc, child(pc, w, other(side)))) {
			paint(pc, child(pc, w, side), BLACK);
			paint(pc, w, RED);
			rotate(pc, w, other(side), header);
			w = child(pc, up, other(side));
		}
		paint(pc, w, colour(pc, up));
		paint(pc, up, BLACK);
		if (child(pc, w, other(side)))
			paint(pc, child(pc, w, other(side)), BLACK);
		rotate(pc, up, side, header);
		break;
	}
	if (x)
		paint(pc, x, BLACK);
}

/* z, with two children, gives its place to y, the next one. Returns the parent of y's child x. */
static node *trade_places(const void *pc, node *z, node *y, node *x, node *header)
{
	node *up = y;
	set(pc, &child(pc, z, LEFT)->parent, y);
	set(pc, &y->links[LEFT], child(pc, z, LEFT));
	if (y != child(pc, z, RIGHT)) {
		up = parent(pc, y);
		if (x)
			set(pc, &x->parent, up);
		set(pc, &up->links[LEFT], x);
		set(pc, &y->links[RIGHT], child(pc, z, RIGHT));
		set(pc, &child(pc, z, RIGHT)->parent, y);
	}
	replace(pc, z, y, header);
	set(pc, &y->parent, parent(pc, z));
	enum colour of_y = colour(pc, y);
	paint(pc, y, colour(pc, z));
	paint(pc, z, of_y);
	return up;
}

/* z has one child at most, x: it comes up. Returns its parent. */
static node *take_out(const void *pc, node *z, node *x, node *header)
{
	node *up = parent(pc, z);
	if (x)
		set(pc, &x->parent, up);
	replace(pc, z, x, header);
	for (enum side side = LEFT; side <= RIGHT; side++)
		if (child(pc, header, side) == z)
			set(pc, &header->links[side],
			    child(pc, z, other(side)) ? farthest(pc, x, side) : up);
	return up;
}

node *__norn__ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(node *z, node *header)
{
	const void *pc = NORN_CALLER;
	norn_gather();
	node *left = child(pc, z, LEFT), *right = child(pc, z, RIGHT), *x, *up;
	if (left && right) {
		node *y = farthest(pc, right, LEFT);
		x = child(pc, y, RIGHT);
		up = trade_places(pc, z, y, x, header);
	} else {
		x = left ? left : right;
		up = take_out(pc, z, x, header);
	}
	if (colour(pc, z) != RED)
		mend_after_erase(pc, x, up, header);
	return z;
}

static node *increment(const void *pc, node *x)
{
	node *right = child(pc, x, RIGHT), *y;
	if (right)
		return farthest(pc, right, LEFT);
	for (y = parent(pc, x); x == child(pc, y, RIGHT); y = parent(pc, y))
		x = y;
	return child(pc, x, RIGHT) != y ? y : x;
}

static node *decrement(const void *pc, node *x)
{
	/* the header: it is red, which the root never is */
	if (colour(pc, x) == RED && parent(pc, parent(pc, x)) == x)
		return child(pc, x, RIGHT);
	node *left = child(pc, x, LEFT), *y;
	if (left)
		return farthest(pc, left, RIGHT);
	for (y = parent(pc, x); x == child(pc, y, LEFT); y = parent(pc, y))
		x = y;
	return y;
}

node *__norn__ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(node *x)
{
	norn_gather();
	return increment(NORN_CALLER, x);
}

const node *__norn__ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(const node *x)
{
	norn_gather();
	return increment(NORN_CALLER, (node *)x);
}

node *__norn__ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(node *x)
{
	norn_gather();
	return decrement(NORN_CALLER, x);
}

const node *__norn__ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(const node *x)
{
	norn_gather();
	return decrement(NORN_CALLER, (node *)x);
}

/* Lists */

void __norn__ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct norn_list_node *x,
							 struct norn_list_node *before)
{
	const void *pc = NORN_CALLER;
	norn_gather();
	struct norn_list_node *previous = get(pc, &before->previous);
	set(pc, &x->next, before);
	set(pc, &x->previous, previous);
	set(pc, &previous->next, x);
	set(pc, &before->previous, x);
}

void __norn__ZNSt8__detail15_List_node_base9_M_unhookEv(struct norn_list_node *x)
{
	const void *pc = NORN_CALLER;
	norn_gather();
	struct norn_list_node *next = get(pc, &x->next), *previous = get(pc, &x->previous);
	set(pc, &previous->next, next);
	set(pc, &next->previous, previous);
}

void __norn__ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct norn_list_node *x,
								 struct norn_list_node *first,
								 struct norn_list_node *last)
{
	const void *pc = NORN_CALLER;
	norn_gather();
	if (x == last)
		return;
	struct norn_list_node *before_last = get(pc, &last->previous);
	struct norn_list_node *before_first = get(pc, &first->previous);
	struct norn_list_node *before = get(pc, &x->previous);
	set(pc, &before_last->next, x);
	set(pc, &before_first->next, last);
	set(pc, &before->next, first);
	set(pc, &x->previous, before_last);
	set(pc, &last->previous, before_first);
	set(pc, &first->previous, before);
}

/* A list is a node before its first and behind its last one: what x had between these, y has. */
static void take_over(const void *pc, struct norn_list_node *y, struct norn_list_node *x,
		      struct norn_list_node *next, struct norn_list_node *previous)
{
	bool none = next == x;
	set(pc, &y->next, none ? y : next);
	set(pc, &y->previous, none ? y : previous);
	if (none)
		return;
	set(pc, &next->previous, y);
	set(pc, &previous->next, y);
}

void __norn__ZNSt8__detail15_List_node_base4swapERS0_S1_(struct norn_list_node *x,
							 struct norn_list_node *y)
{
	const void *pc = NORN_CALLER;
	norn_gather();
	struct norn_list_node *next = get(pc, &x->next), *previous = get(pc, &x->previous);
	struct norn_list_node *other_next = get(pc, &y->next);
	struct norn_list_node *other_previous = get(pc, &y->previous);
	take_over(pc, x, y, other_next, other_previous);
	take_over(pc, y, x, next, previous);
}

void __norn__ZNSt8__detail15_List_node_base10_M_reverseEv(struct norn_list_node *list)
{
	const void *pc = NORN_CALLER;
	struct norn_list_node *x = list;
	norn_gather();
	do {
		struct norn_list_node *next = get(pc, &x->next);
		set(pc, &x->next, get(pc, &x->previous));
		set(pc, &x->previous, next);
		x = next;
	} while (x != list);
}

/*
 * Hashing: strings as keys. The same numbers as libstdc++'s (Murmur's and Fowler, Noll and Vo's
 * hash), since tables are shared with code that calls those.
 */

static uint64_t mixed(uint64_t x)
{
	return x ^ x >> 47;
}

size_t __norn__ZSt11_Hash_bytesPKvmm(const void *p, size_t n, size_t seed)
{
	const uint64_t multiplier = UINT64_C(0xc6a4a7935bd1e995);
	uint64_t hash = seed ^ n * multiplier;
	norn_gather();
	for (size_t done = 0; done < n; done += 8) {
		uint64_t word = 0;
		bool whole = n - done >= 8;
		norn_get(NORN_CALLER, &word, (const char *)p + done, whole ? 8 : n - done);
		hash = (hash ^ (whole ? mixed(word * multiplier) * multiplier : word)) * multiplier;
	}
	return mixed(mixed(hash) * multiplier);
}

size_t __norn__ZSt15_Fnv_hash_bytesPKvmm(const void *p, size_t n, size_t seed)
{
	uint64_t hash = seed;
	norn_gather();
	for (size_t i = 0; i < n; i++) {
		signed char byte; /* as it is there */
		norn_get(NORN_CALLER, &byte, (const char *)p + i, 1);
		hash = (hash ^ (uint64_t)byte) * UINT64_C(1099511628211);
	}
	return hash;
}
