/* SPDX-License-Identifier: MIT */
/* Properties: each assertion about PROGRAM is a candidate. It has no events of its own. */
#include "predict/candidates.h"
#include "property/property.h"

static int nominate_properties(struct candidates *c, uint32_t kind, const struct predict_options *o,
			       struct err *err)
{
	(void)err;
	c->kinds[kind].data = (void *)o->properties;
	for (size_t i = 0; o->properties && i < properties_count(o->properties); i++)
		candidates_add(c, kind, (struct candidate){.number = (uint32_t)i, .instances = 1});
	return 0;
}

static void list_properties(const struct candidates *c, const struct candidate *candidate,
			    size_t most, struct instances *out)
{
	(void)c, (void)candidate, (void)most;
	instances_add(out, NULL, 0);
}

static const struct property *property_of(const struct candidates *c,
					  const struct candidate *candidate)
{
	return properties_at(c->kinds[candidate->kind].data, candidate->number);
}

/* They are the caller's. */
static void release_properties(void *data)
{
	(void)data;
}

const struct predict_kind predict_properties = {
	.bug = BUG_PROPERTY,
	.help = "an assertion of a script (--property) that some execution breaks",
	.instance = "assertion",
	.between = ',',
	.nominate = nominate_properties,
	.list = list_properties,
	.property = property_of,
	.release = release_properties,
};
