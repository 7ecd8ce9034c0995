/* SPDX-License-Identifier: MIT */
#include "record/run/launch.h"

#include "base/seconds.h"
#include "record/run/children.h"
#include "record/run/group.h"
#include "record/run/hang.h"
#include "record/run/program.h"
#include "runtime/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 100000000 /* at the clock, and at how far it is */
#define RESERVE (1 << 20)

/* Signals that somebody means for the program. */
static const int forwarded[] = {SIGINT,	 SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2,
				SIGALRM, SIGWINCH, SIGTSTP, SIGCONT, SIGPIPE};
#define FORWARDED (sizeof(forwarded) / sizeof(*forwarded))

static volatile pid_t child;
static volatile bool followed;		 /* it is a process that the program has left behind */
static volatile sig_atomic_t came[NSIG]; /* that nobody has looked at */
static volatile sig_atomic_t interrupted;

static void run_path(char *path, size_t room, const char *directory)
{
	snprintf(path, room, "%s/run", directory);
}

/*
 * Space for the trace of a log that has filled the disk: it is given back when the program is over.
 * Without it, there is none.
 */
static void reserve_path(char *path, size_t room, const char *directory)
{
	snprintf(path, room, "%s/reserve", directory);
}

static void reserve_space(const char *directory)
{
	char path[4096];

	reserve_path(path, sizeof(path), directory);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	if (fallocate(fd, 0, 0, RESERVE) < 0)
		unlink(path);
	close(fd);
}

void launch_give_space_back(const char *directory)
{
	char path[4096];

	reserve_path(path, sizeof(path), directory);
	unlink(path);
}

int launch_prepare(char *directory, const struct launch_options *options, struct err *err)
{
	struct log_run run = {.magic = LOG_MAGIC,
			      .version = LOG_VERSION,
			      .limit = options->max_records,
			      .bytes = options->max_bytes,
			      .mode = options->mode,
			      .input_limit = options->max_input,
			      .standard_input = options->standard_input,
			      .begin = options->paused ? LOG_WAITS : LOG_AT_ONCE,
			      .skip = options->skip,
			      .exit_wait = options->exit_wait};
	char path[4096];

	if (!mkdtemp(directory))
		return err_set(err, ERR_SYSTEM, "%s: %s", directory, strerror(errno));
	run_path(path, sizeof(path), directory);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool written = fd >= 0 && write(fd, &run, sizeof(run)) == (ssize_t)sizeof(run);
	int error = errno;

	if (written && options->mode == LOG_RECORD)
		reserve_space(directory);

	if (fd >= 0)
		close(fd);
	if (written)
		return 0;
	launch_remove(directory);
	return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(error));
}

struct log_run *launch_map(const char *directory)
{
	char path[4096];

	run_path(path, sizeof(path), directory);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && (size_t)st.st_size < sizeof(struct log_run)) {
		close(fd);
		errno = ENODATA;
		return NULL;
	}
	void *map = fd < 0 ? MAP_FAILED
			   : mmap(NULL, sizeof(struct log_run), PROT_READ | PROT_WRITE, MAP_SHARED,
				  fd, 0);

	if (fd >= 0)
		close(fd);
	return map == MAP_FAILED ? NULL : map;
}

int launch_lock(const char *directory)
{
	char path[4096];

	run_path(path, sizeof(path), directory);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/* Signals */

/* What a terminal sends goes to all of its foreground processes: the program has it already, but
 * not a daemon. */
static void note_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != SI_KERNEL || followed)
		came[number] = 1;
	interrupted |= number == SIGINT || number == SIGTERM;
}

bool launch_was_interrupted(void)
{
	return interrupted;
}

/* So it has what somebody has sent to all of the group. */
static uint64_t forward(const struct group *group)
{
	uint64_t wanted = 0;

	for (size_t i = 0; i < FORWARDED; i++)
		if (came[forwarded[i]]) {
			came[forwarded[i]] = 0;
			wanted |= (uint64_t)1 << forwarded[i];
		}
	if (wanted && !followed)
		wanted &= ~group_signals(group);
	for (int number = 1; number < 64; number++)
		if (child > 0 && wanted >> number & 1)
			kill(child, number);
	return wanted;
}

