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

/* Lets go of an exception, whose destructor may be the program's. */
static void let_go(const void *pc, void *result)
{
	uint64_t given = (uintptr_t)result;
	norn_depend_on_all();
	uint32_t call =
		norn_call_from(pc, (const void *)_ZNSt13__future_base12_Result_baseD2Ev, &given, 1);
	_ZNSt13__future_base12_Result_baseD2Ev(result);
	norn_called_from(pc, call);
}

void __norn__ZNSt13__future_base12_Result_baseD2Ev(void *result)
{
	const void *error;
	norn_gather();
	norn_decide_by(NORN_CALLER, &error, &((struct result *)result)->error, sizeof error);
	if (error)
		let_go(NORN_CALLER, result);
	else
		_ZNSt13__future_base12_Result_baseD2Ev(result);
}
