/* SPDX-License-Identifier: MIT */
/* std::random_device asks the processor or the kernel, inside libstdc++. */
#include "runtime/inputs.h"
#include "runtime/libc/replaced.h"

unsigned __norn__ZNSt13random_device9_M_getvalEv(void *device)
{
	return (unsigned)norn_input_number(INPUT_RANDOM_DEVICE,
					   _ZNSt13random_device9_M_getvalEv(device));
}
