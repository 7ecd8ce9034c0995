/*
 * More ways to hand something over: queues, semaphores and locks of the kernel, and descriptors that
 * are waited at, or looked at without waiting.
 *
 * expect: nothing
 * output: varies
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "/tmp/norn-queues.XXXXXX", name[128];
static int ends[2], id = -1, data;
static mqd_t queue = (mqd_t)-1;
static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void put(int to)
{
	if (write(to, "x", 1) != 1)
		abort();
}

static void make_pipe(void)
{
	if (pipe2(ends, O_NONBLOCK))
		abort();
}

static void make_pair(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
		abort();
}

static void put_byte(void)
{
	put(ends[1]);
}

static void shut(void)
{
	shutdown(ends[1], SHUT_WR);
}

static int is_read(void)
{
	char c;

	return read(ends[0], &c, 1) == 1;
}

static int is_received(void)
{
	char c;

	return recv(ends[0], &c, 1, 0) >= 0;
}

static int is_polled(void)
{
	struct pollfd p = {.fd = ends[0], .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static int is_selected(void)
{
	struct timeval none = {0};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	return select(ends[0] + 1, &set, NULL, NULL, &none) == 1;
}

static int is_counted(void)
{
	int n = 0;

	return ioctl(ends[0], FIONREAD, &n) == 0 && n > 0;
}

static void make_event(void)
{
	ends[0] = ends[1] = eventfd(0, EFD_NONBLOCK);
}

static void count_event(void)
{
	eventfd_write(ends[1], 1);
}

static int is_event(void)
{
	eventfd_t n;

	return eventfd_read(ends[0], &n) == 0;
}

static void make_fifo(void)
{
	if (mkfifo(name, 0600))
		abort();
}

static void open_fifo(void)
{
	ends[1] = open(name, O_WRONLY);
}

static int is_opened(void)
{
	return (ends[0] = open(name, O_RDONLY)) >= 0;
}

static void listen_there(void)
{
	ends[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(ends[0], (struct sockaddr *)&address, sizeof address) || listen(ends[0], 1))
		abort();
}

static int is_connected(void)
{
	int r;

	ends[1] = socket(AF_UNIX, SOCK_STREAM, 0);
	r = connect(ends[1], (struct sockaddr *)&address, sizeof address);
	if (r)
		close(ends[1]);
	return r == 0;
}

static void make_queue(void)
{
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char own[32];

	snprintf(own, sizeof own, "/norn-queues-%d", (int)getpid());
	queue = mq_open(own, O_CREAT | O_RDWR | O_NONBLOCK, 0600, &attributes);
	mq_unlink(own);
}

static void send_there(void)
{
	if (queue != (mqd_t)-1)
		mq_send(queue, "x", 1, 0);
	else
		put(ends[1]); /* there may be none here */
}

static int is_sent(void)
{
	char text[8];

	return queue == (mqd_t)-1 ? is_read() : mq_receive(queue, text, sizeof text, NULL) == 1;
}

static void make_pipe_and_queue(void)
{
	make_pipe();
	make_queue();
}

static void make_messages(void)
{
	id = msgget(IPC_PRIVATE, 0600);
}

static void send_message(void)
{
	struct {
		long type;
		char text[8];
	} m = {1, "x"};

	msgsnd(id, &m, 1, 0);
}

static int is_message(void)
{
	struct {
		long type;
		char text[8];
	} m;

	return msgrcv(id, &m, 1, 0, IPC_NOWAIT) == 1;
}

static void make_semaphore(void)
{
	id = semget(IPC_PRIVATE, 1, 0600);
}

static void post(void)
{
	struct sembuf up = {.sem_op = 1};

	semop(id, &up, 1);
}

static void set_value(void)
{
	semctl(id, 0, SETVAL, 1);
}

static int is_posted(void)
{
	struct sembuf down = {.sem_op = -1};

	return semop(id, &down, 1) == 0;
}

static int is_set(void)
{
	return semctl(id, 0, GETVAL) == 1;
}

static void remove_semaphore(void)
{
	if (id >= 0)
		semctl(id, 0, IPC_RMID);
	id = -1;
}

static void remove_messages(void)
{
	if (id >= 0)
		msgctl(id, IPC_RMID, NULL);
	id = -1;
}

static const struct way {
	void (*before)(void), (*hand_over)(void);
	int (*is_seen)(void);
	void (*after)(void);
} ways[] = {
	{make_pipe, put_byte, is_read, NULL},
	{make_pipe, put_byte, is_polled, NULL},
	{make_pipe, put_byte, is_selected, NULL},
	{make_pipe, put_byte, is_counted, NULL},
	{make_pair, put_byte, is_received, NULL},
	{make_pair, shut, is_polled, NULL},
	{make_event, count_event, is_event, NULL},
	{make_event, count_event, is_polled, NULL},
	{make_fifo, open_fifo, is_opened, NULL},
	{NULL, listen_there, is_connected, NULL},
	{make_pipe_and_queue, send_there, is_sent, NULL},
	{make_messages, send_message, is_message, remove_messages},
	{make_semaphore, post, is_posted, remove_semaphore},
	{make_semaphore, set_value, is_set, remove_semaphore},
};

static void *first(void *way)
{
	data = 1;
	((const struct way *)way)->hand_over();
	return NULL;
}

static void *second(void *way)
{
	while (!((const struct way *)way)->is_seen())
		usleep(100);
	data++;
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int sum = 0;

	if (!mkdtemp(directory))
		return 1;
	snprintf(name, sizeof name, "%s/name", directory);
	strcpy(address.sun_path, name);
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
		data = 0;
		if (ways[i].before)
			ways[i].before();
		pthread_create(&b, NULL, second, (void *)&ways[i]);
		pthread_create(&a, NULL, first, (void *)&ways[i]);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		sum += data;
		close(ends[0]);
		close(ends[1]);
		unlink(name);
		if (ways[i].after)
			ways[i].after();
	}
	rmdir(directory);
	return sum == 2 * (int)(sizeof ways / sizeof *ways) ? 0 : 1;
}
