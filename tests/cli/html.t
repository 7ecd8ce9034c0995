#!/bin/sh
# SPDX-License-Identifier: MIT
# The HTML report: one file that asks for nothing, safe against hostile names, small however much
# there is to say; and, if Chromium is there, what people see of it.
. tests/cli/lib.sh

# browse PAGE ARGUMENT…: as tests/support/browse, into $tmp/out
browse()
{
	run timeout 120 tests/support/browse "$@"
}

# can_browse NAME: else the tests of that name are skipped
can_browse()
{
	command -v chromium >/dev/null && command -v python3 >/dev/null && return
	tests=$((tests + 1))
	echo "ok $tests # SKIP no chromium or python3: $1"
	return 1
}

mkdir "$tmp/src"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	printf '\tline_%s("</script><b>", a && b);\n' $i
done >"$tmp/src/main.c"
cp "$tmp/src/main.c" "$tmp/src/secret"
evil='</script><img/src=x/onerror=document.title="bad">'
cat >"$tmp/evil.trace" <<END
t1 fork $evil @$tmp/src/main.c:2:3:main
t1 write x$evil 1 @$tmp/src/main.c:4:2:f$evil
t1 acquire l$evil @$tmp/src/main.c:5:2:produce
t1 write y 1 @$tmp/src/main.c:6:2:produce
t1 release l$evil @$tmp/src/main.c:7:2:produce
$evil acquire l$evil @$tmp/src/main.c:8:2:consume
$evil write y 2 @$tmp/src/main.c:9:2:consume
$evil release l$evil @$tmp/src/main.c:10:2:consume
$evil read x$evil 1 @$tmp/src/secret:11:2:consume
END
page=$tmp/evil.html
run "$NORN" predict --html "$page" "$tmp/evil.trace"
status_is 66 "hostile names"
[ "$(grep -c '<script\|<img\|<b>' "$page")" -eq 2 ] && [ "$(grep -o '</script>' "$page" | wc -l)" -eq 2 ]
result $? "hostile names: no tag comes of them"
grep -q "Content-Security-Policy.*default-src 'none'.*script-src 'sha256-[A-Za-z0-9+/]*=*'; style-src 'sha256-" "$page"
result $? "a policy that allows nothing else"
! grep -qi 'https*://\|@import\|url(' "$page"
result $? "nothing from the network"
grep -q 'line_4(' "$page" && ! grep -q 'secret":{' "$page"
result $? "source lines of sources alone"
if can_browse "hostile names"; then
	browse "$page" '=document.title' '=document.images.length + " " + document.scripts.length' \
		'=document.querySelector("h2").textContent' \
		'=document.querySelector(".source .here i").textContent.trim()'
	out_has '^Norn$' "browser: the title is ours"
	out_has '^0 0$' "browser: no images, no scripts"
	out_has '^data race on x</script><img/src=x/onerror=document.title="bad">$' "browser: the name is text"
	out_has '^line_4\("</script><b>", a && b\);$' "browser: the line of the access"
	out_has '^requests 0 errors 0 ' "browser: no requests, no errors"

	# stepping, by keys and by buttons, and the recorded order
	browse "$page" '=document.body.dataset.step' k k k '=document.body.dataset.step' \
		'=document.querySelector("#lanes tr.now").innerText.includes("writes y = 2")' \
		'=document.getElementById("state").innerText.includes("y = 2")' \
		'=[...document.querySelectorAll("#state .changed")].map(r => r.innerText).join().includes("l<")' \
		'=document.getElementById("on").click(), document.body.dataset.step' \
		'=[...document.querySelectorAll("#lanes tbody tr td:first-child")].map(c => c.innerText).join()' \
		o '=[...document.querySelectorAll("#lanes tbody tr td:first-child")].map(c => c.innerText).join()'
	sed '$d' "$tmp/out" >"$tmp/steps"
	cp "$tmp/steps" "$tmp/out"
	out_is "browser: stepping, values, locks, both orders" <<'END'
5
2
True
True
True
3
1,6,7,8,2,9
1,2,6,7,8,9
END
	# narrow windows have no sideways scroll of the page; dark is dark
	for size in 360x740 1800x900; do
		browse "$page" --size $size '=document.documentElement.scrollWidth <= innerWidth'
		out_has '^True$' "browser: $size"
	done
	browse "$page" --dark '=getComputedStyle(document.body).backgroundColor'
	out_has '^rgb\(20, 23, 26\)$' "browser: dark"
fi

