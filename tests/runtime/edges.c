/* Before main, at the end of threads and of the program, threads that end in every way. */
#include "tests/runtime/program.h"

#include <signal.h>

static long early, late, ended;
static pthread_key_t key;

__attribute__((constructor(101))) static void before_main(void)
{
	add(&early, 1);
	free(malloc(10));
}

static void *in_constructor(void *argument)
{
	add(&early, 1);
	return argument;
}

__attribute__((constructor(102))) static void thread_before_main(void)
{
	pthread_t thread;
	WANT(pthread_create(&thread, NULL, in_constructor, NULL) == 0);
	WANT(pthread_join(thread, NULL) == 0);
}

static void at_exit(void)
{
	add(&late, 1);
}

__attribute__((destructor)) static void after_main(void)
{
	add(&late, 1);
}

static void end(void *argument)
{
	add(argument, 1);
	__atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
}

static void *thread(void *argument)
{
	static __thread long local;
	pthread_setspecific(key, &local);
	add(&local, 1);
	if ((long)argument % 3 == 0)
		pthread_exit(NULL);
	if ((long)argument % 3 == 1)
		for (;;)
			usleep(1000);
	return NULL;
}

static void on_reset(int signal)
{
	add(&early, signal);
}

static void one_shot(void)
{
	struct sigaction action = {.sa_handler = on_reset, .sa_flags = (int)SA_RESETHAND}, old;
	WANT(sigaction(SIGUSR1, &action, NULL) == 0);
	WANT(raise(SIGUSR1) == 0);
	WANT(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
	WANT(signal(SIGUSR1, on_reset) == SIG_DFL);
	WANT(raise(SIGUSR1) == 0 && raise(SIGUSR1) == 0);
	WANT(signal(SIGUSR1, SIG_IGN) == on_reset);
	WANT(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
}

int main(void)
{
	WANT(get(&early) == 2);
	WANT(atexit(at_exit) == 0);
	WANT(pthread_key_create(&key, end) == 0);
	one_shot();
	for (int round = 0; round < 5; round++) {
		pthread_t threads[6];
		for (long i = 0; i < 6; i++)
			WANT(pthread_create(&threads[i], NULL, thread, (void *)i) == 0);
		for (int i = 0; i < 6; i++) {
			if (i % 3 == 1)
				WANT(pthread_cancel(threads[i]) == 0);
			if (i == 5)
				WANT(pthread_detach(threads[i]) == 0);
			else
				WANT(pthread_join(threads[i], NULL) == 0);
		}
	}
	struct timespec soon = in_ms(CLOCK_REALTIME, 1);
	pthread_t slow;
	WANT(pthread_create(&slow, NULL, thread, (void *)1) == 0);
	WANT(pthread_tryjoin_np(slow, NULL) == EBUSY);
	WANT(pthread_timedjoin_np(slow, NULL, &soon) == ETIMEDOUT);
	WANT(pthread_cancel(slow) == 0);
	WANT(pthread_join(slow, NULL) == 0);
	while (__atomic_load_n(&ended, __ATOMIC_SEQ_CST) < 31)
		usleep(1000);
	pthread_attr_t impossible;
	pthread_attr_init(&impossible);
	WANT(pthread_attr_setstacksize(&impossible, (size_t)1 << 46) == 0);
	WANT(pthread_create(&slow, &impossible, thread, NULL) == EAGAIN);
	return 0;
}
