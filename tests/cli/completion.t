#!/bin/sh
# SPDX-License-Identifier: MIT
# The completion scripts know every verb, option and choice, and work in bash, fish and zsh.
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
complete_words norn orders --order hb,quick,s
out_is "orders --order hb,quick,s" <<END
hb,quick,sdp
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
fish
zsh
END
complete_words norn check ''
out_is "file names are left to bash" <<END

END
run "$NORN" completion tcsh
status_is 2 "another shell: exit 2"

"$NORN" completion fish >"$tmp/norn.fish"
# fish_offers LINE: what fish would offer for the last word, without descriptions
fish_offers()
{
	run env HOME="$tmp" fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$tmp/norn.fish" "$1"
	cut -f1 "$tmp/out" | sort -u >"$tmp/offers"
	mv "$tmp/offers" "$tmp/out"
}
fish_offers 'norn '
"$NORN" help | sed -n 's/^  \([a-z+]*\)  *[A-Z].*/\1/p' | sort -u >"$tmp/verbs"
same_files "$tmp/verbs" "$tmp/out" "fish: offers the verbs"
for verb in show pairs run try predict; do
	"$NORN" help $verb | sed -n 's/^  \(-.,\)\{0,1\} *--\([a-z-]*\).*/--\2/p' | sort -u >"$tmp/options"
	fish_offers "norn $verb --"
	sed 's/=$//' "$tmp/out" >"$tmp/offered"
	same_files "$tmp/options" "$tmp/offered" "fish: $verb: offers the options of its help"
done
fish_offers 'norn pairs --by max'
out_is "fish: pairs --by max" <<END
maximal
END
fish_offers 'norn completion '
out_is "fish: completion" <<END
bash
fish
zsh
END

"$NORN" completion zsh >"$tmp/_norn"
# Types a line and a tab in a terminal, and prints what the line becomes.
cat >"$tmp/type" <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PROMPT_EOL_MARK=; stty -echo; autoload -U compinit; compinit -D; source $1
zle -C complete-word complete-word _main_complete; show() { print -r -- \"<<\$BUFFER>>\"; }
zle -N show; bindkey '^X' show; bindkey '^I' complete-word; unsetopt beep list_beep; print re''ady"
zpty -r -m shell line '*ready*'
zpty -w -n shell "$2"$'\t'$'\x18'
zpty -r -m shell line '*<<*>>*'
print -r -- ${${line##*<<}%%>>*}
zpty -d shell
END
while IFS='|' read -r typed becomes; do
	run timeout 60 env HOME="$tmp" zsh -f "$tmp/type" "$tmp/_norn" "$typed"
	out_has "^$becomes *\$" "zsh: $typed"
done <<'END'
norn sh|norn show
norn show --st|norn show --stat
norn pairs --by ma|norn pairs --by maximal
norn orders --order hb,quick,s|norn orders --order hb,quick,sdp,
norn explore -m pre|norn explore -m predictable
norn convert --to=bin|norn convert --to=binary
norn help comp|norn help completion
norn completion f|norn completion fish
END
"$NORN" help | sed -n 's/^  \([a-z+]*\)  *[A-Z].*/\1/p' | while read -r verb; do
	grep -q "^	$verb)\$" "$tmp/_norn" || echo "$verb"
done >"$tmp/out"
out_empty "zsh: the script has all verbs"
finish
