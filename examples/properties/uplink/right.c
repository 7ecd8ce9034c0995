/*
 * The uplink of a rover. One thread sends, another one cancels the transmission when it takes too
 * long. The sender looks whether it was cancelled before each step.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct connection {
	int open, length, committed;
};

const char *header;
static struct connection uplink;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int cancelled;

static struct connection *open_connection(void)
{
	uplink.open = 1;
	return &uplink;
}

static void close_connection(struct connection *c)
{
	c->open = 0;
}

static void cancel_transmission(struct connection *c)
{
	c->length = 0;
}

static void write_buffer(struct connection *c, int data)
{
	c->length += data;
}

static void commit_buffer(struct connection *c)
{
	c->committed = c->length;
}

static void acknowledge(void)
{
	putchar('!');
}

static void send_header(struct connection *c)
{
	pthread_mutex_lock(&m);
	if (!cancelled) {
		header = "picture";
		commit_buffer(c);
		acknowledge();
	}
	pthread_mutex_unlock(&m);
}

static void send_data(struct connection *c)
{
	pthread_mutex_lock(&m);
	if (!cancelled) {
		write_buffer(c, 3);
		commit_buffer(c);
		acknowledge();
	}
	pthread_mutex_unlock(&m);
}

static void *watch(void *c)
{
	usleep(20000);
	pthread_mutex_lock(&m);
	cancel_transmission(c);
	cancelled = 1;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	struct connection *c = open_connection();

	close_connection(c); /* it can be had */
	c = open_connection();
	pthread_create(&thread, NULL, watch, c);
	send_header(c);
	send_data(c);
	pthread_join(thread, NULL);
	putchar('\n');
	return 0;
}