static void watch_group(struct group *group)
{
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < FORWARDED; i++)
		sigaddset(&signals, forwarded[i]);
	group_begin(group, &signals);
}

static void catch_signals(struct sigaction *old)
{
	struct sigaction action = {.sa_sigaction = note_signal,
				   .sa_flags = SA_SIGINFO | SA_RESTART};

	for (size_t i = 0; i < FORWARDED; i++)
		sigaction(forwarded[i], &action, &old[i]);
}

static void restore_signals(const struct sigaction *old)
{
	for (size_t i = 0; i < FORWARDED; i++)
		sigaction(forwarded[i], &old[i], NULL);
}

/* The program starts as it would without us. */
static void restore_for_child(const struct sigaction *old, const sigset_t *mask)
{
	struct sigaction fresh = {.sa_handler = SIG_DFL};

	for (size_t i = 0; i < FORWARDED; i++)
		sigaction(forwarded[i],
			  old[i].sa_handler == SIG_IGN && !(old[i].sa_flags & SA_SIGINFO) ? &old[i]
											  : &fresh,
			  NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/* Running */

/* The program does not outlive us, whatever ends us. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
}

static void run_child(const char *directory, char *const *argv, const struct launch_options *o,
		      int tell)
{
	setenv("NORN_RECORD", directory, 1);
	if (o->follow)
		setenv("NORN_FOLLOW", "1", 1);
	else
		unsetenv("NORN_FOLLOW");
	unsetenv("NORN_OPTIONS"); /* what they ask for is under way */
	if (!o->in_child || o->in_child(o->context) >= 0) {
		/* in its environment and its directory */
		if (!program_has_runtime(argv[0]) && !program_refuses_runtime(argv[0]))
			program_preload();
		execvp(argv[0], argv);
	}
	int error = errno;
	ssize_t told = write(tell, &error, sizeof(error));

	(void)told;
	_exit(127);
}

/* start: of the program; begun: of the recording, if that was later. */
static void look(struct log_run *run, const struct launch_options *o, double start, double *begun,
		 struct hang *hang)
{
	if (o->hang && hang_look(hang, run, (double)o->hang))
		hang_end(run);

	if (o->start_after && seconds_now() - start >= (double)o->start_after / 1000)
		__atomic_store_n(&run->wanted, 1, __ATOMIC_RELEASE);
	if (o->control)
		control_look(o->control, run);
	if (run->begin == LOG_LATE && !*begun)
		*begun = seconds_now();
	start = *begun ? *begun : start;
	if (o->timeout && run->begin != LOG_WAITS && seconds_now() - start >= (double)o->timeout &&
	    !__atomic_load_n(&run->stop, __ATOMIC_RELAXED)) {
		run->why = LOG_TIMEOUT;
		__atomic_store_n(&run->stop, 1, __ATOMIC_RELEASE);
	}
	if (o->progress)
		o->progress(o->context, __atomic_load_n(&run->records, __ATOMIC_RELAXED));
	int number = o->watch ? o->watch(o->context, child) : 0;

	if (number)
		kill(child, number);
}

/* Until it ends; when it is stopped, so are we. */
static int wait_for(struct log_run *run, const char *directory, const struct launch_options *o,
		    const struct group *group)
{
	const struct timespec interval = {.tv_nsec = o->interval ? (long)o->interval : LOOK_NS};
	double start = seconds_now(), begun = 0;
	struct hang hang = {.directory = directory};
	sigset_t ended;
	int status;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	for (;;) {
		forward(group);
		pid_t got = waitpid(child, &status, WNOHANG | WUNTRACED);

		if (got == child && WIFSTOPPED(status))
			kill(getpid(), SIGSTOP), hang.since = 0;
		else if (got == child)
			return status;
		else if (got < 0 && errno != EINTR)
			return 0;
		else
			sigtimedwait(&ended, NULL, &interval);
		look(run, o, start, &begun, &hang);
	}
}

#define FOLLOW_LOOKS 10 /* for a process that has just been made */

static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

#define ENDING ((uint64_t)1 << SIGINT | (uint64_t)1 << SIGTERM | (uint64_t)1 << SIGQUIT)
#define ASKED_MOST 2 /* one that does not listen is left alone */

/*
 * Daemons: processes that are recorded apart, and go on when the program is over. They have become
 * our children, and get the signals that we get.
 */
static void wait_for_followed(struct log_run *run, const char *directory,
			      const struct launch_options *o, const struct group *group)
{
	const struct timespec nap = {.tv_nsec = LOOK_NS / FOLLOW_LOOKS};
	double start = seconds_now();
	int none = 0, asked = 0;
	sigset_t ended;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	followed = true;
	while (none < FOLLOW_LOOKS && asked < ASKED_MOST &&
	       (!o->timeout || seconds_now() - start < (double)o->timeout)) {
		child = children_followed(directory);
		none = child ? 0 : none + 1;
		asked += (forward(group) & ENDING) != 0;
		sigtimedwait(&ended, NULL, &nap);
		reap();
		if (o->progress)
			o->progress(o->context, __atomic_load_n(&run->records, __ATOMIC_RELAXED));
	}
	followed = false;
}

static int start(const char *directory, char *const *argv, const struct launch_options *o,
		 const struct sigaction *old, const sigset_t *mask, int *error)
{
	int tell[2], ignored;
	pid_t us = getpid();

	if (pipe2(tell, O_CLOEXEC) < 0 || (child = fork()) < 0) {
		*error = errno;
		return -1;
	}
	if (!child) {
		end_with(us);
		restore_for_child(old, mask);
		run_child(directory, argv, o, tell[1]);
	}
	close(tell[1]);
	/* closed by exec, or the reason why there was none */
	ssize_t got = read(tell[0], error, sizeof(*error));

	close(tell[0]);
	if (got != (ssize_t)sizeof(*error))
		return 0;
	waitpid(child, &ignored, 0);
	child = 0;
	return -1;
}

int launch_run(const char *directory, char *const *argv, const struct launch_options *options,
	       struct launch_result *result, struct err *err)
{
	struct log_run *run = launch_map(directory);
	struct sigaction old[FORWARDED];
	struct group group;
	sigset_t block, mask;
	int error = 0;

	*result = (struct launch_result){.status = 126};
	interrupted = 0;
	if (!run)
		return err_set(err, ERR_SYSTEM, "%s/run: %s", directory, strerror(errno));
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &mask);
	if (options->apart)
		group = (struct group){0};
	else
		watch_group(&group);
	catch_signals(old);
	if (options->follow)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	int code = start(directory, argv, options, old, &mask, &error);

	if (code < 0) {
		result->status = error == ENOENT ? 127 : 126;
		code = err_set(err, ERR_SYSTEM, "%s: %s", argv[0], strerror(error));
	} else {
		uint32_t pid = (uint32_t)child;
		int status = wait_for(run, directory, options, &group);

		if (options->follow)
			wait_for_followed(run, directory, options, &group);
		child = 0;
		result->pid = (pid_t)pid;
		result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		result->status = result->signal ? 128 + result->signal : WEXITSTATUS(status);
		result->recorded = run->pid;
		run->ended_by = run->pid == pid ? (uint32_t)result->signal : 0;
		if (run->mode == LOG_RECORD)
			children_look(run);
		result->hung = run->why == LOG_HANG;
		result->given = run->given;
		result->asked = run->asked;
	}
	launch_give_space_back(directory);
	restore_signals(old);
	group_end(&group);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	munmap(run, sizeof(*run));
	return code;
}

void launch_remove(const char *directory)
{
	struct dirent *entry;
	char path[4096 + 256];
	DIR *d = opendir(directory);

	while (d && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(directory);
}
