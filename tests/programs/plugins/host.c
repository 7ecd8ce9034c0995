/*
 * A host without hooks: loads a plugin, and two threads of its own call a function of it. How the host
 * orders these two calls:
 *
 *	together	not at all
 *	locked		each is made under a mutex of the host
 *	flag		the second one when an atomic variable says that the first is over
 *	mailbox		likewise, a plain variable
 *	polled		when the host sees what the first has written, by a pointer that the plugin returned
 *	once		the host calls the function itself, which makes its own threads
 *	unloaded	no plugin is loaded
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void (*work)(int);
static volatile int *(*shown)(void);
static const char *mode;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;
static volatile int mailbox;
static volatile int *polled;

static int is(const char *name)
{
	return !strcmp(mode, name);
}

static void *first(void *unused)
{
	if (is("locked"))
		pthread_mutex_lock(&lock);
	work(1);
	if (is("locked"))
		pthread_mutex_unlock(&lock);
	flag = 1;
	mailbox = 1;
	return unused;
}

static void *second(void *unused)
{
	if (is("flag"))
		while (!flag)
			usleep(1000);
	if (is("mailbox"))
		while (!mailbox)
			usleep(1000);
	if (is("polled"))
		while (!*polled)
			usleep(1000);
	if (is("locked"))
		pthread_mutex_lock(&lock);
	work(2);
	if (is("locked"))
		pthread_mutex_unlock(&lock);
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t a, b;

	if (count < 4)
		return 2;
	mode = arguments[3];
	if (is("unloaded"))
		return 0;
	void *plugin = dlopen(arguments[1], RTLD_NOW);

	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	*(void **)&work = dlsym(plugin, arguments[2]);
	*(void **)&shown = dlsym(plugin, "shown");
	if (!work || !shown)
		return 2;
	polled = shown();
	if (is("once")) {
		work(0);
	} else {
		pthread_create(&a, NULL, first, NULL);
		pthread_create(&b, NULL, second, NULL);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
	}
	puts("done");
	return 0;
}
