/* SPDX-License-Identifier: MIT */
#include "record/keep/libraries.h"

#include "base/intern.h"
#include "base/output.h"
#include "base/spawn.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What an ELF file says of itself; names are those of its string tables. */
struct facts {
	const char *name; /* DT_SONAME, or the last part of its path */
	bool known, keeps;
	bool program; /* some of its functions have hooks */
	VEC(const char *) needs;
	struct intern defines, wants; /* data symbols */
	uint32_t group;		      /* as numbers of modules, by union and find */
	enum { NOT_ASKED, ASKED, NO, YES } orders;
};

struct libraries {
	struct modules *modules;
	const char *scanner;
	enum libraries_host host;
	struct facts *facts;
	struct library *at;
	bool *made;
	size_t n;
};

static const struct library worst = {
	.orders = true, .keeps = true, .anything = true, .groups = UINT64_MAX};

/* ELF */

static bool is_known_name(const char *name)
{
	static const char *const known[] = {
		"libc.so",	 "libm.so",	    "ld-linux-",   "libpthread.so", "librt.so",
		"libdl.so",	 "libstdc++.so",    "libgcc_s.so", "libresolv.so",  "libatomic.so",
		"linux-vdso.so", "libutil.so",	    "libnss_",	   "libmvec.so",    "libanl.so",
		"libcrypt.so",	 "libthread_db.so", "libnorn-"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(name, known[i], strlen(known[i])))
			return true;
	return false;
}

static void read_dynamic(struct facts *f, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME)
			continue;
		const char *name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);

		if (name && entry.d_tag == DT_SONAME)
			f->name = name;
		else if (name)
			vec_push(&f->needs, name);
	}
}

static void read_symbols(struct facts *f, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		bool wanted = symbol.st_shndx == SHN_UNDEF;

		if (name && wanted && !strcmp(name, "__norn_register"))
			f->program = true;
		if (name && *name && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT)
			intern_add(wanted ? &f->wants : &f->defines, name, strlen(name));
	}
}

/* Some bytes every module has of its start-up files. */
#define STARTUP_BYTES 16

static void read_sections(struct facts *f, Elf *elf)
{
	size_t names = 0;
	uint64_t own = 0;
	GElf_Shdr header;

	elf_getshdrstrndx(elf, &names);
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		const char *name =
			gelf_getshdr(s, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

		if (!name)
			continue;
		if (header.sh_type == SHT_DYNAMIC)
			read_dynamic(f, elf, s, &header);
		else if (header.sh_type == SHT_DYNSYM)
			read_symbols(f, elf, s, &header);
		else if (!strcmp(name, ".data") || !strcmp(name, ".bss") ||
			 !strcmp(name, ".tdata") || !strcmp(name, ".tbss"))
			own += header.sh_size;
		else if (!strcmp(name, "norn_text"))
			f->program = true;
	}
	f->keeps = own > STARTUP_BYTES;
}

static void read_facts(struct libraries *l, size_t i)
{
	struct facts *f = &l->facts[i];
	const char *path = modules_path(l->modules, i), *slash = strrchr(path, '/');
	Elf *elf = modules_elf(l->modules, i);

	f->group = (uint32_t)i;
	f->name = slash ? slash + 1 : path;
	if (elf)
		read_sections(f, elf);
	else
		f->orders = YES; /* nothing is known of it */
	f->known = is_known_name(f->name);
}

/* Groups */

static uint32_t group_of(struct libraries *l, uint32_t i)
{
	while (l->facts[i].group != i)
		i = l->facts[i].group = l->facts[l->facts[i].group].group;
	return i;
}

static uint32_t find_name(const struct libraries *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->facts[i].name, name))
			return (uint32_t)i;
	return LIBRARY_NONE;
}

static void unite_with_needs(struct libraries *l, uint32_t i)
{
	const struct facts *f = &l->facts[i];

	for (size_t k = 0; k < f->needs.n; k++) {
		uint32_t other = find_name(l, f->needs.at[k]);

		if (other != LIBRARY_NONE && !l->facts[other].known)
			l->facts[group_of(l, other)].group = group_of(l, i);
	}
}

/* The order */

/* What was found out before, by build id: FILE says "yes" or "no". */
static bool cache_path(const struct libraries *l, uint32_t i, char *path, size_t room)
{
	const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME"), *file;
	char id[128];

	if (!modules_build_id(l->modules, i, &file, id, sizeof(id)) || !*id ||
	    ((!cache || !*cache) && (!home || !*home)))
		return false;
	if (cache && *cache)
		snprintf(path, room, "%s/norn", cache);
	else
		snprintf(path, room, "%s/.cache/norn", home);
	size_t length = strlen(path);

	snprintf(path + length, room - length, "/orders-%s", id);
	return true;
}

static int cached(const char *path)
{
	char word[4] = "";
	FILE *file = fopen(path, "re");

	if (!file)
		return NOT_ASKED;
	size_t n = fread(word, 1, sizeof(word) - 1, file);

	fclose(file);
	if (n == 3 && !memcmp(word, "yes", 3))
		return YES;
	return n >= 2 && !memcmp(word, "no", 2) ? NO : NOT_ASKED;
}

