# SPDX-License-Identifier: MIT
# For tests that run the commands of a page of doc/; source it behind lib.sh.

# install_norn: what is tested, as a user has it, first in PATH
install_norn()
{
	# it is there: do not build it again
	run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make install B="${BUILD:-$PWD/build}" \
		-o "${BUILD:-$PWD/build}/norn" -o "${BUILD:-$PWD/build}/norn-instrument" prefix="$tmp/usr"
	status_is 0 "make install"
	PATH=$tmp/usr/bin:$PATH
	XDG_DATA_DIRS=$tmp/usr/share
	PKG_CONFIG_PATH=$tmp/usr/share/pkgconfig
	export PATH XDG_DATA_DIRS PKG_CONFIG_PATH
}

# page_commands FILE: each command of its blocks and what is shown of its output, as $tmp/page/N and N.want
page_commands()
{
	mkdir "$tmp/page"
	awk -v to="$tmp/page/" '/^```/ { inside = !inside; next } !inside { next }
		/^\$ / { file = to sprintf("%02d", ++n); print substr($0, 3) >file; printf "" >(file ".want"); next }
		n && $0 != "..." { print >(file ".want") }
		n && $0 == "..." { next }' "$1"
}

# likened FILE: the numbers of threads and blanks are no matter
likened()
{
	sed 's/ by thread .* at / by thread at /; s/  */ /g; s/ $//' "$1"
}

# page_command FILE STATUS: runs one of them; prints what the page shows
page_command()
{
	run sh -c "$(cat "$1")" </dev/null
	status_is "$2" "page: $(cat "$1")"
	cat "$tmp/err" >>"$tmp/out"
	likened "$tmp/out" >"$tmp/is"
	likened "$1.want" | grep -vxF -f "$tmp/is" >"$tmp/missing"
	[ ! -s "$tmp/missing" ]
	result $? "page: what it prints: $(cat "$1")"
	sed 's/^/# missing: /' "$tmp/missing"
}
