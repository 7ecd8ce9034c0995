/* SPDX-License-Identifier: MIT */
#include "runtime/pthread/robust.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>

#include "runtime/libc/libc.h"
#include "runtime/pthread/locks.h"
#include "runtime/real.h"
#include "runtime/replay/replay.h"
#include "runtime/sys.h"

/* As glibc has it in a mutex: its owner, when it is not consistent. */
#define OWNER_NONE INT_MAX

/* Not the mutex itself: what is known of that is dropped when it is destroyed. */
static const void *state_of(const pthread_mutex_t *mutex)
{
	return (const char *)mutex + 1;
}

int norn_robust_has_taken(const pthread_mutex_t *mutex, int result)
{
	if (result != EBUSY && result != ETIMEDOUT)
		norn_comes_after(state_of(mutex));
	return result;
}

/* The word has the thread's number, and nobody else changes more than its waiters. */
void norn_robust_given_up(pthread_mutex_t *mutex)
{
	int *word = &mutex->__data.__lock;
	int old = __atomic_load_n(word, __ATOMIC_RELAXED);
	if ((old & FUTEX_TID_MASK) == (int)NORN_SYS(gettid, 0, 0, 0, 0, 0, 0) &&
	    __atomic_exchange_n(word, 0, __ATOMIC_SEQ_CST) & FUTEX_WAITERS)
		NORN_SYS(futex, word, FUTEX_WAKE, 1, 0, 0, 0);
}

void norn_robust_has_left(const pthread_mutex_t *mutex)
{
	if (mutex->__data.__owner == OWNER_NONE)
		norn_comes_before(state_of(mutex));
}

int NORN_WRAPPER(pthread_mutex_consistent)(pthread_mutex_t *mutex)
{
	int result = NORN_REAL(pthread_mutex_consistent)(mutex);
	if (result == 0)
		norn_comes_before(state_of(mutex));
	return result;
}

/* What the kernel does for a thread that has ended. */
static void die(int *word)
{
	int old = __atomic_load_n(word, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(word, &old, (old & FUTEX_WAITERS) | FUTEX_OWNER_DIED,
					    false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	NORN_SYS(futex, word, FUTEX_WAKE, 1, 0, 0, 0);
}

static void give_back(pthread_mutex_t *mutex, bool really)
{
	norn_comes_before(state_of(mutex));
	struct norn_step step = norn_begin_step(LOG_RELEASE, mutex, NULL);
	bool logged = false;
	while (norn_log_release(mutex, NULL, false))
		logged = true;
	if (really)
		die(&mutex->__data.__lock);
	norn_end_step(&step, logged);
}

/* The list that glibc keeps for the kernel. The lowest bit of a pointer says that the mutex
 * inherits priorities: the kernel alone can take such a one from a thread. */
#define INHERITS ((uintptr_t)1)

static pthread_mutex_t *mutex_of(const struct robust_list *entry)
{
	return (pthread_mutex_t *)(((uintptr_t)entry & ~INHERITS) -
				   offsetof(pthread_mutex_t, __data.__list.__next));
}

static struct robust_list *next_of(const struct robust_list *entry)
{
	return (struct robust_list *)mutex_of(entry)->__data.__list.__next;
}

static bool any_inherits(const struct robust_list_head *head)
{
	for (struct robust_list *e = head->list.next; e != &head->list; e = next_of(e))
		if ((uintptr_t)e & INHERITS)
			return true;
	return false;
}

void norn_robust_end(void)
{
	struct robust_list_head *head = NULL;
	size_t size;
	if (NORN_SYS(get_robust_list, 0, &head, &size, 0, 0, 0) != 0 || !head)
		return;
	/* The plan may hold the thread back before its end, while the next owner has its turn. */
	bool really = norn_replays() && !any_inherits(head);
	struct robust_list *entry = head->list.next;
	if (really)
		head->list.next = &head->list;
	while (entry != &head->list) {
		pthread_mutex_t *mutex = mutex_of(entry);
		entry = next_of(entry);
		give_back(mutex, really);
	}
}
