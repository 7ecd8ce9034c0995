#!/bin/sh
# The completion script knows every verb, option and choice, and works in bash.
. tests/cli/lib.sh
run "$NORN" completion bash
status_is 0 "exit 0"
cp "$tmp/out" "$tmp/script"
run bash -n "$tmp/script"
status_is 0 "bash can read the script"
err_empty "without complaint"

# complete WORDS…: what bash would offer for the last word
complete_words()
{
	run bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _norn; printf "%s\n" \
		"${COMPREPLY[@]}"' "$tmp/script" "$@"
}

complete_words norn ''
for verb in check show convert certify explore pairs orders csp completion help; do
	out_has "^$verb\$" "offers the verb $verb"
done
out_has '^--version$' "offers --version"
complete_words norn sh
out_is "completes sh" <<END
show
END

for verb in check show convert certify explore pairs orders csp completion help run try; do
	"$NORN" help $verb | sed -n 's/^  \(-.,\)\{0,1\} *--\([a-z-]*\).*/--\2/p' |
		sort -u >"$tmp/options"
	complete_words norn $verb -
	grep -e '^--' "$tmp/out" | sort >"$tmp/offered"
	[ -s "$tmp/options" ]
	result $? "help $verb lists options"
	same_files "$tmp/options" "$tmp/offered" "$verb: offers the options of its help"
done

complete_words norn pairs --by ''
for analysis in values maximal predictable mcm said quick deadlock; do
	out_has "^$analysis\$" "pairs --by offers $analysis"
done
complete_words norn pairs --by = ma
out_is "--by=ma" <<END
maximal
END
complete_words norn orders --order w
out_is "orders --order w" <<END
wcp
wdp
END
complete_words norn orders --order hb,quick,d
out_is "orders --order hb,quick,d" <<END
hb,quick,dc
END
complete_words norn orders --order = hb,
out_has '^hb,wcp$' "orders --order=hb,"
complete_words norn explore -m pre
out_is "-m pre" <<END
predictable
END
complete_words norn convert --to bin
out_is "convert --to bin" <<END
binary
END
complete_words norn help comp
out_is "help comp" <<END
completion
END
complete_words norn completion ''
out_is "completion" <<END
bash
END
complete_words norn check ''
out_is "file names are left to bash" <<END

END
run "$NORN" completion fish
status_is 2 "another shell: exit 2"
finish
