/* SPDX-License-Identifier: MIT */
/* Time, files by name, the system: what is filled is logged, and is what libc says. */
#include "runtime/libc/replaced.h"
#include "support/ranges_log.h"
#include "support/tap.h"

#include <errno.h>
#include <limits.h>

static bool filled(const void *p, size_t n)
{
	return ranges_log_is(true, p, n);
}

TAP_CASE(clocks)
{
	struct timespec t = {-1, -1}, rest = {7, 7};
	struct timeval v = {-1, -1};
	time_t now = -1;
	ranges_log_clear();
	ASSERT_EQ(__norn_clock_gettime(CLOCK_MONOTONIC, &t), 0);
	ASSERT_TRUE(t.tv_sec >= 0 && filled(&t, sizeof t));
	ranges_log_clear();
	ASSERT_EQ(__norn_gettimeofday(&v, NULL), 0);
	ASSERT_TRUE(v.tv_sec > 0 && filled(&v, sizeof v));
	ranges_log_clear();
	ASSERT_EQ(__norn_time(&now) == now && filled(&now, sizeof now), 1);
	ASSERT_TRUE(__norn_time(NULL) >= now);
	ASSERT_EQ(__norn_clock_gettime(-77777, &t), -1);
	ASSERT_EQ(errno, EINVAL);
	t = (struct timespec){0, 1000};
	ranges_log_clear();
	ASSERT_EQ(__norn_nanosleep(&t, &rest), 0);
	ASSERT_EQ(rest.tv_sec, 7);
	ASSERT_EQ(ranges_log.long_calls, 1);
	t.tv_nsec = -1;
	ASSERT_EQ(__norn_nanosleep(&t, &rest), -1);
	ASSERT_EQ(errno, EINVAL);
	ASSERT_EQ(__norn_clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &rest), EINVAL);
}

TAP_CASE(calendars)
{
	time_t t = 1234567890;
	struct tm got, want;
	char text[2][64];
	ranges_log_clear();
	ASSERT_TRUE(__norn_gmtime_r(&t, &got) == &got);
	ASSERT_TRUE(filled(&got, sizeof got));
	gmtime_r(&t, &want);
	ASSERT_EQ(got.tm_hour, want.tm_hour);
	ASSERT_EQ(__norn_localtime_r(&t, &got)->tm_hour, localtime_r(&t, &want)->tm_hour);
	ranges_log_clear();
	struct tm *shared = __norn_localtime(&t);
	ASSERT_TRUE(filled(shared, sizeof *shared));
	ASSERT_EQ(shared->tm_year, want.tm_year);
	ASSERT_EQ(__norn_gmtime(&t)->tm_year, 109);
	got.tm_sec = want.tm_sec = 3600;
	ASSERT_EQ(__norn_mktime(&got), mktime(&want));
	ASSERT_EQ(got.tm_sec, want.tm_sec);
	ASSERT_EQ(__norn_timegm(&got), timegm(&want));
	ASSERT_STR_EQ(__norn_asctime_r(&got, text[0]), asctime_r(&want, text[1]));
	ASSERT_STR_EQ(__norn_ctime_r(&t, text[0]), ctime_r(&t, text[1]));
	for (size_t max = 0; max < 20; max++) {
		memset(text, '#', sizeof text);
		ranges_log_clear();
		size_t n = strftime(text[1], max, "%Y-%m-%d", &want);
		ASSERT_EQ(__norn_strftime(text[0], max, "%Y-%m-%d", &got), n);
		if (n)
			ASSERT_TRUE(!memcmp(text[0], text[1], n + 1) && filled(text[0], n + 1));
	}
}

