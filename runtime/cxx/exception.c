/* SPDX-License-Identifier: MIT */
/*
 * Pointers to exceptions, and what a future keeps: inside libstdc++. What is written there comes
 * from the arguments, and from which exception the thread has caught, as its branches say.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"
#include "runtime/unseen.h"

/* std::__future_base::_Result_base; what is given is behind it. */
struct result {
	const void *methods;
	const void *error;
};

void __norn__ZSt17current_exceptionv(void *result)
{
	_ZSt17current_exceptionv(result);
	norn_laid(NORN_CALLER, result, sizeof(void *));
}

void __norn__ZNSt15__exception_ptr13exception_ptrC1EPv(void *pointer, void *exception)
{
	_ZNSt15__exception_ptr13exception_ptrC1EPv(pointer, exception);
	norn_laid(NORN_CALLER, pointer, sizeof(void *));
}

void __norn__ZNSt13__future_base12_Result_baseC2Ev(void *result)
{
	_ZNSt13__future_base12_Result_baseC2Ev(result);
	norn_laid(NORN_CALLER, result, sizeof(struct result));
}

/* Where it lets go of an exception, the destructor of that may be the program's. */
void __norn__ZNSt13__future_base12_Result_baseD2Ev(void *result)
{
	const void *error;
	norn_gather();
	norn_decide_by(NORN_CALLER, &error, &((struct result *)result)->error, sizeof error);
	if (error)
		norn_run_unseen(NORN_CALLER, _ZNSt13__future_base12_Result_baseD2Ev, result);
	else
		_ZNSt13__future_base12_Result_baseD2Ev(result);
}
