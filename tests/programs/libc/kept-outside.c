/*
 * What the kernel and libc keep for the process: one thread writes data and then changes a limit, a
 * name, a flag of a descriptor or stream, or asks for a notice; the other reads the data once it has seen that.
 * That is right in each of the ways. The twin is touched on both sides of it, and races.
 *
 * expect: race @before @behind
 * flags: -lrt
 * output: varies
 */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ways.h"

static int ends[2], descriptor, double_of, segment;
static void *attached;
static FILE *stream;
static mqd_t queue;
static pid_t child;
static pthread_t first;
static sigset_t awaited;
static sem_t told;
static struct aiocb block;
static char byte;

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

static void read_data(void)
{
	seen += data;
}

static void notice(union sigval value)
{
	(void)value;
	read_data();
	sem_post(&told);
}

static void await_signal(void)
{
	int number;
	sigwait(&awaited, &number);
}

static struct sigevent by_thread(void)
{
	return (struct sigevent){.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notice};
}

static struct sigevent by_signal(void)
{
	return (struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
}

static struct sigevent by_nothing(void)
{
	return (struct sigevent){.sigev_notify = SIGEV_NONE};
}

static void open_pipe(void)
{
	if (pipe(ends))
		abort();
}

static void ask_for_input(struct sigevent how)
{
	open_pipe();
	block = (struct aiocb){.aio_fildes = ends[0],
			       .aio_buf = &byte,
			       .aio_nbytes = 1,
			       .aio_sigevent = how,
			       .aio_lio_opcode = LIO_READ};
	if (how.sigev_notify != SIGEV_NONE && aio_read(&block))
		abort();
}

static void open_queue(struct sigevent how)
{
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char name[32];

	snprintf(name, sizeof name, "/norn-kept-%d", getpid());
	queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
	mq_unlink(name);
	if (mq_notify(queue, &how))
		abort();
}

static void signal_on_input(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		abort();
	fcntl(ends[0], F_SETOWN, getpid());
	fcntl(ends[0], F_SETSIG, SIGUSR1);
	fcntl(ends[0], F_SETFL, O_ASYNC);
}

static int soft_limit(void)
{
	struct rlimit limit;
	getrlimit(RLIMIT_CORE, &limit);
	return (int)limit.rlim_cur;
}

static int ignores(int number)
{
	struct sigaction action;
	sigaction(number, NULL, &action);
	return action.sa_handler == SIG_IGN;
}

static int is_in(const char *directory)
{
	char here[100];
	return getcwd(here, sizeof here) && !strcmp(here, directory);
}

static int count_of(sem_t *semaphore)
{
	int count;
	sem_getvalue(semaphore, &count);
	return count;
}

static int is_pending(int number)
{
	sigset_t set;
	sigpending(&set);
	return sigismember(&set, number);
}

static int attachments(void)
{
	struct shmid_ds state;
	shmctl(segment, IPC_STAT, &state);
	return (int)state.shm_nattch;
}

static pid_t make_child(void)
{
	pid_t made = fork();
	if (!made) {
		pause();
		_exit(0);
	}
	return made;
}

static void end_child(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void read_all(void)
{
	while (getc(stream) != EOF)
		;
}

static int is_called(const char *name)
{
	char now[16];
	return !pthread_getname_np(first, now, sizeof now) && !strcmp(now, name);
}

WAY(limit, setrlimit(RLIMIT_CORE, &(struct rlimit){30, 40}), setrlimit(RLIMIT_CORE, &(struct rlimit){10, 40}), POLL(soft_limit() != 10))
WAY(priority, , setpriority(PRIO_PROCESS, getpid(), 3), POLL(getpriority(PRIO_PROCESS, getpid()) != 3))
WAY(handler, , signal(SIGUSR2, SIG_IGN), POLL(!ignores(SIGUSR2)))
WAY(directory, , chdir("/usr"), POLL(!is_in("/usr")))
WAY(name, , pthread_setname_np(first, "told"), POLL(!is_called("told")))
WAY(flag, descriptor = open("/dev/null", O_RDWR), fcntl(descriptor, F_SETFD, FD_CLOEXEC), POLL(!(fcntl(descriptor, F_GETFD) & FD_CLOEXEC)))
WAY(number, , dup2(descriptor, 77), POLL(fcntl(77, F_GETFD) < 0))
WAY(position, stream = tmpfile(), fputs("abc", stream), POLL(ftell(stream) != 3))
WAY(closed, descriptor = open("/dev/null", O_RDWR), close(descriptor), POLL(fcntl(descriptor, F_GETFD) >= 0))
WAY(count, , sem_post(&told), POLL(!count_of(&told)))
WAY(taken, , sem_wait(&told), POLL(count_of(&told)))
WAY(pending, , kill(getpid(), SIGUSR1), POLL(!is_pending(SIGUSR1)))
WAY(double_offset, descriptor = fileno(tmpfile()); double_of = dup(descriptor), lseek(descriptor, 33, SEEK_SET), POLL(lseek(double_of, 0, SEEK_CUR) != 33))
WAY(double_flag, double_of = fcntl(descriptor, F_DUPFD, 9), fcntl(double_of, F_SETFL, O_APPEND), POLL(!(fcntl(descriptor, F_GETFL) & O_APPEND)))
WAY(detached, segment = shmget(IPC_PRIVATE, 4096, 0600); attached = shmat(segment, NULL, 0), shmdt(attached), POLL(attachments()); shmctl(segment, IPC_RMID, NULL))
WAY(process, child = make_child(), end_child(), POLL(!kill(child, 0)))
WAY(end, stream = tmpfile(), read_all(), POLL(!feof(stream)))
WAY(cleared, stream = tmpfile(); read_all(), clearerr(stream), POLL(feof(stream)))
WAY(put_back, stream = tmpfile(), ungetc('y', stream), POLL(getc(stream) != 'y'))
WAY(system_call, open_pipe(), syscall(SYS_write, ends[1], "x", 1), syscall(SYS_read, ends[0], &byte, 1))
WAY(half, open_pipe(), syscall(SYS_write, ends[1], "x", 1), read(ends[0], &byte, 1))
WAY(asynchronous, ask_for_input(by_nothing()), write(ends[1], "x", 1), aio_read(&block); POLL(aio_error(&block) == EINPROGRESS))
WAY(list, ask_for_input(by_nothing()), write(ends[1], "x", 1), lio_listio(LIO_WAIT, (struct aiocb *[]){&block}, 1, NULL))
WAY(input_signal, ask_for_input(by_signal()), write(ends[1], "x", 1), await_signal())
WAY(input_thread, ask_for_input(by_thread()), write(ends[1], "x", 1), sem_wait(&told))
WAY(message_signal, open_queue(by_signal()), mq_send(queue, "x", 1, 0), await_signal())
WAY(message_thread, open_queue(by_thread()), mq_send(queue, "x", 1, 0), sem_wait(&told))
WAY(ready_signal, signal_on_input(), write(ends[1], "x", 1), await_signal())

int main(void)
{
	first = pthread_self();
	sem_init(&told, 0, 0);
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &awaited, NULL);
	RUN(limit);
	RUN(priority);
	RUN(handler);
	RUN(directory);
	RUN(name);
	RUN(flag);
	RUN(number);
	RUN(position);
	RUN(closed);
	RUN(count);
	RUN(taken);
	RUN(pending);
	await_signal();
	RUN(double_offset);
	RUN(double_flag);
	RUN(detached);
	RUN(process);
	RUN(end);
	RUN(cleared);
	RUN(put_back);
	RUN(system_call);
	RUN(half);
	RUN(asynchronous);
	RUN(list);
	RUN(input_signal);
	RUN(message_signal);
	RUN(ready_signal);
	/* last: signals may end the threads that libc starts */
	RUN(input_thread);
	RUN(message_thread);
	printf("%d\n", seen > 0);
	return 0;
}
