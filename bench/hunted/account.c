/* SPDX-License-Identifier: MIT */
/* Deposits that read and write the balance in two sections. */
#include "lib.h"

static int balance;

static void *run(void *n)
{
	set(&balance, get(&balance) + 1 + (int)(long)n);
	return NULL;
}

int main(void)
{
	start(2, run);
	join(2);
	assert(get(&balance) == 3);
	return 0;
}
