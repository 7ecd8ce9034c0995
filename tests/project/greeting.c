/* In a shared library. */
#include "counter.h"

static int asked;

const char *greeting(void)
{
	return asked++ ? "hello again" : "hello";
}
