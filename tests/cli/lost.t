#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording that lost something says so, on norn record's standard error and in the trace, and
# there is no all-clear over it; and what need not be lost is not.
. tests/cli/lib.sh
. tests/cli/recorded.sh

cat >"$tmp/loses.c" <<'EOF'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;

/* Some blocks of log, and no bug. */
static void *work(void *unused)
{
	for (int i = 0; i < 20000; i++) {
		pthread_mutex_lock(&lock);
		sum += i;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

/* Stacks of their own: there may be no memory for more. */
static int two_threads(void)
{
	static char stacks[2][1 << 20] __attribute__((aligned(4096)));

	for (int i = 0; i < 2; i++) {
		pthread_t thread;
		pthread_attr_t attributes;
		pthread_attr_init(&attributes);
		pthread_attr_setstack(&attributes, stacks[i], sizeof(stacks[i]));
		if (pthread_create(&thread, &attributes, work, NULL))
			return 20;
		pthread_join(thread, NULL);
	}
	return 0;
}

static void limit(int what, rlim_t n)
{
	struct rlimit l = {n, n};
	setrlimit(what, &l);
}

/* In the process that goes on: until the file is gone, for a minute at most. */
static void go_on(const char *file)
{
	for (int i = 0; i < 600 && !access(file, F_OK); i++)
		usleep(100000);
}

int main(int argc, char **argv)
{
	const char *how = argv[1], *with = argv[2];

	/* its own log, in which nobody else has to write */
	dup2(open(getenv("OWN_LOG"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666), 2);
	if (!strcmp(how, "setuid") && (setgid(65534) || setuid(65534)))
		return 9;
	if (!strcmp(how, "seteuid") && (seteuid(65534) || two_threads() || seteuid(0) || seteuid(65533)))
		return 9;
	if (!strcmp(how, "chroot") && (chroot(with) || chdir("/")))
		return 9;
	if (!strcmp(how, "jail") && (chroot(with) || chdir("/") || setresuid(65534, 65534, 65534)))
		return 9;
	if (!strcmp(how, "jail-closed")) {
		if (chroot(with) || chdir("/"))
			return 9;
		closefrom(3);
	}
	if (!strcmp(how, "quietly") && syscall(SYS_setuid, 65534))
		return 9;
	if (!strcmp(how, "closes"))
		for (int i = 3; i < 1024; i++)
			close(i);
	if (!strcmp(how, "opens"))
		while (open("/dev/null", O_RDONLY) >= 0)
			;
	if (!strcmp(how, "file-size"))
		limit(RLIMIT_FSIZE, 150000);
	void *volatile room = malloc(100000); /* for what pthread_create needs */
	free(room);
	if (!strcmp(how, "address-space"))
		limit(RLIMIT_AS, 1 << 20);
	if (!strcmp(how, "little-space"))
		limit(RLIMIT_AS, 64 << 20);
	if (!strcmp(how, "daemon")) {
		if (daemon(1, 1))
			return 9;
		go_on(with);
	}
	if (!strcmp(how, "double-fork")) {
		if (fork())
			_exit(0);
		setsid();
		if (fork())
			_exit(0);
		go_on(with);
	}
	if (!strcmp(how, "child-threads") || !strcmp(how, "child-alone") || !strcmp(how, "child-stays")) {
		int status = 0;
		pid_t child = fork();

		if (!child && how[6] == 't')
			_exit(two_threads());
		if (!child && how[6] == 's') {
			two_threads();
			go_on(with);
		}
		if (!child)
			_exit(0);
		if (how[6] != 's')
			waitpid(child, &status, 0);
		if (status)
			return 9;
	}
	if (!strcmp(how, "exec")) {
		execl("/not/there", "not-there", (char *)NULL);
		execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
	}
	if (!strcmp(how, "crashes")) { /* and has seen to it that nobody notices */
		static const long standard[4];
		syscall(SYS_rt_sigaction, SIGSEGV, standard, NULL, 8);
		return *(volatile int *)NULL;
	}
	if (!strcmp(how, "no-exec"))
		execl("/not/there", "not-there", (char *)NULL);
	if (!strcmp(how, "spawns") && system("exit 0"))
		return 9;
	int status = two_threads();
	if (!strcmp(how, "after")) /* somebody meddles with the recording */
		return system(with);
	return status;
}
EOF
export OWN_LOG="$tmp/own"
build()
{
	compile norn "$tmp/loses.c" -w -O1 "$@" -o "$tmp/loses"
}

# record STATUS OPTION… -- HOW…: $tmp/t.norn
record()
{
	want=$1
	shift
	rm -f "$tmp"/t*.norn "$OWN_LOG"
	name=$*
	run timeout 100 "$NORN" record -o "$tmp/t.norn" "$@" </dev/null
	status_is $want "$name: the program's exit status"
	[ ! -s "$OWN_LOG" ]
	result $? "$name: nothing is in the program's own files"
}

# says REASON: of what was recorded last.
says()
{
	err_has "^norn: .*: the recording is not complete: $1" "$name: norn record says so"
	run "$NORN" check "$tmp/t.norn"
	status_is 0 "$name: norn check"
	predict_says "$tmp/t.norn" "$1"
}

# predict_says TRACE REASON
predict_says()
{
	run "$NORN" predict "$1"
	status_is 4 "$name: norn predict: exit 4"
	out_has "^The recording is not complete: $2" "$name: norn predict says so"
	! grep -q 'Every candidate is decided' "$tmp/out"
	result $? "$name: no all-clear"
}

# loses STATUS REASON HOW…
loses()
{
	want_status=$1 reason=$2
	shift 2
	record $want_status "$tmp/loses" "$@"
	says "$reason"
}

# keeps STATUS HOW…: all is recorded.
keeps()
{
	want_status=$1
	shift
	record $want_status "$tmp/loses" "$@"
	run "$NORN" predict "$tmp/t.norn"
	status_is 0 "$name: norn predict: exit 0"
	out_has '^Every candidate is decided: race, deadlock and stuck, of this record' "$name: all is recorded"
}

skip()
{
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

mkdir "$tmp/jail"
for link in "" -static; do
	build $link
	keeps 0 nothing
	keeps 0 closes
	keeps 0 little-space
	keeps 0 child-alone
	keeps 0 no-exec
	keeps 0 spawns
	loses 0 'failure: t[a-z]*\.[0-9]: Too many open files \(.*ulimit -n' opens
	loses 0 'failure: (thread\.[0-9]|image): File too large \(.*ulimit -f' file-size
	loses 0 'failure: tail\.[0-9]: Cannot allocate memory \(.*ulimit -v' address-space
	loses 139 'signal: the program crashed where nothing could be recorded any more \(SIGSEGV\)' crashes
	loses 6 'exec: another program took its place' exec
	loses 0 'child: a process that was not recorded made threads \(process [0-9]+; --follow' \
		child-threads
	if [ "$(id -u)" -eq 0 ]; then
		keeps 0 setuid
		keeps 0 seteuid
		keeps 0 chroot "$tmp/jail"
		keeps 0 jail "$tmp/jail"
		loses 0 'failure: t[a-z]*\.[0-9]: No such file or directory \(.*root' \
			jail-closed "$tmp/jail"
		loses 0 'failure: t[a-z]*\.[0-9]: Permission denied \(.*privileges' quietly
	else
		skip "privileges that are given up" "only root has some"
	fi
done
[ -z "$(ls -d "$tmp"/*.rec.* 2>/dev/null)" ]
result $? "no recordings are left behind"

# Processes that go on.
build
for how in daemon double-fork; do
	: >"$tmp/go-on"
	loses 0 'child: the program went on in a process that was not recorded \(process [0-9]+; --follow' \
		$how "$tmp/go-on"
	rm "$tmp/go-on"
done
: >"$tmp/go-on"
record 0 --follow --timeout 3 "$tmp/loses" child-stays "$tmp/go-on"
rm "$tmp/go-on"
err_has ': the recording is not complete: running: the process had not ended' \
	"--follow: a child that is cut off"
for child in "$tmp"/t.*.norn; do
	predict_says "$child" 'running: the process had not ended'
done
run "$NORN" predict "$tmp/t.norn"
status_is 0 "--follow: its parent is complete"
record 0 --follow "$tmp/loses" child-threads
run "$NORN" predict "$tmp"/t.*.norn
status_is 0 "--follow: a child that ends"
run "$NORN" predict "$tmp/t.norn"
status_is 0 "--follow: and its parent"

# The shell's limits are those of norn record, too.
for blocks in 20 100 300; do
	rm -f "$tmp/t.norn"
	run sh -c 'ulimit -f "$1" && shift && exec timeout 60 "$@"' sh $blocks \
		"$NORN" record -o "$tmp/t.norn" "$tmp/loses" nothing </dev/null
	status_is 0 "ulimit -f $blocks: the program's exit status"
	name="ulimit -f $blocks"
	says 'failure: (t[a-z]*\.[0-9]|image): File too large'
done

# A full disk: the log ends, and there is space for the trace.
if unshare -m sh -c 'mount -t tmpfs none "$1"' sh "$tmp/jail" 2>/dev/null; then
	for size in 256k 1300k 2m; do
		rm -f "$tmp/t.norn"
		run unshare -m sh -c 'mount -t tmpfs -o size=$1 none "$2" && cd "$2" && shift 2 &&
			"$@"; s=$?; cp "$2/t.norn" .. 2>/dev/null || cp t.norn ..; exit $s' sh $size \
			"$tmp/jail" timeout 60 "$NORN" record -o t.norn "$tmp/loses" nothing </dev/null
		status_is 0 "a disk of $size: the program's exit status"
		name="a disk of $size"
		says 'failure: .*: No space left on device \(.*--output'
	done
else
	skip "a full disk" "no file system can be mounted here"
fi

# A log that is shorter than it was.
loses 0 'damage: ' after "rm -f '$tmp'/t.norn.rec.*/thread.1"
loses 0 'damage: ' after "truncate -s 4096 '$tmp'/t.norn.rec.*/thread.2"

# Limits that the user has set are told the same way; so they are by run and try.
record 0 --max-events 1k "$tmp/loses" nothing
says '--max-events$'
run timeout 60 "$NORN" run -o "$tmp/t.norn" "$tmp/loses" file-size
status_is 4 "norn run: exit 4"
out_has '^The recording is not complete: failure: thread' "norn run says so"
run timeout 60 "$NORN" try -w "$tmp/loses.c" -- file-size
status_is 4 "norn try: exit 4"
out_has '^The recording is not complete: failure: thread' "norn try says so"
record 0 "$tmp/loses" file-size
run "$NORN" predict --json "$tmp/t.norn"
json_is '$j->{complete} ? 1 : 0' 0 "JSON: not complete"
json_is '$j->{stopped_by}[0] =~ /^failure: thread/ ? 1 : 0' 1 "JSON: why"
run "$NORN" predict --sarif "$tmp/t.norn"
json_is 'join " ", map { $_->{descriptor}{id} } @{$j->{runs}[0]{invocations}[0]{toolExecutionNotifications}}' \
	norn/stopped "SARIF: a notification"
run "$NORN" show --stat "$tmp/t.norn"
out_has '^stopped-by failure: thread' "norn show says so"

# A finding in what was recorded is one.
cat >"$tmp/races.c" <<'EOF'
#include <pthread.h>
#include <unistd.h>
int x;
static void *other(void *unused)
{
	x = 1;
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	usleep(50000);
	x = 2;
	pthread_join(t, NULL);
	execl("/bin/true", "true", (char *)NULL);
	return 1;
}
EOF
compile norn "$tmp/races.c" -w -o "$tmp/races"
run timeout 60 "$NORN" run -o "$tmp/t.norn" "$tmp/races"
status_is 66 "a finding in a recording that is not complete: exit 66"
out_has '^The recording is not complete: exec' "it is told all the same"

# Several programs, one recording.
run timeout 60 "$NORN" record -o "$tmp/t.norn" sh -c "'$tmp/loses' nothing; '$tmp/loses' nothing"
status_is 0 "two programs"
name="two programs"
says 'others: more programs with Norn in them ran'

# Programs that do not come so far.
run timeout 60 "$NORN" record -o "$tmp/t.norn" true
status_is 3 "no Norn in it"
err_has '^norn: true was not built by norn cc' "no Norn in it: it is said"
cat >"$tmp/missing.c" <<'EOF'
int missing(void);
int main(void)
{
	return missing();
}
EOF
echo 'int missing(void) { return 0; }' >"$tmp/library.c"
cc -shared -fPIC "$tmp/library.c" -o "$tmp/libmissing.so"
compile norn "$tmp/missing.c" -w -o "$tmp/missing" -L"$tmp" -lmissing
run timeout 60 "$NORN" record -o "$tmp/t.norn" "$tmp/missing"
status_is 127 "a library is missing"
err_has '^norn: .*/missing ended with exit status 127 before the recording began$' \
	"a library is missing: it is said"
rm -f "$tmp/t.norn"
run timeout 60 "$NORN" run -o "$tmp/t.norn" sh -c 'exit 66'
status_is 3 "a status of a program that is not recorded is not ours"
finish
