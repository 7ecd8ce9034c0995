# SPDX-License-Identifier: MIT
# make            build/norn
# make help       this list
# make demo       set up what is missing, build, and show one hidden race being proved and replayed
# make test       set up what is missing, build, run every test (TAP, by prove)
# make check-format  does every C file stand as clang-format would write it? (a part of make test)
# make format     writes them so, and the lines that name the licence
# make tidy       clang-tidy with the checks of .clang-tidy
# make asan       the unit tests, and those of the command in ASAN_CLI, under AddressSanitizer and UBSan
#                 (all of them: make asan ASAN_CLI='tests/cli/*.t')
# make clang      a build with clang, and its unit tests
# make soak       the engines against each other on SOAK random traces (default 20000), evaluators
#                 and Z3 on TERMS random terms (default 1000000), and real
#                 programs recorded (tests/soak/record), random ones judged (tests/soak/truth, openmp),
#                 all those of the tests ten times at three levels (tests/soak/patterns),
#                 those of the tests replayed 20 times (tests/soak/replay, tests/cli/inputs.t),
#                 random ones hunted and run by every schedule (tests/soak/hunt),
#                 recorded from random moments of their run on (tests/soak/late),
#                 recordings and replays killed at random moments (tests/soak/kills),
#                 refinements of random processes against OpenFst (tests/soak/refinement)
# make fuzz       libFuzzer on every reader, FUZZ_SECONDS each (default 600)
# make bench      the tables of figures
# make picture    draw doc/norn-try.svg anew, from what the command prints
# make install    DESTDIR= and prefix= as usual
# make deb        a Debian package in build/
# make clean      remove build/
#
# Four flag regimes, each with a directory of its own: build/ (what users run), build/asan/ (gcc,
# sanitizers), build/clang/ (warnings of another compiler), build/fuzz/ (clang, libFuzzer).

CC = gcc
prefix = /usr/local
B = build
WARN = -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wshadow
CFLAGS = -O2 -g
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Isrc -Itests -I. $(WARN) -MMD -MP $(CFLAGS)
LDLIBS = -lzstd -lxxhash -lb2 -lz -lz3 -lstdc++ -lm -lpthread -ldw -lelf
LLVM_CONFIG = llvm-config-14
# The runtime goes into other people's programs: its flags are its own, whatever the regime. Places
# (-g1) tell which frames are its own; more would only be copied into each program.
RUNTIME_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O2 -g1 -fPIC -ftls-model=initial-exec \
	-fno-strict-aliasing -fexceptions -fno-tree-slp-vectorize -I. $(WARN) -MMD -MP \
	-fdebug-prefix-map=runtime/=norn-runtime/ -fdebug-prefix-map=./runtime/=norn-runtime/

