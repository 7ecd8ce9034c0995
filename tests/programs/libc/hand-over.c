/*
 * Ways to hand something over that are no memory: names of files, what is in them, what is known of
 * them, locks of them, and the kernel's descriptors that tell of such. One thread writes `data` and
 * hands over, another looks until it sees that, and reads it.
 *
 * expect: nothing
 * output: varies
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

static char directory[] = "/tmp/norn-hand-over.XXXXXX", name[128], other[128];
static int fd = -1, pair[2];
static int data;

static void make(void)
{
	close(open(name, O_CREAT | O_WRONLY, 0600));
}

static int is_there(void)
{
	return access(name, F_OK) == 0;
}

static int is_opened(void)
{
	int there = open(name, O_RDONLY);

	if (there >= 0)
		close(there);
	return there >= 0;
}

static int is_gone(void)
{
	struct stat s;

	return stat(name, &s) != 0;
}

static void make_directory(void)
{
	mkdir(name, 0700);
}

static void make_link(void)
{
	if (symlink("/", name))
		abort();
}

static int is_linked(void)
{
	char to[8];

	return readlink(name, to, sizeof to) == 1;
}

static void move(void)
{
	FILE *f = fopen(other, "w");

	fprintf(f, "%d\n", 6);
	fclose(f);
	rename(other, name);
}

static int is_read(void)
{
	FILE *f = fopen(name, "r");
	int n = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%d", &n) != 1)
		n = 0;
	fclose(f);
	return n == 6;
}

static int is_listed(void)
{
	DIR *d = opendir(directory);
	struct dirent *entry;
	int found = 0;

	while ((entry = readdir(d)))
		found |= strcmp(entry->d_name, "name") == 0;
	closedir(d);
	return found;
}

static void open_first(void)
{
	fd = open(name, O_CREAT | O_RDWR, 0600);
}

static void put(void)
{
	if (pwrite(fd, "x", 1, 0) != 1)
		abort();
}

static int is_put(void)
{
	char c = 0;

	return pread(fd, &c, 1, 0) == 1 && c == 'x';
}

static int is_longer(void)
{
	struct stat s;

	return fstat(fd, &s) == 0 && s.st_size > 0;
}

static int is_longer_at_end(void)
{
	return lseek(fd, 0, SEEK_END) > 0;
}

static void lengthen(void)
{
	if (ftruncate(fd, 100))
		abort();
}

static void print_line(void)
{
	FILE *f = fopen(name, "a");

	fputs("line\n", f);
	fflush(f);
	fclose(f);
}

static int is_printed(void)
{
	char line[16] = "";
	FILE *f = fopen(name, "r");

	if (!f)
		return 0;
	if (!fgets(line, sizeof line, f))
		line[0] = 0;
	fclose(f);
	return strcmp(line, "line\n") == 0;
}

static void change_mode(void)
{
	chmod(name, 0400);
}

static int is_changed(void)
{
	struct stat s;

	return stat(name, &s) == 0 && (s.st_mode & 0777) == 0400;
}

static void shared_memory(void)
{
	int m = shm_open("/norn-hand-over", O_CREAT | O_RDWR, 0600);

	close(m);
}

static int is_shared(void)
{
	int m = shm_open("/norn-hand-over", O_RDONLY, 0);

	if (m < 0)
		return 0;
	close(m);
	shm_unlink("/norn-hand-over");
	return 1;
}

static void remove_it(void)
{
	unlink(name);
}

static void remove_directory(void)
{
	rmdir(name);
}

static void open_watch(void)
{
	fd = inotify_init1(0);
	inotify_add_watch(fd, directory, IN_CREATE);
}

static int is_told(void)
{
	char event[512];

	return read(fd, event, sizeof event) > 0;
}

static void open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	fd = signalfd(-1, &set, 0);
}

static void send_signal(void)
{
	kill(getpid(), SIGUSR1);
}

static int is_signalled(void)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1;
}

static void open_timer(void)
{
	fd = timerfd_create(CLOCK_MONOTONIC, 0);
}

static void set_timer(void)
{
	struct itimerspec soon = {.it_value.tv_nsec = 1000000};

	timerfd_settime(fd, 0, &soon, NULL);
}

static int is_expired(void)
{
	unsigned long times;

	return read(fd, &times, sizeof times) == sizeof times;
}

static void open_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (pipe(pair))
		abort();
	fd = epoll_create1(0);
	epoll_ctl(fd, EPOLL_CTL_ADD, pair[0], &event);
}

static void write_pipe(void)
{
	if (write(pair[1], "x", 1) != 1)
		abort();
}

static int is_ready(void)
{
	struct epoll_event event;

	return epoll_wait(fd, &event, 1, -1) == 1;
}

static const struct way {
	void (*before)(void), (*hand_over)(void);
	int (*is_seen)(void);
} ways[] = {
	{NULL, make, is_there},
	{NULL, make, is_opened},
	{NULL, make, is_listed},
	{make, remove_it, is_gone},
	{NULL, make_directory, is_there},
	{make_directory, remove_directory, is_gone},
	{NULL, make_link, is_linked},
	{NULL, move, is_read},
	{open_first, put, is_put},
	{open_first, put, is_longer},
	{open_first, put, is_longer_at_end},
	{open_first, lengthen, is_longer},
	{NULL, print_line, is_printed},
	{make, change_mode, is_changed},
	{NULL, shared_memory, is_shared},
	{open_watch, make, is_told},
	{open_signals, send_signal, is_signalled},
	{open_timer, set_timer, is_expired},
	{open_epoll, write_pipe, is_ready},
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

static void clear(void)
{
	unlink(name);
	rmdir(name);
	if (fd >= 0)
		close(fd);
	fd = -1;
	data = 0;
}

int main(void)
{
	pthread_t a, b;
	sigset_t set;
	int sum = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (!mkdtemp(directory))
		return 1;
	snprintf(name, sizeof name, "%s/name", directory);
	snprintf(other, sizeof other, "%s/other", directory);
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
		clear();
		if (ways[i].before)
			ways[i].before();
		pthread_create(&b, NULL, second, (void *)&ways[i]);
		pthread_create(&a, NULL, first, (void *)&ways[i]);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		sum += data;
	}
	clear();
	rmdir(directory);
	return sum == 2 * (int)(sizeof ways / sizeof *ways) ? 0 : 1;
}