# every kind of finding
for file in $conformance/[!rs]*.trace tests/stuck/*.trace; do
	mkdir -p "$tmp/all"
	"$NORN" predict --json "$file" >"$tmp/all/$(basename "$file").json" 2>/dev/null || [ $? -ne 3 ] ||
		rm "$tmp/all/$(basename "$file").json"
done 2>/dev/null
run "$NORN" report --html "$tmp/all.html" "$tmp/all"
status_is 66 "a page of many reports"
if can_browse "every kind of finding"; then
	browse "$tmp/all.html" '=findings.every(f => { location.hash = f.fingerprint; show(); return document.querySelector("h2").textContent === title(f); })' \
		'=location.hash = "", show(), document.getElementById("main").innerText.includes("What was examined")' n \
		'=location.hash === "#" + findings[0].fingerprint'
	out_has '^requests 0 errors 0 ' "browser: every kind of finding"
	[ "$(grep -c '^True$' "$tmp/out")" -eq 3 ]
	result $? "browser: each is shown, and the first screen"
fi

# a property: its events in both orders; and where a block came from, and the commands to see it again
if can_browse "of a property, of a block"; then
	cat >"$tmp/block.trace" <<'END'
memory heap:a.c:3~1 heap:a.c:3~1 0x1000 8
t1 alloc heap:a.c:3~1 @a.c:3:1:make
t1 fork t2
t1 write heap:a.c:3~1 94824992860600 @a.c:4
t2 free heap:a.c:3~1 @a.c:5
END
	"$NORN" predict --json "$tmp/block.trace" |
		perl -pe 's/("suppressed": false,)/$1 "replay": {"confirmed": true, "text": "x", "follows": [], "again": "norn replay a#1"},/' \
			>"$tmp/block.json"
	"$NORN" report --html "$tmp/block.html" "$tmp/block.json" >/dev/null
	browse "$tmp/block.html" n '=document.getElementById("main").innerText.includes("The block was allocated by thread t1 at a.c:3")' \
		'=[...document.querySelectorAll("code.again")].map(c => c.textContent).join(", ")' \
		'=document.querySelector(".box strong").textContent'
	sed '$d' "$tmp/out" >"$tmp/lines"
	cp "$tmp/lines" "$tmp/out"
	out_is "browser: where a block was allocated, commands, addresses" <<'END'
True
norn replay a#1, norn replay --gdb a#1
write of heap:a.c:3~1 = 0x563e2a03e9b8
END
	cat >"$tmp/order.csp" <<'END'
channel a, b : {0 .. 9}
assert a.0 -> b.1 -> STOP [T= PROGRAM |\ {|a, b|}
END
	printf 't1 fork t2\nt1 mark a @a.c:1\nt2 mark b @a.c:2\n' >"$tmp/order.trace"
	"$NORN" predict --property "$tmp/order.csp" --html "$tmp/order.html" "$tmp/order.trace" >/dev/null
	browse "$tmp/order.html" n '=[...document.querySelectorAll("#specification td")].map(c => c.innerText.trim()).join("|")'
	out_has '^b.1 thread t2, a\.c:2\|a.0 thread t1, a\.c:1\|\|b.1 thread t2, a\.c:2$' "browser: events of a specification, here and as recorded"
fi

# ten thousand findings
perl -MJSON::PP -e '
	my $j = decode_json(do { local $/; <STDIN> });
	my $f = encode_json($j->{findings}[0]);
	$j->{findings} = [map { my $n = decode_json($f); $n->{fingerprint} = sprintf("%016x", $_);
		$n->{variable} = "x" . $_ % 700; $n } 1 .. 10000];
	print encode_json($j);' <"$tmp/all/peterson.trace.json" >"$tmp/many.json"
run "$NORN" report --html "$tmp/many.html" --output "$tmp/many.text" "$tmp/many.json"
status_is 66 "10,000 findings"
[ "$(wc -c <"$tmp/many.html")" -lt 10000000 ]
result $? "10,000 findings: less than 10 MB"
if can_browse "10,000 findings"; then
	browse "$tmp/many.html" '=document.body.dataset.listed' '=data.left_out' \
		'=location.hash = findings[9999].fingerprint, show(), document.querySelector("h2").textContent'
	out_has '^10000$' "browser: 10,000 findings are listed"
	out_has '^data race on x200$' "browser: the last one can be shown"
	out_has '^requests 0 errors 0 ' "browser: 10,000 findings: no errors"
	sed -n 's/^requests.*milliseconds/# 10,000 findings, milliseconds:/p' "$tmp/out"
fi

# a page of a report from a stranger, whose names of members are hostile
sed 's#"events": \[#"</script><script>document.title=1</script>": 1, &#' "$tmp/all/peterson.trace.json" |
	sed 's#"instances"#"<img src=x>"#' >"$tmp/keys.json"
run "$NORN" report --html "$tmp/keys.html" "$tmp/keys.json"
status_is 66 "hostile members"
[ "$(grep -o '</script>' "$tmp/keys.html" | wc -l)" -eq 2 ] && ! grep -q '<img' "$tmp/keys.html"
result $? "hostile members: no tag comes of them"
finish