TAP_CASE(facts_about_files)
{
	struct stat got, want;
	char path[] = "/", text[2][PATH_MAX];
	memset(&got, 0, sizeof got);
	ranges_log_clear();
	ASSERT_EQ(__norn_stat(path, &got), 0);
	ASSERT_EQ(stat(path, &want), 0);
	ASSERT_EQ(got.st_ino, want.st_ino);
	ASSERT_TRUE(filled(&got, sizeof got) && ranges_log_bytes(false, path, 2) == 2);
	ranges_log_clear();
	ASSERT_EQ(__norn_lstat("/no such file", &got), -1);
	ASSERT_EQ(errno, ENOENT);
	ASSERT_EQ(ranges_log_bytes(true, &got, sizeof got), 0);
	ASSERT_EQ(__norn_fstat(0, &got), fstat(0, &want));
	ASSERT_EQ(__norn_fstatat(AT_FDCWD, path, &got, 0), 0);
	ranges_log_clear();
	ASSERT_STR_EQ(__norn_getcwd(text[0], PATH_MAX), getcwd(text[1], PATH_MAX));
	ASSERT_TRUE(filled(text[0], strlen(text[0]) + 1));
	ASSERT_TRUE(!__norn_getcwd(text[0], 1));
	ASSERT_EQ(errno, ERANGE);
	char *fresh = __norn_getcwd(NULL, 0);
	ASSERT_STR_EQ(fresh, text[1]);
	free(fresh);
	ASSERT_STR_EQ(__norn_realpath("/usr/..", text[0]), "/");
	fresh = __norn_realpath("/usr/../usr", NULL);
	ASSERT_STR_EQ(fresh, "/usr");
	free(fresh);
	ranges_log_clear();
	ssize_t n = __norn_readlink("/proc/self/exe", text[0], PATH_MAX);
	ASSERT_EQ(n, readlink("/proc/self/exe", text[1], PATH_MAX));
	ASSERT_TRUE(filled(text[0], (size_t)n) && !memcmp(text[0], text[1], (size_t)n));
	DIR *d = __norn_opendir("/");
	ranges_log_clear();
	struct dirent *entry = __norn_readdir(d);
	ASSERT_TRUE(filled(entry, entry->d_reclen));
	closedir(d);
}

TAP_CASE(files_are_made_and_removed)
{
	char pattern[] = P_tmpdir "/norn-test-XXXXXX", other[64];
	ranges_log_clear();
	int fd = __norn_mkstemp(pattern);
	ASSERT_TRUE(fd >= 0 && ranges_log_bytes(true, pattern, sizeof pattern) == 6);
	ASSERT_TRUE(!strstr(pattern, "XXXXXX"));
	close(fd);
	snprintf(other, sizeof other, "%s.x", pattern);
	ASSERT_EQ(__norn_access(pattern, R_OK), 0);
	ASSERT_EQ(__norn_rename(pattern, other), 0);
	fd = __norn_open(other, O_RDWR | O_CREAT, 0600);
	ASSERT_TRUE(fd >= 0);
	close(fd);
	ASSERT_EQ(__norn_unlink(other), 0);
	ASSERT_EQ(__norn_unlink(other), -1);
	ASSERT_EQ(errno, ENOENT);
	ASSERT_EQ(__norn_open(other, O_RDONLY), -1);
	fd = __norn_openat(AT_FDCWD, other, O_CREAT | O_WRONLY, 0400);
	struct stat s;
	ASSERT_TRUE(fd >= 0 && !fstat(fd, &s));
	ASSERT_EQ(s.st_mode & 0777, 0400);
	close(fd);
	unlink(other);
	FILE *f = __norn_fopen("/dev/null", "r");
	ASSERT_TRUE(f && !fclose(f));
}

TAP_CASE(the_system)
{
	struct utsname got, want;
	char text[2][300];
	int status = 0;
	ranges_log_clear();
	ASSERT_EQ(__norn_uname(&got), 0);
	uname(&want);
	ASSERT_STR_EQ(got.release, want.release);
	ASSERT_TRUE(filled(&got, sizeof got));
	ASSERT_EQ(__norn_gethostname(text[0], 300), gethostname(text[1], 300));
	ASSERT_STR_EQ(text[0], text[1]);
	ASSERT_EQ(__norn_setenv("NORN_TEST", "value", 1), 0);
	ASSERT_STR_EQ(__norn_getenv("NORN_TEST"), "value");
	ASSERT_EQ(__norn_unsetenv("NORN_TEST"), 0);
	ASSERT_TRUE(!__norn_getenv("NORN_TEST"));
	pid_t child = fork();
	if (!child)
		_exit(7);
	ranges_log_clear();
	ASSERT_EQ(__norn_waitpid(child, &status, 0), child);
	ASSERT_EQ(WEXITSTATUS(status), 7);
	ASSERT_TRUE(filled(&status, sizeof status));
	ASSERT_EQ(__norn_wait(&status), -1);
	ASSERT_EQ(errno, ECHILD);
	sigset_t set;
	ranges_log_clear();
	ASSERT_EQ(__norn_sigemptyset(&set), 0);
	ASSERT_EQ(__norn_sigaddset(&set, SIGUSR1), 0);
	ASSERT_EQ(__norn_sigismember(&set, SIGUSR1), 1);
	ASSERT_TRUE(filled(&set, sizeof set));
	struct rlimit limit;
	ASSERT_EQ(__norn_getrlimit(RLIMIT_NOFILE, &limit), 0);
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *list;
	ranges_log_clear();
	ASSERT_EQ(__norn_getaddrinfo("127.0.0.1", "80", &hints, &list), 0);
	ASSERT_EQ(ranges_log_bytes(true, list, sizeof *list), sizeof *list);
	freeaddrinfo(list);
}
