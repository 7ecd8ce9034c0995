/*
 * Memory of libc's that all threads share: what getpwnam gives, which libc writes under a lock and
 * the program reads without one; and the environment. A key that is made once is no race.
 *
 * expect: race @read @also
 * expect: race @set @get
 */
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t key;
unsigned users;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
	pthread_key_create(&key, NULL);
}

static void *first(void *unused)
{
	pthread_once(&once, make_key);
	pthread_setspecific(key, &key);
	users += getpwnam("root")->pw_uid; /* @read */
	setenv("A", "b", 1); /* @set */
	return unused;
}

static void *second(void *unused)
{
	pthread_once(&once, make_key);
	pthread_setspecific(key, NULL);
	getpwnam("root"); /* @also */
	getenv("HOME"); /* @get */
	return unused;
}

int main(void)
{
	pthread_t a, b;

	getpwnam("root");
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("done\n");
	return 0;
}
