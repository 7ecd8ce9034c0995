/*
 * Small programs for replay, by the name of the first argument. Their steps are counted in
 * tests/unit/replay.c. Each prints what its threads saw.
 */
#include "program.h"

#include <semaphore.h>

#define SITE 1 /* a step; there is no table, so no place */

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static long shared, results[8];
static long *pointer = &shared;

static long step_read(long *p)
{
	return (long)__norn_read8(p, SITE).value;
}

static void step_write(long *p, long value)
{
	__norn_write8(p, (uint64_t)value, SITE);
}

/* Thread number i + 1 runs functions[i]. */
static void run(void *(**functions)(void *), long count)
{
	pthread_t threads[8];
	for (long i = 0; i < count; i++)
		WANT(pthread_create(&threads[i], NULL, functions[i], (void *)i) == 0);
	for (long i = 0; i < count; i++)
		WANT(pthread_join(threads[i], NULL) == 0);
}

static void *a_then_b(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return unused;
}

static void *b_then_a(void *unused)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return unused;
}

static void *check_then_use(void *unused)
{
	if (__norn_read8(&pointer, SITE).value)
		__norn_write8((void *)(uintptr_t)__norn_read8(&pointer, SITE).value, 1, SITE);
	return unused;
}

static void *take_away(void *unused)
{
	__norn_write8(&pointer, 0, SITE);
	return unused;
}

#define TICKETS 100
static char order[8 * TICKETS];

static void *take_tickets(void *number)
{
	for (int i = 0; i < TICKETS; i++) {
		uint64_t ticket = __norn_rmw8(&shared, 1, NORN_ADD, SITE, 0, 0).value;
		order[ticket] = (char)('1' + (long)number);
		__norn_branch(SITE); /* not in the plan */
	}
	return NULL;
}

static void *wait_for_signal(void *number)
{
	pthread_mutex_lock(&a);
	pthread_cond_wait(&condition, &a);
	results[(long)number] = ++shared;
	pthread_mutex_unlock(&a);
	return NULL;
}

static void *send_signals(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&a);
		pthread_cond_signal(&condition);
		pthread_mutex_unlock(&a);
	}
	return unused;
}

static void *broadcast(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_cond_broadcast(&condition);
	pthread_mutex_unlock(&a);
	return unused;
}

static void *wait_an_hour(void *number)
{
	struct timespec until = in_ms(CLOCK_REALTIME, 3600 * 1000L);
	pthread_mutex_lock(&a);
	results[(long)number] = pthread_cond_timedwait(&condition, &a, &until);
	pthread_mutex_unlock(&a);
	return NULL;
}

static void *wait_a_moment(void *number)
{
	struct timespec until = in_ms(CLOCK_REALTIME, 1);
	pthread_mutex_lock(&a);
	results[(long)number] = pthread_cond_timedwait(&condition, &a, &until);
	pthread_mutex_unlock(&a);
	return NULL;
}

static void *hold_a(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	return unused;
}

static void *try_a(void *number)
{
	results[(long)number] = pthread_mutex_trylock(&a);
	if (results[(long)number] == 0)
		pthread_mutex_unlock(&a);
	return NULL;
}

static void *lock_a_by_time(void *number)
{
	struct timespec until = in_ms(CLOCK_REALTIME, 3600 * 1000L);
	results[(long)number] = pthread_mutex_timedlock(&a, &until);
	if (results[(long)number] == 0)
		pthread_mutex_unlock(&a);
	return NULL;
}

static void *post(void *unused)
{
	sem_post(&sem);
	return unused;
}

static void *try_sem(void *number)
{
	results[(long)number] = sem_trywait(&sem) == 0 ? 0 : errno;
	return NULL;
}

static void *wait_sem(void *number)
{
	struct timespec until = in_ms(CLOCK_REALTIME, 3600 * 1000L);
	sem_wait(&sem);
	results[(long)number] = sem_timedwait(&sem, &until) == 0 ? 0 : errno;
	return NULL;
}

static void *meet(void *number)
{
	results[(long)number] = pthread_barrier_wait(&barrier) == 0 ? 0 : 1;
	return NULL;
}

static void set_up(void)
{
	step_write(&shared, 7);
}

static void *call_once_each(void *number)
{
	pthread_once(&once, set_up);
	results[(long)number] = step_read(&shared);
	return NULL;
}

static void *write_range(void *unused)
{
	static char from[300];
	__norn_write_range(order, from, sizeof from, SITE);
	__norn_copy(order + 400, order, 300, SITE, SITE);
	step_write(&shared, 1);
	return unused;
}

static void *read_once(void *number)
{
	results[(long)number] = step_read(&shared);
	return NULL;
}

static void *exit_at_once(void *unused)
{
	(void)unused;
	exit(5);
}

static void *spin(void *unused)
{
	while (!step_read(&shared))
		;
	return unused;
}

static void *stop_spinning(void *unused)
{
	step_write(&shared, 1);
	return unused;
}

#define RUN(...)                                                                \
	do {                                                                    \
		void *(*functions[])(void *) = {__VA_ARGS__};                   \
		run(functions, (long)(sizeof functions / sizeof functions[0])); \
	} while (0)

int main(int argc, char **argv)
{
	(void)argc;
	const char *name = argv[1];
#define IS(text) (strcmp(name, text) == 0)
	if (IS("deadlock"))
		RUN(a_then_b, b_then_a);
	else if (IS("crash"))
		RUN(check_then_use, take_away);
	else if (IS("tickets"))
		RUN(take_tickets, take_tickets, take_tickets, take_tickets);
	else if (IS("signal"))
		RUN(wait_for_signal, wait_for_signal, send_signals);
	else if (IS("broadcast"))
		RUN(wait_for_signal, wait_for_signal, broadcast);
	else if (IS("hour"))
		RUN(wait_an_hour);
	else if (IS("moment"))
		RUN(wait_a_moment);
	else if (IS("try"))
		RUN(hold_a, try_a);
	else if (IS("timed"))
		RUN(hold_a, lock_a_by_time);
	else if (IS("sem") || IS("sem-wait")) {
		sem_init(&sem, 0, 0);
		if (IS("sem"))
			RUN(post, try_sem);
		else
			RUN(post, wait_sem);
	} else if (IS("barrier")) {
		pthread_barrier_init(&barrier, NULL, 2);
		RUN(meet, meet);
	} else if (IS("once"))
		RUN(call_once_each, call_once_each);
	else if (IS("range"))
		RUN(write_range, read_once);
	else if (IS("exit"))
		RUN(read_once, exit_at_once);
	else if (IS("spin"))
		RUN(spin, stop_spinning);
	printf("%ld %ld %ld %s\n", results[0], results[1], results[2], order);
	return 0;
}
