#!/bin/sh
# SPDX-License-Identifier: MIT
# Libraries with hooks in programs without: plugins of a host in C, modules of Debian's python3.
. tests/cli/lib.sh
. tests/cli/recorded.sh
programs=$PWD/tests/programs/plugins
python=/usr/bin/python3
cd "$tmp" || exit 1

line()
{
	grep -n "/\* @$2 \*/" "$programs/$1" | cut -d: -f1
}

# judge NAME COMMAND…: it is recorded, and what is predicted is replayed, again if time went against
# it; the exit status of norn predict is in $judged.
judge()
{
	judge_name=$1
	shift
	run "$NORN" record -o plugin.norn "$@"
	status_is 0 "$judge_name: recorded"
	err_has 'the program was not built by norn cc; recorded from where it loaded' \
		"$judge_name: that the host has no hooks is said"
	run "$NORN" predict --replay plugin.norn
}

# A record that does not have it, or a replay that a lock of the host is in the way of, says nothing
# against the next one.
racy()
{
	racy_name=$1 racy_place=$2
	shift 2
	for racy_try in 1 2 3; do
		"$NORN" record -o plugin.norn "$@" >/dev/null 2>&1
		run "$NORN" predict --replay plugin.norn
		grep -q 'confirmed: certified and replayed' out && break
	done
	status_is 66 "$racy_name: found"
	out_has 'confirmed: certified and replayed' "$racy_name: and replayed"
	out_has "data race: .*:$racy_place in" "$racy_name: there"
}

right()
{
	judge "$@"
	status_is 0 "$1: nothing is found"
	out_has '^Every candidate is decided' "$1: all is decided"
}

gcc -g -O1 -pthread "$programs/host.c" -o host -ldl || exit 1
for level in -O0 -O2; do
	run "$NORN" cc -g $level -shared -fPIC -Wl,-z,defs "$programs/plugin.c" -o plugin.so
	status_is 0 "$level: a plugin is linked"
	run ./host ./plugin.so right together
	status_is 0 "$level: it runs without Norn"
	racy "$level, threads of the host" "$(line plugin.c racy)" ./host ./plugin.so racy together
	right "$level, a mutex of the plugin" ./host ./plugin.so right together
	right "$level, a mutex of the host" ./host ./plugin.so racy locked
	right "$level, an atomic flag of the host" ./host ./plugin.so racy flag
	right "$level, a mailbox of the host" ./host ./plugin.so racy mailbox
	right "$level, the host looks at memory of the plugin" ./host ./plugin.so racy polled
	racy "$level, threads of the plugin" "$(line plugin.c own)" ./host ./plugin.so threads_racy once
	right "$level, a mutex between them" ./host ./plugin.so threads_right once
done

run "$NORN" c++ -g -O2 -shared -fPIC "$programs/plugin.cpp" -o plugin++.so
status_is 0 "C++: a plugin is linked"
run ./host ./plugin++.so threads_right once
status_is 0 "C++: it runs without Norn"
racy "C++" "$(line plugin.cpp own)" ./host ./plugin++.so threads_racy once
right "C++, with a mutex" ./host ./plugin++.so threads_right once

# the same library in a program that has hooks itself: there is one runtime
run "$NORN" cc -g -O2 -pthread "$programs/host.c" -o hooked -ldl
run "$NORN" record -o hooked.norn ./hooked ./plugin.so threads_racy once
status_is 0 "in a program with hooks: recorded"
grep -q 'the program was not built' err
result $((!$?)) "in a program with hooks: it is no host"
run "$NORN" predict hooked.norn
status_is 66 "in a program with hooks: found"