/* If it cannot be kept it is found out again. */
static void keep(char *path, bool orders)
{
	struct err ignored;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
	struct output *out = output_open(path, OUTPUT_REPLACE, &ignored);

	if (!out)
		return;
	output_text(out, orders ? "yes\n" : "no\n");
	output_close(out, &ignored);
}

static int scan(const struct libraries *l, uint32_t i)
{
	const char *words[] = {l->scanner, "--orders", modules_path(l->modules, i), NULL};
	char path[4096];
	struct err ignored;
	bool keeps = cache_path(l, i, path, sizeof(path));
	int known = keeps ? cached(path) : NOT_ASKED;

	if (known != NOT_ASKED)
		return known;
	int status = l->scanner ? spawn_wait(words, &ignored) : -1;

	if (keeps && (status == 0 || status == 1))
		keep(path, status);
	return status == 0 ? NO : YES;
}

static bool orders(struct libraries *l, uint32_t i)
{
	struct facts *f = &l->facts[i];

	if (f->known)
		return false;
	if (f->orders == NOT_ASKED) {
		f->orders = ASKED; /* those that need each other are asked once */
		bool found = scan(l, i) == YES;

		for (size_t k = 0; !found && !f->program && k < f->needs.n; k++) {
			uint32_t other = find_name(l, f->needs.at[k]);

			found = other != LIBRARY_NONE && orders(l, other);
		}
		f->orders = found ? YES : NO;
	}
	return f->orders == YES;
}

/* Data of the program that the library names, and no library has. */
static bool names_globals(const struct libraries *l, uint32_t i)
{
	const struct facts *f = &l->facts[i];

	for (size_t k = 0; k < f->wants.strings.n; k++) {
		const struct interned *name = &f->wants.strings.at[k];
		bool program = false, library = false;

		for (size_t m = 0; m < l->n; m++)
			if (intern_find(&l->facts[m].defines, name->text, name->length) !=
			    INTERN_NONE)
				*(l->facts[m].program ? &program : &library) = true;
		if (program && !library)
			return true;
	}
	return false;
}

static bool is_free(const struct facts *f)
{
	return !f->program && !f->known;
}

static bool any_orders(struct libraries *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (is_free(&l->facts[i]) && orders(l, i))
			return true;
	return false;
}

static void make(struct libraries *l, uint32_t i)
{
	const struct facts *f = &l->facts[i];
	struct library *made = &l->at[i];

	l->made[i] = true;
	if (f->known)
		return;
	if (l->host == LIBRARIES_UNKNOWN && is_free(f)) {
		*made = worst;
		return;
	}
	made->orders = l->host && is_free(f) ? any_orders(l) : orders(l, i);
	made->keeps = f->keeps || f->program;
	made->globals = f->program || names_globals(l, i);
	made->groups = f->program ? UINT64_MAX : (uint64_t)1 << group_of(l, i) % LIBRARY_GROUPS;
}

static void unite_all(struct libraries *l)
{
	uint32_t first = LIBRARY_NONE;

	for (uint32_t i = 0; i < l->n; i++) {
		if (!is_free(&l->facts[i]))
			continue;
		first = first == LIBRARY_NONE ? i : first;
		l->facts[group_of(l, i)].group = group_of(l, first);
	}
}

struct libraries *libraries_new(struct modules *modules, const char *scanner,
				enum libraries_host host)
{
	struct libraries *l = mem_alloc_zero(1, sizeof(*l));

	l->modules = modules;
	l->scanner = scanner;
	l->host = host;
	l->n = modules_count(modules);
	l->facts = mem_alloc_zero(l->n + 1, sizeof(*l->facts));
	l->at = mem_alloc_zero(l->n + 1, sizeof(*l->at));
	l->made = mem_alloc_zero(l->n + 1, sizeof(*l->made));
	for (size_t i = 0; i < l->n; i++)
		read_facts(l, i);
	for (uint32_t i = 0; i < l->n; i++)
		if (is_free(&l->facts[i]))
			unite_with_needs(l, i);
	if (host)
		unite_all(l);
	return l;
}

void libraries_free(struct libraries *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++) {
		vec_release(&l->facts[i].needs);
		intern_release(&l->facts[i].defines);
		intern_release(&l->facts[i].wants);
	}
	mem_free(l->facts);
	mem_free(l->at);
	mem_free(l->made);
	mem_free(l);
}

uint32_t libraries_at(struct libraries *l, uint64_t function)
{
	uint32_t i = modules_at(l->modules, function);

	if (i >= l->n)
		return LIBRARY_NONE;
	if (!l->made[i])
		make(l, i);
	return i;
}

const struct library *libraries_get(const struct libraries *l, uint32_t number)
{
	return number < l->n ? &l->at[number] : &worst;
}

size_t libraries_count(const struct libraries *l)
{
	return l->n;
}

bool libraries_is_program(const struct libraries *l, uint64_t address)
{
	uint32_t i = modules_at(l->modules, address);

	return i < l->n && l->facts[i].program;
}
