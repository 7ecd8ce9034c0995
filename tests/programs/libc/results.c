/*
 * What libc's functions tell through pointers, and what they return, is the same as without Norn.
 *
 * expect: nothing
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void paths(void)
{
	char to[PATH_MAX];

	memset(to, 'x', sizeof to - 1);
	errno = 0;
	printf("%d", realpath("/nowhere/at/all", to) == NULL);
	printf(" %d %s\n", errno, to);
	memset(to, 'x', 8);
	errno = 0;
	printf("%d", realpath("", to) == NULL);
	printf(" %d %.8s\n", errno, to);
	printf("%s\n", realpath("/usr/../usr/bin", to) ? to : "?");
	errno = 0;
	printf("%d", realpath(NULL, to) == NULL);
	printf(" %d\n", errno);
	strcpy(to, "/a/b/c");
	printf("%s", dirname(to));
	strcpy(to, "/a/b/c/");
	printf(" %s\n", basename(to));
	strcpy(to, "/tmp/norn-results");
	errno = 0;
	printf("%d", mkstemp(to));
	printf(" %d %s\n", errno, to);
	char *name = canonicalize_file_name("/usr/bin/");
	printf("%s\n", name);
	free(name);
}

static void numbers(void)
{
	int exponent;
	double whole;
	long double long_whole;

	printf("%g %d", frexp(12.5, &exponent), exponent);
	printf(" %g %g", modf(-3.25, &whole), whole);
	printf(" %Lg %Lg\n", modfl(4.5L, &long_whole), long_whole);
}

static void options(void)
{
	char *arguments[] = {"program", "rest", "-a", "--long=value", "-b", "argument", NULL};
	static const struct option longer[] = {{"long", required_argument, NULL, 'l'}, {0}};
	int index = -1, option;

	while ((option = getopt_long(6, arguments, "ab:", longer, &index)) != -1)
		printf("%c %s %d;", option, optarg ? optarg : "-", index);
	printf(" %d %s\n", optind, arguments[optind]);
}

static void names(void)
{
	struct passwd user, *found = NULL, *root = getpwnam("root");
	struct group *group = getgrgid(0);
	char buffer[1024], text[64];
	struct in_addr address;
	struct in6_addr longer;

	printf("%s %d %s", root->pw_name, (int)root->pw_uid, group->gr_name);
	printf(" %d", getpwuid_r(0, &user, buffer, sizeof buffer, &found));
	printf(" %s", found ? found->pw_dir : "?");
	printf(" %d %d", getpwnam_r("nobody at all", &user, buffer, sizeof buffer, &found), !found);
	printf(" %d", inet_pton(AF_INET, "1.2.3.4", &address));
	printf(" %s %s", inet_ntop(AF_INET, &address, text, sizeof text), inet_ntoa(address));
	printf(" %d %d", inet_pton(AF_INET6, "::1", &longer), inet_aton("300.1", &address));
	printf(" %s\n", strerror_r(ENOENT, text, sizeof text));
}

static void patterns(void)
{
	regex_t expression;
	regmatch_t match[2];
	char text[64];

	printf("%d %d", fnmatch("*.c", "file.c", 0), fnmatch("*.c", "file.h", 0));
	printf(" %d", regcomp(&expression, "a(b+)c", REG_EXTENDED));
	printf(" %d", regexec(&expression, "xxabbc", 2, match, 0));
	printf(" %d %d", match[1].rm_so, match[1].rm_eo);
	printf(" %d\n", (int)regerror(REG_NOMATCH, &expression, text, sizeof text) > 0);
	regfree(&expression);
}

static void descriptors(void)
{
	int ends[2], ready = -1, fd;
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char pattern[] = "/tmp/norn-results.XXXXXX", line[32];

	if (pipe(ends) || write(ends[1], "12345", 5) != 5)
		abort();
	printf("%d %d", ioctl(ends[0], FIONREAD, &ready), ready);
	printf(" %d", fcntl(ends[0], F_SETFL, O_NONBLOCK));
	printf(" %d", fcntl(ends[0], F_GETFL) & O_NONBLOCK);
	fd = mkstemp(pattern);
	printf(" %d %d", fcntl(fd, F_SETLK, &lock), fcntl(fd, F_GETLK, &lock));
	printf(" %d", lock.l_type == F_UNLCK);
	FILE *f = fdopen(fd, "w+");
	fputs("first\nsecond\n", f);
	rewind(f);
	printf(" %s", fgets(line, sizeof line, f));
	fseek(f, -4, SEEK_END);
	printf("%s", fgets(line, sizeof line, f));
	fclose(f);
	unlink(pattern);
	close(ends[0]);
	errno = 0;
	printf("%d %d\n", isatty(ends[1]), errno == ENOTTY);
	close(ends[1]);
}

static void system_facts(void)
{
	char name[16] = "", *const child[] = {"/bin/sh", "-c", "exit 3", NULL};
	struct rlimit limit;
	struct sigaction action;
	sigset_t set, old;
	pthread_key_t key;
	cpu_set_t cpus;
	int state, status, ours = 0;
	pid_t pid;
	Dl_info info;

	prctl(PR_SET_NAME, "a name");
	prctl(PR_GET_NAME, name);
	printf("%s", name);
	printf(" %d", pthread_getname_np(pthread_self(), name, sizeof name));
	printf(" %s", name);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	printf(" %d", sigismember(&old, SIGUSR1));
	raise(SIGUSR1);
	sigpending(&set);
	printf(" %d", sigismember(&set, SIGUSR1));
	action.sa_handler = SIG_IGN;
	sigemptyset(&action.sa_mask);
	action.sa_flags = 0;
	sigaction(SIGUSR1, &action, NULL);
	printf(" %d", pthread_key_create(&key, NULL));
	printf(" %d", pthread_setspecific(key, name));
	printf(" %d", pthread_getspecific(key) == name);
	printf(" %d", pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state));
	printf(" %d", state == PTHREAD_CANCEL_ENABLE);
	printf(" %d", sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 0);
	printf(" %d", prlimit(0, RLIMIT_NOFILE, NULL, &limit));
	printf(" %d", dladdr((void *)(long)&printf, &info) != 0);
	if ((pid = fork()) == 0) {
		execv(child[0], child);
		_exit(1);
	}
	printf(" %d", wait4(pid, &status, 0, NULL) == pid);
	printf(" %d", WEXITSTATUS(status));
	for (char **e = environ; *e; e++)
		ours += strncmp(*e, "NORN_", 5) == 0;
	printf(" %d %d\n", ours, system("env | grep -q ^NORN_") != 0);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	paths();
	numbers();
	options();
	names();
	patterns();
	descriptors();
	system_facts();
	return 0;
}
