/*
 * A library of sockets with a mutex of its own making. To close a socket, its mutex is taken and
 * then that of the table; to shut down, that of the table and then that of each socket.
 *
 * scenario: hawknl
 * bugs: race,deadlock,stuck
 * expect: deadlock @lock @lock
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define SOCKETS 3

struct mutex {
	pthread_mutex_t real;
	pthread_t owner;
};

struct socket {
	struct mutex mutex;
	int open;
};

static struct mutex table = {PTHREAD_MUTEX_INITIALIZER, 0};
static struct socket sockets[SOCKETS] = {
	{{PTHREAD_MUTEX_INITIALIZER, 0}, 1},
	{{PTHREAD_MUTEX_INITIALIZER, 0}, 1},
	{{PTHREAD_MUTEX_INITIALIZER, 0}, 1},
};
static int open_sockets = SOCKETS;

static int mutex_lock(struct mutex *m)
{
	if (pthread_mutex_lock(&m->real)) /* @lock */
		return -1;
	m->owner = pthread_self();
	return 0;
}

static int mutex_unlock(struct mutex *m)
{
	return pthread_mutex_unlock(&m->real);
}

static void *close_one(void *argument)
{
	struct socket *s = argument;

	if (mutex_lock(&s->mutex))
		return NULL;
	s->open = 0;
	mutex_lock(&table);
	if (open_sockets)
		open_sockets--;
	mutex_unlock(&table);
	mutex_unlock(&s->mutex);
	return NULL;
}

static void *shut_down(void *unused)
{
	usleep(100000);
	mutex_lock(&table);
	for (int i = 0; i < SOCKETS; i++) {
		mutex_lock(&sockets[i].mutex);
		sockets[i].open = 0;
		mutex_unlock(&sockets[i].mutex);
	}
	open_sockets = 0;
	mutex_unlock(&table);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, close_one, &sockets[1]);
	pthread_create(&b, NULL, shut_down, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d open\n", open_sockets);
	return 0;
}
