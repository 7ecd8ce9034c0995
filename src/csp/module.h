/* SPDX-License-Identifier: MIT */
/* Names of modules. A key stands for a name in one scope. */
#ifndef CSP_MODULE_H
#define CSP_MODULE_H

#include "csp/tree.h"

#include <string.h>

struct csp_scope_key {
	char text[2 * sizeof(uint32_t)];
};

static inline struct csp_scope_key csp_scope_key(const struct csp_module *module, uint32_t name)
{
	uint32_t parts[] = {module ? module->number : 0, name};
	struct csp_scope_key key;

	memcpy(key.text, parts, sizeof(parts));
	return key;
}

static inline bool csp_module_inside(const struct csp_module *m, const struct csp_module *outer)
{
	while (m && m != outer)
		m = m->up;
	return m == outer;
}

/* `M::x` for a name of a module, as one name. */
uint32_t csp_module_qualify(struct csp *csp, const struct csp_module *module, uint32_t name);

#endif
