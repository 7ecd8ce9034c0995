/* SPDX-License-Identifier: MIT */
/*
 * dlopen: what it loads is listed. It looks for libraries on behalf of its caller's object, by the
 * address that it returns to. Called from the program itself, which we are part of, it makes no
 * difference that we stand between; other callers it returns to directly. (What they load and Norn
 * built registers itself.)
 *
 * dlsym: functions of libc that the runtime has a version of are that, as if the program had named
 * them (known.h), unless the program has its own by that name, which libc's may have to be told
 * from. Calls of what else it finds in libc keep their order (unseen.c).
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"
#include "runtime/modules.h"
#include "runtime/real.h"
#include "runtime/unseen.h"

#include <stdio.h>
#include <string.h>

static void here(void) {}

static bool is_in_program(const void *pc)
{
	Dl_info caller, program;
	return dladdr(pc, &caller) && dladdr((void *)here, &program) &&
	       caller.dli_fbase == program.dli_fbase;
}

void *NORN_WRAPPER(dlopen)(const char *file, int mode)
{
	struct norn_self *me = &norn_self;
	if (!is_in_program(__builtin_return_address(0)))
		return NORN_REAL(dlopen)(file, mode); /* a jump */
	void *handle = NORN_REAL(dlopen)(file, mode);
	if (handle && norn_enter(me)) {
		norn_list_modules();
		norn_leave(me);
	}
	return handle;
}

static bool is_libc_or_ours(const void *function)
{
	return norn_is_own_code(function) || norn_is_in_libc(function);
}

static bool is_in(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

#define IS_IN(names, name) is_in(names, sizeof(names) / sizeof *(names), name)
#define NAME_ROW(name) #name,

/* Calls of these by name have hooks around them. */
static bool has_hooks_around(const char *name)
{
	static const char *const names[] = {
		NORN_PROCESS_CHANGES(NAME_ROW) NORN_PROCESS_LOOKS(NAME_ROW)
			NORN_MEMORY_LOOKS(NAME_ROW) NORN_STREAM_CHANGES(NAME_ROW)
				NORN_DESCRIPTOR_CHANGES(NAME_ROW) NORN_ORDERS(NAME_ROW)};
	return IS_IN(names, name);
}

static bool is_replaced(const char *name)
{
	static const char *const names[] = {NORN_REPLACED(NAME_ROW)};
	return IS_IN(names, name);
}

static bool is_interposed(const char *name)
{
	static const char *const names[] = {NORN_INTERPOSED(NAME_ROW)};
	return IS_IN(names, name);
}

static bool allocates(const char *name)
{
	static const char *const names[] = {
		"malloc",   "calloc",	     "realloc",	       "free",	 "reallocarray",
		"memalign", "aligned_alloc", "posix_memalign", "valloc", "pvalloc"};
	return IS_IN(names, name);
}

/* What logs in its place. It is there: a name that dlsym does not find costs memory, and malloc may
 * be the program's, which looks for libc's. */
static void *version_of(const char *name)
{
	char ours[64];
	return (size_t)snprintf(ours, sizeof ours, "__norn_%s", name) < sizeof ours
		       ? dlsym(RTLD_DEFAULT, ours)
		       : NULL;
}

/* Versions call libc by name: none of them if the program has a function of its own there. */
static void *replaced(void *found, const char *name)
{
	void *first = found && is_libc_or_ours(found) ? dlsym(RTLD_DEFAULT, name) : NULL;
	if (!first)
		return found;
	bool around = has_hooks_around(name) && !is_interposed(name), logs = is_replaced(name);
	void *version = logs && !around ? version_of(name) : NULL;
	if (around && norn_is_own_code(found)) /* what it counts is what libraries do */
		found = dlsym(RTLD_NEXT, name);
	if (around) {
		norn_found_in_libc(found);
		return found;
	}
	if (is_libc_or_ours(first) && version)
		return version;
	if (norn_is_own_code(first))
		return first;
	if (logs)
		norn_found_in_libc(found);
	return found;
}

/* What comes next to a library that stands before libc: libc's own, or another library's. */
static void note_next(const char *name)
{
	static __thread bool looks; /* malloc of that library may look for libc's */
	if (looks || allocates(name) ||
	    !(has_hooks_around(name) || is_replaced(name) || is_interposed(name)))
		return;
	looks = true;
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *found = libc ? dlsym(libc, name) : NULL;
	if (found)
		norn_found_in_libc(found);
	if (libc)
		dlclose(libc);
	looks = false;
}

void *__norn_dlsym(void *handle, const char *name)
{
	norn_string(NORN_CALLER, name);
	bool elsewhere = !is_in_program(__builtin_return_address(0));
	if (handle == RTLD_NEXT && elsewhere) {
		note_next(name);
		return dlsym(handle, name); /* a jump: next to its caller */
	}
	void *found = dlsym(handle, name);
	if (!found && handle == RTLD_DEFAULT && elsewhere)
		return dlsym(handle, name); /* a jump: where its caller's library looks */
	return replaced(found, name);
}

void *__norn_dlvsym(void *handle, const char *name, const char *version)
{
	norn_string(NORN_CALLER, name);
	norn_string(NORN_CALLER, version);
	bool elsewhere = !is_in_program(__builtin_return_address(0));
	if (handle == RTLD_NEXT && elsewhere) {
		note_next(name);
		return dlvsym(handle, name, version);
	}
	void *found = dlvsym(handle, name, version);
	if (!found && handle == RTLD_DEFAULT && elsewhere)
		return dlvsym(handle, name, version);
	return replaced(found, name);
}
