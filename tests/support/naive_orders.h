/* SPDX-License-Identifier: MIT */
/*
 * The orders of doc/model.md once more: as matrices of events, by applying every rule until
 * nothing changes, straight from the definitions and without a line of src/order. For small
 * traces.
 */
#ifndef SUPPORT_NAIVE_ORDERS_H
#define SUPPORT_NAIVE_ORDERS_H

#include "model/index.h"

/* name, as in tests/conformance/expected.tsv */
/* clang-format off */
#define NAIVE_ORDERS(row) \
	row(NAIVE_HB, "hb") \
	row(NAIVE_CP, "cp") \
	row(NAIVE_WCP, "wcp") \
	row(NAIVE_SDP, "sdp") \
	row(NAIVE_DC, "dc") \
	row(NAIVE_WDP, "wdp") \
	row(NAIVE_DRC, "drc") \
	row(NAIVE_QUICK, "quick")
/* clang-format on */

enum naive_order {
#define NAIVE_ROW(name, text) name,
	NAIVE_ORDERS(NAIVE_ROW)
#undef NAIVE_ROW
		NAIVE_COUNT,
	NAIVE_MHB = NAIVE_COUNT /* for naive_before alone */
};

extern const char *const naive_order_text[NAIVE_COUNT];

struct naive_pair {
	uint32_t a, b; /* a < b */
};

struct naive_races {
	VEC(struct naive_pair) pairs; /* ascending, each once; released by the caller */
};

struct naive_orders;

/* The index has to outlive it. */
struct naive_orders *naive_orders_new(const struct index *index);
void naive_orders_free(struct naive_orders *o);

bool naive_before(const struct naive_orders *o, enum naive_order order, uint32_t a, uint32_t b);
struct naive_races naive_races(const struct naive_orders *o, enum naive_order order);

#endif
