/* Once as an object of the program, and once, with LIBRARY, as a library. */
#include "module.h"

#ifdef LIBRARY
#define NAME(verb) library_##verb
#else
#define NAME(verb) module_##verb
#endif

int NAME(twice)(int n)
{
	return 2 * n;
}

int NAME(apply)(int (*f)(int), int n)
{
	return f(n) + 1;
}

void NAME(put)(int *to, int n)
{
	*to = n;
}

int NAME(get)(const int *from)
{
	return *from;
}
