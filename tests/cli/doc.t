#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages in doc/ say what the code says; what they show works; what make install installs is
# there; and rooms include rooms to their left alone.
. tests/cli/lib.sh
command_run="reading doc/"
status=0
: "${BUILD:=$PWD/build}"

# no_diff NAME: $tmp/code and $tmp/page are the same.
no_diff()
{
	diff "$tmp/code" "$tmp/page" >"$tmp/diff"
	result $? "$1"
	sed 's/^/# /' "$tmp/diff"
}

# section PAGE NAME: the lines of one section.
section()
{
	awk -v name="$2" '/^\.Sh / { inside = $0 == ".Sh " name; next } inside' "$1"
}

# What roff stands for.
plain()
{
	sed 's/\\-/-/g; s/\\(aq/'\''/g; s/\\(dq/"/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\&//g; s/\\e/\\/g'
}

# items PAGE SECTION: the first word of each item of its lists, as in `.It Cm fork Ar T`.
items()
{
	section "$1" "$2" | sed -n 's/^\.It Cm \([^ ]*\).*/\1/p' | plain
}

# strings FILE MACRO: the first string of each row of a table of the code.
strings()
{
	awk -v macro="#define $2(row)" 'index($0, macro) { inside = 1; next }
		inside { print } inside && !/\\$/ { exit }' "$1" |
		sed -n 's/^[^"]*"\([^"]*\)".*/\1/p'
}

verbs=$("$NORN" help | sed -n 's/^  \([a-z+]*\)  *[A-Z].*/\1/p')
[ "$(echo "$verbs" | wc -l)" -ge 8 ]
result $? "norn help lists verbs"
echo "$verbs" | sort >"$tmp/code"
ls doc | sed -n 's/^norn-\(.*\)\.1$/\1/p' | sort >"$tmp/page"
no_diff "one page a verb"
echo "$verbs" >"$tmp/code"
sed -n 's/^\.It Xr norn-\([a-z+]*\) 1$/\1/p' doc/norn.1 >"$tmp/page"
no_diff "norn(1) lists the verbs"
for verb in $verbs; do
	page=doc/norn-$verb.1
	"$NORN" $verb --help >"$tmp/help"
	sed -n 's/^  \(-.,\)\{0,1\} *\(--[^ ]*\)\( [A-Z]*\)\{0,1\} .*/\1 \2\3/p' "$tmp/help" |
		sed 's/^ *//; s/ $//' >"$tmp/code"
	sed -n 's/^\.It Fl \(.*\)/\1/p' $page |
		sed 's/^\([a-z]\) , Fl /-\1, /; s/-\([a-z-]*\)\( Ar \|$\)/--\1\2/; s/ Ar / /' \
			>"$tmp/page"
	no_diff "norn-$verb(1): the options, their letters and arguments"
	sed -n 's/^        \([a-z][a-z0-9-]*\)  .*/\1/p' "$tmp/help" | sort -u >"$tmp/code"
	section $page OPTIONS | sed -n 's/^\.It Cm \([a-z0-9-]*\).*/\1/p' | sort -u >"$tmp/page"
	no_diff "norn-$verb(1): the choices"
	sed '/^$/q' "$tmp/help" | grep -o -e '--[a-z-]*' >"$tmp/code"
	section $page SYNOPSIS | grep -o 'Fl -[a-z-]*' | sed 's/Fl -/--/' >"$tmp/page"
	no_diff "norn-$verb(1): the synopsis has the options of the usage"
	for name in DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
		[ -n "$(section $page "$name")" ]
		result $? "norn-$verb(1): $name"
	done
done

strings src/trace/event.h EVENT_KINDS >"$tmp/code"
items doc/norn-trace.5 EVENTS >"$tmp/page"
[ "$(wc -l <"$tmp/code")" -ge 29 ]
result $? "event.h has kinds of events"
no_diff "norn-trace(5): the events, in the order of their numbers"
strings src/trace/expr.h EXPR_OPS | grep . >"$tmp/code"
items doc/norn-trace.5 EXPRESSIONS >"$tmp/page"
[ "$(wc -l <"$tmp/code")" -ge 32 ]
result $? "expr.h has operators"
no_diff "norn-trace(5): the operators, in the order of their numbers"
sed -n '/^} declarations\[\] = {/,/^};/p' src/trace/text_declare.c | grep -o '{"[a-z]*"' |
	tr -d '{"' | sort >"$tmp/code"
items doc/norn-trace.5 DECLARATIONS | sort >"$tmp/page"
[ -s "$tmp/code" ]
result $? "text_declare.c has declarations"
no_diff "norn-trace(5): the declarations"
strings src/trace/event.h MEMORY_ORDERS | grep -v plain >"$tmp/code"
section doc/norn-trace.5 ANNOTATIONS | sed -n '/^is one of/,/^Two atomic/s/^\.Cm \([a-z_]*\).*/\1/p' \
	>"$tmp/page"
no_diff "norn-trace(5): the memory orders"
strings src/trace/models.h MODELS >"$tmp/code"
section doc/norn-witness.5 DESCRIPTION |
	sed -n '/^\.It Cm model/,/^see$/s/^\.Cm \([a-z]*\).*/\1/p' >"$tmp/page"
no_diff "norn-witness(5): the models"
strings src/trace/models.h BUG_KINDS >"$tmp/code"
section doc/norn-witness.5 DESCRIPTION | sed -n 's/^\.It Cm bug \([a-z]*\).*/\1/p' >"$tmp/page"
no_diff "norn-witness(5): the kinds of bug"
# A kind of bug is a row of tables: only a file that is about one kind may compare kinds.
! grep -rnE '([=!]= |case )BUG_[A-Z]' src cmd | grep -v 'BUG_COUNT\|^src/predict/stuck_told.c:' >&2
result $? "nobody decides by the kind of bug"

# words PAGE SECTION
words()
{
	section "$1" "$2" | grep '^\.\(It \)\{0,1\}\(Pq \)\{0,1\}Cm ' | tr -s ' ,' '\n' | sort -u
}
report_bugs=$(grep -l '^const struct bug_report ' src/report/*.c)
grep -o 'json_[a-z0-9]*([a-z]*, "[a-z_]*"\|put_[a-z]*(s, json, "[a-z_]*"' src/report/json.c src/report/json_last.c \
	$report_bugs |
	sed 's/.*"\(.*\)"/\1/' | sort -u >"$tmp/code"
[ "$(wc -l <"$tmp/code")" -ge 50 ]
result $? "json.c has members"
words doc/norn-report.5 JSON | comm -12 "$tmp/code" - >"$tmp/page"
no_diff "norn-report(5): the members of the JSON report"
strings src/predict/suppress.h SUPPRESSION_TYPES | sort >"$tmp/code"
words doc/norn-report.5 SUPPRESSIONS | comm -12 "$tmp/code" - >"$tmp/page"
no_diff "norn-report(5): the types of suppressions"
sed -n 's/.*"norn\/\([a-z-]*\)", *"[A-Z].*/norn\/\1/p' src/report/sarif.c \
	$report_bugs | sort >"$tmp/code"
words doc/norn-report.5 SARIF | grep ^norn/ >"$tmp/page"
no_diff "norn-report(5): the rules"

strings src/events/events.h EVENTS_EFFECTS >"$tmp/code"
items doc/norn-events.5 EVENTS >"$tmp/page"
[ "$(wc -l <"$tmp/code")" -ge 14 ]
result $? "events.h has events"
no_diff "norn-events(5): the events, in the order of the table"

cat src/[!b]*/tune.h src/*/*/tune.h | tr -d '\n\\\\' | grep -o 'row([a-z]*, [^"]*"' | tr -d '\t "' |
	sed 's/row(//; s/,/./' | sort >"$tmp/code"
[ "$(wc -l <"$tmp/code")" -ge 30 ]
result $? "the rooms have tables of effort"
section doc/norn-predict.1 TUNING | sed -n 's/^\.It Cm \([^ ]*\) Pq \([0-9]*\) , \([0-9]*\) No to \([0-9]*\)$/\1,\2,\3,\4,/p' |
	sort >"$tmp/page"
no_diff "norn-predict(1): what can be tuned, with defaults and ranges"

for page in doc/*.[0-9]; do
	if command -v mandoc >/dev/null; then
		run mandoc -Tlint -Wwarning "$page"
		status_is 0 "$page: mandoc has no complaint"
	else
		echo "ok $((tests += 1)) - $page # SKIP no mandoc"
	fi
done

# Every `$ COMMAND` in a page prints what stands below it. A `cat` of a file that is not there
# yet makes it.
mkdir "$tmp/bin"
ln -s "$NORN" "$tmp/bin/norn"
for page in doc/*.[0-9]; do
	work=$tmp/examples/${page##*/}
	mkdir -p "$work"
	awk '/^\.Bd -literal/ { inside = 1; next } /^\.Ed/ { inside = 0 } inside' "$page" | plain |
		awk -v work="$work" '/^\$ / { out = sprintf("%s/%03d", work, ++n)
			print substr($0, 3) >(out ".command"); printf "" >(out ".want"); next }
			n { print >(out ".want") }'
	last=0
	cd "$work" || exit 1
	for command in *.command; do
		[ -e "$command" ] || continue # a page without
		want=${command%.command}.want
		text=$(cat "$command")
		case $text in
		'cat '*) [ -e "${text#cat }" ] || cp "$want" "${text#cat }" ;;
		esac
		command_run=$text
		(
			PATH=$tmp/bin:$PATH
			(exit $last)
			eval "$text"
		) >"$tmp/out" 2>"$tmp/err" </dev/null
		status=$?
		last=$status
		# narration comes first, as on a terminal
		cat "$tmp/err" "$tmp/out" | diff "$want" - >"$tmp/diff"
		result $? "$page: $text"
		sed 's/^/# /' "$tmp/diff"
	done
	cd "$OLDPWD" || exit 1
