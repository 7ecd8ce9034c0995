#!/bin/sh
# SPDX-License-Identifier: MIT
# What libc's functions do between threads: right programs are clean, and what races beside them is
# found, at every level of optimisation. And what a recorded program could tell from one that is not.
. tests/cli/lib.sh
. tests/cli/recorded.sh
for program in tests/programs/libc/*.c tests/programs/libc/*.cpp; do
	for level in -O0 -O1 -O2; do
		try_program "$program" $level
	done
done

# An access that is told when it is over: to stand behind it shows nothing.
cat >"$tmp/late.c" <<END
#include <pthread.h>
#include <stdio.h>
int number, other;
static void *reads(void *unused) { other = number; return unused; }
static void *scans(void *unused) { sscanf("5", "%d", &number); return unused; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, reads, NULL);
	pthread_create(&b, NULL, scans, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
run "$bin/norn-cc" -w -O1 "$tmp/late.c" -o "$tmp/late"
run "$NORN" record -o "$tmp/late.norn" "$tmp/late"
run "$NORN" predict --replay "$tmp/late.norn"
out_has 'data race on number' "a race with scanf is predicted"
out_has 'had already made one of the accesses' "but not confirmed, and it says why"
! grep -q confirmed "$tmp/out"
result $? "nor called so"

# The number of a thread is stored by pthread_create itself, which can be stopped there.
cat >"$tmp/number.c" <<END
#include <pthread.h>
static pthread_t number;
int seen;
static void *reads(void *unused) { seen = number != 0; return unused; }
static void *nothing(void *unused) { return unused; }
int main(void)
{
	pthread_t a;
	pthread_create(&a, NULL, reads, NULL);
	pthread_create(&number, NULL, nothing, NULL);
	pthread_join(a, NULL);
	pthread_join(number, NULL);
	return 0;
}
END
run "$bin/norn-cc" -w -O1 "$tmp/number.c" -o "$tmp/number"
run "$NORN" record -o "$tmp/number.norn" "$tmp/number"
run "$NORN" predict --replay "$tmp/number.norn"
out_has 'data race on number \(confirmed' "a race for the number of a thread that is one is confirmed"

# The environment is the program's own, also in replay.
cat >"$tmp/environment.c" <<END
#include <pthread.h>
#include <stdio.h>
extern char **environ;
int lines, racy;
static void *races(void *unused) { racy++; return unused; }
int main(int argc, char **argv, char **envp)
{
	pthread_t a;
	for (char **e = environ; *e; e++)
		lines++;
	for (char **e = envp; *e; e++)
		lines--;
	for (char **e = environ; *e; e++)
		puts(*e);
	pthread_create(&a, NULL, races, NULL);
	racy++;
	pthread_join(a, NULL);
	return lines;
}
END
run "$bin/norn-cc" -w -O1 "$tmp/environment.c" -o "$tmp/environment"
run env -i PATH="$PATH" A=b C=d "$tmp/environment"
cp "$tmp/out" "$tmp/want"
run env -i PATH="$PATH" A=b C=d "$NORN" record -o "$tmp/environment.norn" "$tmp/environment"
status_is 0 "main's environment is the same as environ"
same_files "$tmp/want" "$tmp/out" "none of its lines is ours"
run env -i PATH="$PATH" A=b C=d "$NORN" record --follow -o "$tmp/environment.norn" "$tmp/environment"
same_files "$tmp/want" "$tmp/out" "nor with --follow"
run env -i PATH="$PATH" A=b C=d "$NORN" predict --replay "$tmp/environment.norn"
out_has 'confirmed' "a program that walks its environment is replayed"

# A signal that the process group gets comes once, one for norn record alone comes, too.
cat >"$tmp/signals.c" <<END
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile int came;
static void count(int signal) { (void)signal; came++; }
int main(int argc, char **argv)
{
	struct timespec rest = {.tv_sec = 1};
	signal(SIGTERM, count);
	kill(argc > 1 ? getppid() : 0, SIGTERM);
	while (argc > 1 ? !came : nanosleep(&rest, &rest))
		;
	printf("%d\n", came);
	return 0;
}
END
run "$bin/norn-cc" -w -O1 "$tmp/signals.c" -o "$tmp/signals"
run timeout 60 setsid --wait "$NORN" record -o "$tmp/signals.norn" "$tmp/signals"
out_is "a signal to the group comes once" <<END
1
END
run timeout 60 setsid --wait "$NORN" record -o "$tmp/signals.norn" "$tmp/signals" alone
out_is "one to norn record is forwarded" <<END
1
END
finish
