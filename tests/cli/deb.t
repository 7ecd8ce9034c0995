#!/bin/sh
# SPDX-License-Identifier: MIT
# make deb makes a package without a complaint of lintian, and what it installs works.
. tests/cli/lib.sh
: "${BUILD:=$PWD/build}"

# what is tested is built: do not build it again, with who knows what flags
run env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL tools/deb "$BUILD" "$tmp"
status_is 0 "make deb"
package=$tmp/norn_$(cat VERSION)_amd64.deb
run lintian --fail-on error,warning --allow-root "$package"
status_is 0 "lintian has no complaint"
out_empty "and says nothing"

# a system of its own, without the packages that it depends on: these are the ones of this machine
system=$tmp/system
mkdir -p "$system/var/lib/dpkg/info" "$system/var/lib/dpkg/updates"
: >"$system/var/lib/dpkg/status"
run dpkg --root="$system" --log=/dev/null --force-depends --force-not-root --install "$package"
status_is 0 "dpkg installs it"
run "$system/usr/bin/norn" --version
out_has "$(cat VERSION)" "the version is that of the tree"
run "$system/usr/bin/norn" try examples/hidden-race.c
status_is 66 "norn try finds the race"
out_has 'confirmed' "and replays it"
for file in share/man/man1/norn-predict.1.gz share/man/man5/norn-trace.5.gz share/pkgconfig/norn.pc include/norn.h \
	share/bash-completion/completions/norn share/fish/vendor_completions.d/norn.fish share/zsh/vendor-completions/_norn \
	share/cmake/Norn/NornConfig.cmake share/meson/native/norn; do
	[ -s "$system/usr/$file" ]
	result $? "the package has $file"
done
run dpkg-deb --field "$package" Depends
out_has 'clang' "it depends on the compiler"
out_has 'libz3' "and on the libraries that it uses"
finish
