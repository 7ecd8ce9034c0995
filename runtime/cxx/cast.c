/* SPDX-License-Identifier: MIT */
/* dynamic_cast looks at what the object is, and the library's tables say the rest. */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

void *__norn___dynamic_cast(const void *object, const void *from, const void *to, ptrdiff_t hint)
{
	const ptrdiff_t *methods;
	const void *ignored;
	norn_gather();
	norn_decide_by(NORN_CALLER, &methods, object, sizeof methods);
	/* the whole object, that this is a part of */
	if (methods[-2])
		norn_decide_by(NORN_CALLER, &ignored, (const char *)object + methods[-2],
			       sizeof ignored);
	return __dynamic_cast(object, from, to, hint);
}