done

# the norn that is being tested is there: do not build it again, with who knows what flags
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make install B="$BUILD" -o "$BUILD/norn" -o "$BUILD/norn-instrument" \
	DESTDIR="$tmp/root" prefix=/usr
status_is 0 "make install"
run "$tmp/root/usr/bin/norn" --version
status_is 0 "make install: the command"
printf '#include <norn.h>\nint main(void) { NORN_MARK("here"); return 5; }\n' >"$tmp/installed.c"
run "$tmp/root/usr/bin/norn-cc" "$tmp/installed.c" -o "$tmp/installed"
status_is 0 "make install: the compiler finds its parts"
run "$tmp/installed"
status_is 5 "make install: what it compiles runs"
for page in doc/*.[0-9]; do
	same_files "$page" "$tmp/root/usr/share/man/man${page##*.}/${page##*/}" \
		"make install: ${page##*/}"
done
while read -r shell file; do
	"$NORN" completion $shell >"$tmp/completion"
	same_files "$tmp/completion" "$tmp/root/usr/share/$file" "make install: the completion for $shell"
done <<'END'
bash bash-completion/completions/norn
fish fish/vendor_completions.d/norn.fish
zsh zsh/vendor-completions/_norn
END
run env PKG_CONFIG_PATH="$tmp/root/usr/share/pkgconfig" pkg-config --modversion --variable=cc norn
out_has "^$(cat VERSION)\$" "make install: pkg-config knows the version"
[ "$(cd "$tmp/root" && find . -type f | wc -l)" -eq $(($(ls doc/*.[0-9] events/*.events | wc -l) + 19)) ]
result $? "make install: nothing else"

# room: what its files may include besides their own room: files, or rooms without the rooms in them
cat >"$tmp/rooms" <<'END'
base
cmd base compile csp deadlock/tune.h hunt/run order predict property record record/run replay report sat/tune.h search/explore search/greedy/tune.h search/monitor/tune.h search/smt/tune.h search/solver/slice.h search/solver/tune.h trace witness
compile base events
csp base
deadlock base trace model
events base
hunt base trace model predict/seen.h search/run.h witness
hunt/run base trace hunt/choice.h record/record.h replay
instrument base events runtime/hooks.h runtime/known.h runtime/log.h runtime/sites.h
trace base
model base trace
order base trace model
predict base trace model order deadlock property witness search search/explore
property base model csp
record base trace record/keep record/log record/run record/write runtime/known.h runtime/log.h
record/keep base record/log record/merge
record/log base trace runtime/log.h runtime/pack.h runtime/sites.h
record/merge base trace record/log runtime/log.h
record/run base runtime/log.h runtime/sanitizers.h
record/write base trace record/keep record/log record/merge
replay base trace witness/witness.h record/recorded.h record/inputs.h record/seal.h record/run/hang.h record/run/launch.h record/log/modules.h runtime/plan.h runtime/log.h
report base trace model property witness/witness.h predict
runtime runtime/libc runtime/pthread runtime/replay
runtime/cxx runtime runtime/libc runtime/pthread/locks.h runtime/pthread/sync.h runtime/replay/replay.h runtime/replay/schedule.h
runtime/libc runtime runtime/pthread runtime/replay
runtime/openmp runtime runtime/libc runtime/pthread
runtime/pthread runtime runtime/libc runtime/replay
runtime/replay runtime runtime/libc/libc.h runtime/pthread/locks.h
sat base
search base trace model property/monitor.h witness/witness.h
search/explore base trace model witness/witness.h search/engine.h
search/greedy base trace model search
search/monitor base model property/monitor.h search search/explore
search/smt base trace model search
search/solver base trace model sat property/monitor.h search/engine.h
witness base trace csp
END
cut -d' ' -f1 "$tmp/rooms" | sort >"$tmp/code"
find src cmd instrument runtime -name libstdc++ -prune -o -name '*.[ch]' -print |
	sed 's#/[^/]*$##; s#^src/##' | sort -u >"$tmp/page"
no_diff "every room has its rule"
[ "$(wc -w <doc/architecture.md)" -le 1500 ]
result $? "doc/architecture.md has at most 1,500 words"
sort "$tmp/rooms" >"$tmp/code"
sed -n 's/^| `\(src\/\)\{0,1\}\([a-z/]*\)\/` |.*| \([^|]*[^ |]\) |$/\2 \3/p' doc/architecture.md |
	sed 's/ nothing$//; s/[,`]//g' | grep -v '^[a-z]* everything' | sort >"$tmp/page"
no_diff "doc/architecture.md has the same rules"
while read -r room may; do
	folder=$room
	[ -d src/$room ] && folder=src/$room
	grep -n '^ *# *include *"' $folder/*.[ch] |
		while IFS=: read -r file line include; do
			name=${include#*\"}
			name=${name%\"*}
			for allowed in $room $may; do
				case $name in
				"$allowed"/*/*) ;;
				"$allowed" | "$allowed"/*)
					echo "$allowed" >>"$tmp/used"
					continue 2
					;;
				esac
			done
			echo "$file:$line: $name"
		done >"$tmp/out"
	command_run="grep include $folder"
	out_empty "$folder includes no more than: $room $may"
	for allowed in $may; do
		grep -qx "$allowed" "$tmp/used" || echo "$allowed"
	done >"$tmp/out"
	: >"$tmp/used"
	out_empty "$folder includes all of: $may"
done <"$tmp/rooms"
finish
