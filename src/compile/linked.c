/* SPDX-License-Identifier: MIT */
#include "compile/linked.h"

#include "base/near.h"

#include <elf.h>
#include <fcntl.h>
#include <libelf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *__cxa_demangle(const char *name, char *to, size_t *size, int *status);

static const char *keep(struct linked *linked, const char *text, size_t length)
{
	char *copy = arena_copy(&linked->text, text, length + 1);

	copy[length] = '\0';
	return copy;
}

/* Functions, variables, and what is undefined: of that the type is not known. */
static enum linked_kind kind_of(const GElf_Sym *symbol)
{
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC: return LINKED_FUNCTION;
	case STT_OBJECT: return LINKED_VARIABLE;
	case STT_NOTYPE: return symbol->st_shndx == SHN_UNDEF ? LINKED_FUNCTION : LINKED_OTHER;
	default: return LINKED_OTHER;
	}
}

/* Its code has a section of its own (doc/recording.md). */
static bool is_ours(Elf *elf, const GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
	GElf_Shdr head;
	size_t names;

	if (!section || !gelf_getshdr(section, &head) || elf_getshdrstrndx(elf, &names))
		return false;
	const char *name = elf_strptr(elf, names, head.sh_name);

	return name && !strcmp(name, "norn_text");
}

static void add(struct linked *linked, const char *name, enum linked_kind kind, bool ours)
{
	struct linked_symbol symbol = {
		.name = keep(linked, name, strlen(name)), .kind = kind, .ours = ours};
	char *readable = strncmp(name, "_Z", 2) ? NULL : __cxa_demangle(name, NULL, NULL, NULL);

	if (readable) {
		symbol.readable = keep(linked, readable, strlen(readable));
		symbol.bare = keep(linked, readable, events_bare_length(readable));
	}
	free(readable);
	vec_push(&linked->all, symbol);
}

static void read_table(struct linked *linked, Elf *elf, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr head;
	GElf_Sym symbol;

	if (!data || !gelf_getshdr(section, &head) || !head.sh_entsize)
		return;
	for (int i = 0; i < (int)(head.sh_size / head.sh_entsize); i++) {
		if (!gelf_getsym(data, i, &symbol) || kind_of(&symbol) == LINKED_OTHER)
			continue;
		const char *name = elf_strptr(elf, head.sh_link, symbol.st_name);

		if (name && *name)
			add(linked, name, kind_of(&symbol), is_ours(elf, &symbol));
	}
}

bool linked_load(struct linked *linked, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;

	elf_version(EV_CURRENT);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);

	for (Elf_Scn *s = elf ? elf_nextscn(elf, NULL) : NULL; s; s = elf_nextscn(elf, s)) {
		GElf_Shdr head;

		if (!gelf_getshdr(s, &head) || head.sh_type != SHT_SYMTAB)
			continue;
		found = true;
		read_table(linked, elf, s);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

void linked_release(struct linked *linked)
{
	vec_release(&linked->all);
	arena_release(&linked->text);
}

bool linked_have(const struct linked *linked, const char *target)
{
	for (size_t i = 0; i < linked->all.n; i++)
		if (linked->all.at[i].kind == LINKED_FUNCTION &&
		    events_names(target, linked->all.at[i].name, linked->all.at[i].readable))
			return true;
	return false;
}

bool linked_mark(const struct linked *linked, const struct events_line *line)
{
	char start[60];
	int n = snprintf(start, sizeof(start), EVENTS_MARK_SYMBOL "%016llx.",
			 (unsigned long long)events_mark_key(line));

	for (size_t i = 0; i < linked->all.n; i++)
		if (!strncmp(linked->all.at[i].name, start, (size_t)n))
			return true;
	return false;
}

const char *linked_nearest(const struct linked *linked, const char *target, enum linked_kind kind)
{
	struct near near = {.word = target};

	for (size_t i = 0; i < linked->all.n; i++) {
		const struct linked_symbol *f = &linked->all.at[i];

		const char *name = f->readable ? f->readable : f->name;

		if (f->kind != kind || f->ours || !strcmp(f->name, target) || !strcmp(name, target))
			continue;
		if (f->bare && strcmp(f->bare, target) != 0)
			near_try(&near, f->bare);
		near_try(&near, name);
	}
	return near.best;
}