LIB_SOURCES := $(sort $(wildcard src/*/*.c src/*/*/*.c))
CMD_SOURCES := $(sort $(wildcard cmd/*.c))
SUPPORT_SOURCES := $(sort $(wildcard tests/support/*.c))
UNIT_SOURCES := $(sort $(wildcard tests/unit/*.c))
FUZZ_SOURCES := $(sort $(wildcard tests/fuzz/*.c))
INSTRUMENT_SOURCES := $(sort $(wildcard instrument/*.c))
RUNTIME_SOURCES := $(sort $(wildcard runtime/*.c runtime/*/*.c))
BENCH_SOURCES := $(sort $(wildcard bench/*.c))
CLI_TESTS := $(sort $(wildcard tests/cli/*.t))

objects = $(patsubst %.c,$(B)/obj/%.o,$(1))
UNIT_PROGRAMS := $(patsubst tests/unit/%.c,$(B)/tests/%,$(UNIT_SOURCES))
# Locks of streams, streams and files that are memory, wide atomics, other programs, modes of a thread and the schedules of hunts
# need more of the runtime than the tests of libc have.
LIBC_OBJECTS := $(call objects,$(filter-out %/locks.c %/atomic.c %/exec.c %/ranges.c %/told.c %/mode.c %/memfile.c %/memstream.c,$(sort $(wildcard runtime/libc/*.c))))
FUZZ_PROGRAMS := $(patsubst tests/fuzz/%.c,$(B)/fuzzers/%,$(FUZZ_SOURCES))
BENCH_PROGRAMS := $(patsubst bench/%.c,$(B)/bench/%,$(BENCH_SOURCES))

# What Norn knows of libraries: norn-events(5).
EVENTS := $(sort $(wildcard events/*.events))

RECORDING := $(B)/norn-instrument $(B)/libnorn-runtime.a $(B)/libnorn-runtime.exports \
	$(B)/libnorn-runtime.so $(B)/libnorn-hooks.so \
	$(B)/libnorn-runtime-static.a $(B)/libnorn-runtime-static.wraps \
	$(B)/include/norn.h $(B)/libstdc++/bits/c++config.h $(B)/norn-cc $(B)/norn-c++ \
	$(EVENTS:%=$(B)/%)

all: $(B)/norn $(RECORDING)

help:
	@sed -n '/^# make/,/^#$$/s/^# \{0,1\}//p' Makefile

# A run has a billion records, and the merge goes through them more than once.
$(B)/obj/src/base/%.o $(B)/obj/src/record/%.o $(B)/obj/src/trace/%.o: CFLAGS += -O3

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@

$(B)/libnorn.a: $(call objects,$(LIB_SOURCES))
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/norn: $(call objects,$(CMD_SOURCES)) $(B)/libnorn.a
	$(CC) $(CFLAGS) $^ -o $@ $(LDLIBS)

$(call objects,$(CMD_SOURCES)): ALL_CFLAGS += -DNORN_VERSION='"$(shell cat VERSION)"'
$(call objects,$(CMD_SOURCES)): VERSION

# The page of the HTML report lets only its own script and style run.
sha256 = $(firstword $(shell sha256sum $(1)))
$(call objects,src/report/html.c): src/report/page.js src/report/page.css
$(call objects,src/replay/debugger.c): src/replay/gdb.py
$(call objects,src/report/html.c): ALL_CFLAGS += -DPAGE_SCRIPT_SHA256='"$(call sha256,src/report/page.js)"' \
	-DPAGE_STYLE_SHA256='"$(call sha256,src/report/page.css)"'

$(call objects,$(INSTRUMENT_SOURCES)): ALL_CFLAGS += -I$(shell $(LLVM_CONFIG) --includedir)

$(B)/norn-instrument: $(call objects,$(INSTRUMENT_SOURCES)) $(B)/libnorn.a
	$(CC) $(CFLAGS) $^ -o $@ $(shell $(LLVM_CONFIG) --ldflags --libs) $(LDLIBS)

# Its code has a section of its own, so that one sees in a program what is not the runtime's
# (instrument/scan.h).
RENAME_TEXT = objcopy --rename-section .text=norn_text --rename-section .text.unlikely=norn_text \
	--rename-section .text.startup=norn_text

$(B)/obj/runtime/%.o: runtime/%.c
	@mkdir -p $(@D)
	$(CC) $(RUNTIME_CFLAGS) -c $< -o $@
	$(RENAME_TEXT) $@

# They call functions of libc whose wrappers look at who calls, and that is to be they themselves.
BY_THEMSELVES := $(patsubst %,runtime/libc/%.o,remote remote_ready)
$(foreach kind,obj obj/static obj/hooks,$(addprefix $(B)/$(kind)/,$(BY_THEMSELVES))): \
	RUNTIME_CFLAGS += -fno-optimize-sibling-calls

# What is different where the runtime is a part of the program, and where it is a library.
PROGRAM_ONLY := runtime/program.c
PRELOAD_ONLY := runtime/preload.c
HOOKS_ONLY := runtime/hooks.c
LIBRARY_ONLY := runtime/weak.c

$(B)/libnorn-runtime.a: $(call objects,$(filter-out $(PRELOAD_ONLY) $(HOOKS_ONLY) $(LIBRARY_ONLY),$(RUNTIME_SOURCES)))
	@rm -f $@
	$(AR) rcs $@ $^

# For programs without hooks that load libraries with hooks (runtime/host.h). It binds to itself what it can.
$(B)/libnorn-runtime.so: $(call objects,$(filter-out $(PROGRAM_ONLY) $(HOOKS_ONLY),$(RUNTIME_SOURCES)))
	$(CC) -shared $^ -Wl,-soname,$(@F) -o $@ -lpthread -ldl

# What libraries with hooks need to be loaded anywhere: hooks that stand behind those of a program or of
# the library above, and only perform accesses. It may be loaded at any time, which is no model of the
# others' thread-local memory; and nothing but hooks is seen of it.
$(B)/obj/hooks/runtime/%.o: runtime/%.c
	@mkdir -p $(@D)
	$(CC) $(RUNTIME_CFLAGS) -ftls-model=global-dynamic -c $< -o $@
	$(RENAME_TEXT) $@

$(B)/libnorn-hooks.map: $(B)/libnorn-runtime.exports
	{ echo '{ global:'; grep '^_*norn' $<; echo 'local: *; };'; } > $@

$(B)/libnorn-hooks.so: $(patsubst runtime/%.c,$(B)/obj/hooks/runtime/%.o,$(filter-out $(PROGRAM_ONLY) $(PRELOAD_ONLY),$(RUNTIME_SOURCES))) \
		$(B)/libnorn-hooks.map
	$(CC) -shared $(filter %.o,$^) -Wl,-soname,$(@F) \
		-Wl,--version-script=$(B)/libnorn-hooks.map -o $@ \
		-lpthread -ldl

# The same for static programs, where the linker turns calls of NAME to __wrap_NAME: -u because calls in
# libc, which comes last, are turned too; libc does not call dlopen, and warns of who does.
$(B)/obj/static/runtime/%.o: runtime/%.c
	@mkdir -p $(@D)
	$(CC) $(RUNTIME_CFLAGS) -DNORN_STATIC -c $< -o $@
	$(RENAME_TEXT) $@

$(B)/libnorn-runtime-static.a: $(patsubst runtime/%.c,$(B)/obj/static/runtime/%.o,$(filter-out $(PRELOAD_ONLY) $(HOOKS_ONLY) $(LIBRARY_ONLY),$(RUNTIME_SOURCES)))
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/libnorn-runtime-static.wraps: runtime/known.h
	@mkdir -p $(@D)
	printf '#include "runtime/known.h"\n#define ROW(name) WRAP name\nNORN_INTERPOSED(ROW)\n' | \
		$(CC) -E -P -I. -x c - | grep -o 'WRAP [a-zA-Z0-9_]*' | \
		sed 's/WRAP \(.*\)/-Wl,--wrap=\1 -Wl,-u,__wrap_\1/; /dlopen/s/ .*//' > $@

# What it defines, as a dynamic list: shared libraries have to find it in the program.
$(B)/libnorn-runtime.exports: $(B)/libnorn-runtime.a
	{ echo '{'; nm -g --defined-only --format=posix $< | awk 'NF > 1 { print $$1 ";" }' | sort -u; \
		echo '};'; } > $@

# They are made anew whenever the compiler changes, because ccache goes by their time.
$(B)/norn-cc $(B)/norn-c++: $(B)/norn $(B)/norn-instrument
	printf '#!/bin/sh\nexec "$$(dirname "$$(readlink -f "$$0")")/norn" %s "$$@"\n' $(@F:norn-%=%) > $@
	chmod +x $@

$(B)/include/norn.h: runtime/norn.h
	install -D -m 644 $< $@

$(B)/libstdc++/%: runtime/libstdc++/%
	install -D -m 644 $< $@

$(B)/events/%: events/%
	install -D -m 644 $< $@

$(B)/libsupport.a: $(call objects,$(SUPPORT_SOURCES))
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/tests/%: $(B)/obj/tests/unit/%.o $(B)/libsupport.a $(B)/libnorn.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDLIBS)

# libc itself is asked there, not the compiler's idea of it.
$(B)/obj/tests/unit/libc_%.o: ALL_CFLAGS += -fno-builtin

# What the runtime does for libc, on a log in memory (tests/support/ranges_log.h).
$(B)/tests/libc_%: $(B)/obj/tests/unit/libc_%.o $(LIBC_OBJECTS) $(B)/libsupport.a $(B)/libnorn.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDLIBS)