# what the user has loaded stays, behind the runtime; and a shell is no host
cat >noisy.c <<'END'
#include <stdio.h>
__attribute__((constructor)) static void here(void)
{
	fputs("noisy\n", stderr);
}
END
gcc -shared -fPIC noisy.c -o noisy.so || exit 1
run env LD_PRELOAD="$tmp/noisy.so" "$NORN" record -o plugin.norn ./host ./plugin.so right together
err_has '^noisy' "LD_PRELOAD of the user is kept"
run "$NORN" record -o plugin.norn sh -c './host ./plugin.so threads_racy once; true'
status_is 0 "a host that a shell runs: recorded"
run "$NORN" predict plugin.norn
status_is 66 "a host that a shell runs: found"
run "$NORN" record -o plugin.norn sh -c './hooked ./plugin.so threads_racy once; true'
status_is 0 "a program with hooks that a shell runs: recorded"
grep -q 'the program was not built' err
result $((!$?)) "a program with hooks that a shell runs: it is no host"

# nothing with hooks anywhere: no trace that would say that nothing is wrong
rm -f plugin.norn
run "$NORN" record -o plugin.norn ./host none none unloaded
status_is 3 "no hooks: the exit status"
err_has 'was not built by norn cc, nor was any library that it has loaded' "no hooks: that is said"
test ! -e plugin.norn
result $? "no hooks: no trace"
gcc -static -x c - -o static <<'END' || exit 1
int main(void)
{
	return 0;
}
END
run "$NORN" record -o plugin.norn ./static
status_is 3 "a static program: the exit status"
err_has 'linked statically' "a static program: that is said"

echo 'int main(void) { return 0; }' | gcc -fsanitize=address -x c - -o sanitized || exit 1
run "$NORN" record -o plugin.norn ./sanitized
status_is 3 "a program with a sanitizer: it runs"
err_has 'has a sanitizer' "a program with a sanitizer: that is said"

for command in ./sanitized 'PATH=.:$PATH; env sanitized' './sanitized && env ./sanitized'; do
	run "$NORN" record -o plugin.norn sh -c "$command && echo it runs"
	out_has '^it runs$' "a program with a sanitizer, started by a shell: $command"
done
echo 'int preloaded_too;' | gcc -shared -fPIC -x c - -o other.so || exit 1
cat >asks.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) { puts(getenv("LD_PRELOAD")); }
END
gcc -fsanitize=address asks.c -o asks || exit 1
run env LD_PRELOAD="$PWD/other.so" ASAN_OPTIONS=verify_asan_link_order=0 "$NORN" record -o plugin.norn sh -c './asks; true'
out_is "a program with a sanitizer, started by a shell: it keeps what the user preloads" <<END
$PWD/other.so
END

# hooks that are bound elsewhere see no locks, and record nothing
sed 's/RTLD_NOW/RTLD_NOW | RTLD_DEEPBIND/; 1i #define _GNU_SOURCE' "$programs/host.c" >deep.c
gcc -g -O1 -pthread deep.c -o deep -ldl || exit 1
rm -f plugin.norn
run "$NORN" record -o plugin.norn ./deep ./plugin.so right together
status_is 3 "RTLD_DEEPBIND: nothing is recorded"
test ! -e plugin.norn
result $? "RTLD_DEEPBIND: no trace"

# what the host orders is not varied
run "$NORN" hunt --runs 5 -o hunted ./host ./plugin.so threads_right once
out_has 'not sure: .*the program itself has no hooks' "norn hunt: not all behaviours are explored"

# --follow: the host is a child
run "$NORN" record --follow -o followed.norn ./host ./plugin.so threads_racy once
status_is 0 "--follow: recorded"

run "$NORN" cc -g -O2 -shared -fPIC $($python-config --includes) "$programs/extension.c" -o extension.so
status_is 0 "Python: a module is linked"
run $python "$programs/script.py" "$tmp" under_gil
status_is 0 "Python: it runs without Norn"
racy "Python, without its lock" "$(line extension.c racy)" $python "$programs/script.py" "$tmp" racy
right "Python, a mutex of the module" $python "$programs/script.py" "$tmp" under_mutex
right "Python, under its lock" $python "$programs/script.py" "$tmp" under_gil
run "$NORN" run $python "$programs/script.py" "$tmp" under_mutex
status_is 0 "norn run, a module of Python"

finish
