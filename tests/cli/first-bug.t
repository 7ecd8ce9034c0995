#!/bin/sh
# SPDX-License-Identifier: MIT
# doc/first-bug.md: every command of the page with the installed package, what it prints, and what the page for
# the browser shows.
. tests/cli/lib.sh
. tests/cli/page.sh

install_norn
# the main thread waits long enough for the worker on a machine that is busy, too
EXAMPLES=$tmp/examples
export EXAMPLES
mkdir "$EXAMPLES"
sed 's/usleep(100000)/usleep(3000000)/' examples/use-after-free.c >"$EXAMPLES/use-after-free.c"
page_commands doc/first-bug.md
# addresses differ from machine to machine, and events' numbers by how the compiler came to them
likened()
{
	sed 's/0x[0-9a-f]*/ADDRESS/g; s/(event [0-9]*)/(event N)/; s/of [0-9]* bytes/of N bytes/' "$1"
}
here=$PWD
mkdir "$tmp/user"
cd "$tmp/user" || exit 1
runs=0
for command in "$tmp"/page/[0-9][0-9]; do
	case $(cat "$command") in
	'norn run'*) want=$((runs ? 0 : 66)) runs=$((runs + 1)) ;;
	'norn replay'*) want=66 ;;
	*) want=0 ;;
	esac
	page_command "$command" $want
	[ $runs -eq 0 ] || [ -s bug.html ] || cp worker.html bug.html
done
[ $runs -eq 2 ]
result $? "a run with the bug, a run without"
cd "$here" || exit 1
if command -v chromium >/dev/null && command -v python3 >/dev/null; then
	run timeout 120 tests/support/browse "$tmp/user/bug.html" n '=document.querySelector("h2").textContent' \
		'=document.querySelector(".lanes .conditional").innerText.startsWith("reads the initial value")' \
		'=document.querySelectorAll(".source .here").length >= 2'
	out_has '^use after free on heap:worker.c:26~1$' "browser: the bug"
	[ "$(grep -c '^True$' "$tmp/out")" -eq 2 ]
	result $? "browser: the cause, and both places"
	run timeout 120 tests/support/browse "$tmp/user/worker.html" '=document.querySelector("h1").innerText'
	out_has '^Norn: 0 findings in worker.norn$' "browser: it is mended"
else
	echo "ok $((tests += 1)) - browser # SKIP no chromium or python3"
fi
finish