$(B)/bench/%: $(B)/obj/bench/%.o $(B)/libsupport.a $(B)/libnorn.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDLIBS)

$(B)/fuzzers/%: $(B)/obj/tests/fuzz/%.o $(B)/libsupport.a $(B)/libnorn.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fsanitize=fuzzer $^ -o $@ $(LDLIBS)

# What the build and the tests need from Debian; installed when root, else the command is printed.
setup:
	@tools/setup

setup-tests:
	@tools/setup tests

JOBS := $(shell nproc 2>/dev/null || echo 1)

test: setup-tests
	@$(MAKE) --no-print-directory -j$(JOBS) all tests fuzzers
	@NORN=$(abspath $(B)/norn) BUILD=$(abspath $(B)) prove -j$(JOBS) --exec '' \
		$(UNIT_PROGRAMS) $(CLI_TESTS)

tests: $(UNIT_PROGRAMS)

# Not the programs that are recorded: they are written as users write.
FORMATTED := $(sort $(shell find src cmd instrument runtime bench/*.c tests/unit tests/support tests/fuzz \
	-name '*.[ch]'))

check-format:
	@clang-format --dry-run -Werror $(FORMATTED)

format:
	@grep -L SPDX-License-Identifier $(FORMATTED) | xargs -r sed -i '1i /* SPDX-License-Identifier: MIT */'
	@grep -L SPDX-License-Identifier $(CLI_TESTS) | xargs -r sed -i '1a # SPDX-License-Identifier: MIT'
	@clang-format -i $(FORMATTED)

tidy: setup
	@printf '%s\n' $(LIB_SOURCES) $(CMD_SOURCES) $(INSTRUMENT_SOURCES) | xargs -P $(JOBS) -n 8 \
		clang-tidy --quiet -- -std=gnu11 -D_GNU_SOURCE -Isrc -I. -I$(shell $(LLVM_CONFIG) --includedir) \
		-DNORN_VERSION='"x"'

# The command with sanitizers; the programs that it compiles and records have none, so tests that
# mostly run those would find little, and take long. Every verb but hunt is in some test of these.
ASAN_CLI = $(patsubst %,tests/cli/%.t,bad-input certify check completion convert csp deadlocks explore \
	instrument orders-verb pairs predict record report run show stat stuck trust try usage)
asan: setup
	@$(MAKE) --no-print-directory -j$(JOBS) test-asan

test-asan:
	@$(MAKE) --no-print-directory B=build/asan all tests \
		CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
	@NORN=$(abspath build/asan/norn) BUILD=$(abspath build/asan) prove -j$(JOBS) --exec '' \
		$(patsubst $(B)/%,build/asan/%,$(UNIT_PROGRAMS)) $(ASAN_CLI)

clang: setup
	@$(MAKE) --no-print-directory -j$(JOBS) B=build/clang CC=clang all tests CFLAGS='-O2 -g -DTAP_SHORT'
	@NORN=$(abspath build/clang/norn) BUILD=$(abspath build/clang) prove -j$(JOBS) --exec '' \
		$(patsubst $(B)/%,build/clang/%,$(UNIT_PROGRAMS))

SOAK = 20000
TERMS = 1000000
# of properties: a quarter of them can be asked
QUESTIONS = 42000
soak: setup
	@$(MAKE) --no-print-directory -j$(JOBS) all \
		$(addprefix $(B)/tests/,engines cycles stuck expr csp property)
	@SOAK=$(SOAK) $(B)/tests/engines
	@SOAK=$(SOAK) $(B)/tests/cycles
	@SOAK=$(SOAK) $(B)/tests/stuck
	@SOAK=$(SOAK) $(B)/tests/csp
	@SOAK=$(QUESTIONS) BUILD=$(abspath $(B)) $(B)/tests/property
	@NORN=$(abspath $(B)/norn) tests/soak/refinement
	@SOAK=$(TERMS) $(B)/tests/expr
	@NORN=$(abspath $(B)/norn) BUILD=$(abspath $(B)) tests/soak/record
	@NORN=$(abspath $(B)/norn) tests/soak/patterns
	@NORN=$(abspath $(B)/norn) tests/soak/truth
	@NORN=$(abspath $(B)/norn) tests/soak/share
	@NORN=$(abspath $(B)/norn) tests/soak/openmp
	@NORN=$(abspath $(B)/norn) tests/soak/replay
	@NORN=$(abspath $(B)/norn) tests/soak/hunt
	@NORN=$(abspath $(B)/norn) tests/soak/late
	@NORN=$(abspath $(B)/norn) BUILD=$(abspath $(B)) tests/soak/grouping
	@NORN=$(abspath $(B)/norn) tests/soak/kills
	@NORN=$(abspath $(B)/norn) BUILD=$(abspath $(B)) REPLAYS=20 sh tests/cli/inputs.t

fuzzers:
	@$(MAKE) --no-print-directory B=build/fuzz CC=clang fuzz-programs \
		CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
			-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION'

fuzz-programs: $(FUZZ_PROGRAMS)

FUZZ_SECONDS = 600
fuzz: setup fuzzers
	@tests/fuzz/run $(FUZZ_SECONDS)

demo: setup
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@NORN=$(abspath $(B)/norn) examples/demo

bench: setup
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@NORN=$(abspath $(B)/norn) BUILD=$(abspath $(B)) bench/run

# The address and the numbers of events in it are others in each run.
picture: all
	@cd examples && PATH=$(abspath $(B)):$$PATH ../tools/terminal-svg norn try hidden-race.c > ../doc/norn-try.svg

MAN_PAGES := $(sort $(wildcard doc/*.1 doc/*.5))

install: all
	install -D -m 755 $(B)/norn $(DESTDIR)$(prefix)/bin/norn
	install -D -m 755 $(B)/norn-cc $(DESTDIR)$(prefix)/bin/norn-cc
	install -D -m 755 $(B)/norn-c++ $(DESTDIR)$(prefix)/bin/norn-c++
	install -D -m 755 $(B)/norn-instrument $(DESTDIR)$(prefix)/lib/norn/norn-instrument
	install -D -m 644 $(B)/libnorn-runtime.a $(DESTDIR)$(prefix)/lib/norn/libnorn-runtime.a
	for part in libnorn-runtime.so libnorn-hooks.so libnorn-runtime.exports libnorn-runtime-static.a \
			libnorn-runtime-static.wraps; do \
		install -D -m 644 $(B)/$$part $(DESTDIR)$(prefix)/lib/norn/$$part || exit 1; \
	done
	install -D -m 644 runtime/libstdc++/bits/c++config.h \
		$(DESTDIR)$(prefix)/lib/norn/libstdc++/bits/c++config.h
	for file in $(EVENTS); do \
		install -D -m 644 $$file $(DESTDIR)$(prefix)/lib/norn/$$file || exit 1; \
	done
	install -D -m 644 runtime/norn.h $(DESTDIR)$(prefix)/include/norn.h
	for page in $(MAN_PAGES); do \
		install -D -m 644 $$page \
			$(DESTDIR)$(prefix)/share/man/man$${page##*.}/$${page##*/} || exit 1; \
	done
	for shell in bash fish zsh; do \
		$(B)/norn completion $$shell > $(B)/completion.$$shell || exit 1; \
	done
	install -D -m 644 $(B)/completion.bash $(DESTDIR)$(prefix)/share/bash-completion/completions/norn
	install -D -m 644 $(B)/completion.fish $(DESTDIR)$(prefix)/share/fish/vendor_completions.d/norn.fish
	install -D -m 644 $(B)/completion.zsh $(DESTDIR)$(prefix)/share/zsh/vendor-completions/_norn
	install -D -m 644 tools/cmake/NornConfig.cmake $(DESTDIR)$(prefix)/share/cmake/Norn/NornConfig.cmake
	install -d $(DESTDIR)$(prefix)/share/pkgconfig $(DESTDIR)$(prefix)/share/meson/native
	for file in norn.pc:pkgconfig/norn.pc meson/norn:meson/native/norn \
			cmake/NornConfigVersion.cmake:cmake/Norn/NornConfigVersion.cmake; do \
		sed 's|@prefix@|$(prefix)|; s|@version@|$(shell cat VERSION)|' tools/$${file%%:*}.in \
			> $(DESTDIR)$(prefix)/share/$${file#*:} || exit 1; \
	done

# In a copy, so that debhelper's files do not come into the tree; build/ comes along, and is not made again.
deb: setup
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@tools/deb $(B)

clean:
	rm -rf build

.PHONY: all help setup setup-tests test tests check-format format tidy asan test-asan clang soak fuzzers fuzz-programs fuzz demo bench picture install deb \
	clean
.SECONDARY:

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
