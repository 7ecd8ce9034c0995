/* SPDX-License-Identifier: MIT */
#include "record/log/modules.h"

#include "base/areas.h"
#include "base/sorted.h"
#include "record/log/scopes.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The addresses of a compilation unit. .debug_aranges would tell, but clang writes none. */
struct unit {
	uint64_t start, end;
	Dwarf_Die die;
};

struct module {
	char *path;
	Dwfl_Module *dwfl;
	bool has_units;
	VEC(struct unit) units; /* by address */
	struct scopes scopes;
};

/* What an ELF file has in memory; behind `filled` bytes of `data` it is 0. */
struct segment {
	uint64_t start, end, filled;
	const char *data;
	bool read_only, relocated, code;
};

struct modules {
	char *text;		/* that it was made of */
	VEC(struct stat) files; /* of `at` */
	Dwfl *dwfl;
	VEC(struct segment) segments;
	struct segment tls; /* of the program itself, with what fills it up to its alignment */
	bool has_segments;
	VEC(struct module) at;
	VEC(struct data_symbol) symbols; /* by address */
	struct areas areas;		 /* that have some */
	struct arena names;
	bool has_symbols;
};

static char *no_debuginfo_path;
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.debuginfo_path = &no_debuginfo_path,
};

static struct stat state_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		st = (struct stat){0};
	return st;
}

static void add_module(struct modules *m, const char *line, size_t length)
{
	char *path;
	uint64_t base = strtoull(line, &path, 16);

	if (path == line || *path != ' ')
		return;
	path++;
	struct module module = {.path = strndup(path, length - (size_t)(path - line))};

	vec_push(&m->files, state_of(module.path)); /* before it is opened */
	if (!access(module.path, R_OK))
		module.dwfl = dwfl_report_elf(m->dwfl, module.path, module.path, -1, base, true);
	vec_push(&m->at, module);
}

static struct modules *kept; /* that nobody uses */

static bool is_same(const struct modules *m, const char *text)
{
	if (strcmp(m->text, text) != 0)
		return false;
	for (size_t i = 0; i < m->at.n; i++) {
		struct stat now = state_of(m->at.at[i].path), then = m->files.at[i];

		if (now.st_dev != then.st_dev || now.st_ino != then.st_ino ||
		    now.st_size != then.st_size || now.st_mtim.tv_sec != then.st_mtim.tv_sec ||
		    now.st_mtim.tv_nsec != then.st_mtim.tv_nsec)
			return false;
	}
	return true;
}

struct modules *modules_new(const char *text)
{
	struct modules *m = kept;

	kept = NULL;
	if (m && is_same(m, text))
		return m;
	modules_free(m);
	m = mem_alloc_zero(1, sizeof(*m));
	m->text = memcpy(mem_alloc(strlen(text) + 1), text, strlen(text) + 1);
	m->dwfl = dwfl_begin(&callbacks);
	if (!m->dwfl)
		return m;
	dwfl_report_begin(m->dwfl);
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");

		add_module(m, line, length);
		line += length + (line[length] == '\n');
	}
	dwfl_report_end(m->dwfl, NULL, NULL);
	return m;
}

void modules_keep(struct modules *m)
{
	modules_free(kept);
	kept = m;
}

void modules_free(struct modules *m)
{
	if (!m)
		return;
	if (m->dwfl)
		dwfl_end(m->dwfl);
	for (size_t i = 0; i < m->at.n; i++) {
		free(m->at.at[i].path);
		vec_release(&m->at.at[i].units);
		scopes_release(&m->at.at[i].scopes);
	}
	vec_release(&m->at);
	vec_release(&m->symbols);
	vec_release(&m->segments);
	arena_release(&m->names);
	vec_release(&m->files);
	mem_free(m->text);
	mem_free(m);
}

/* Memory */

static Elf_Data *segment_data(Elf *elf, const GElf_Phdr *p)
{
	return elf_getdata_rawchunk(elf, (int64_t)p->p_offset, p->p_filesz, ELF_T_BYTE);
}

static void set_tls(struct modules *m, Elf *elf, const GElf_Phdr *p)
{
	uint64_t align = p->p_align ? p->p_align : 1;
	Elf_Data *data = p->p_filesz ? segment_data(elf, p) : NULL;

	if (p->p_vaddr % align || (p->p_filesz && !data))
		return;
	m->tls = (struct segment){.end = (p->p_memsz + align - 1) / align * align,
				  .filled = p->p_filesz,
				  .data = data ? data->d_buf : NULL};
}

static void add_segment(struct modules *m, Elf *elf, uint64_t bias, const GElf_Phdr *p)
{
	Elf_Data *data = p->p_type == PT_LOAD && p->p_filesz ? segment_data(elf, p) : NULL;
	struct segment s = {.start = p->p_vaddr + bias,
			    .end = p->p_vaddr + bias + p->p_memsz,
			    .filled = data ? data->d_size : 0,
			    .data = data ? data->d_buf : NULL,
			    .read_only = p->p_type == PT_GNU_RELRO || !(p->p_flags & PF_W),
			    .relocated = p->p_type == PT_GNU_RELRO,
			    .code = p->p_flags & PF_X};

	if ((p->p_type == PT_LOAD && (data || !p->p_filesz)) || p->p_type == PT_GNU_RELRO)
		vec_push(&m->segments, s);
}

static void find_segments(struct modules *m)
{
	m->has_segments = true;
	for (size_t i = 0; i < m->at.n; i++) {
		GElf_Addr bias;
		Elf *elf = m->at.at[i].dwfl ? dwfl_module_getelf(m->at.at[i].dwfl, &bias) : NULL;
		size_t count;
		GElf_Phdr p;

		if (!elf || elf_getphdrnum(elf, &count))
			continue;
		for (size_t k = 0; k < count; k++)
			if (gelf_getphdr(elf, (int)k, &p)) {
				add_segment(m, elf, bias, &p);
				if (!i && p.p_type == PT_TLS)
					set_tls(m, elf, &p);
			}
	}
}

static bool segment_holds(const struct segment *s, uint64_t offset, const char *bytes, size_t n)
{
	if (s->read_only)
		return true;
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != (offset + i < s->filled ? s->data[offset + i] : 0))
			return false;
	return true;
}

bool modules_hold(struct modules *m, uint64_t address, const void *bytes, size_t n)
{
	if (!m->has_segments)
		find_segments(m);
	for (size_t i = 0; i < m->segments.n; i++) {
		const struct segment *s = &m->segments.at[i];

		if (address >= s->start && address + n <= s->end &&
		    segment_holds(s, address - s->start, bytes, n))
			return true;
	}
	return false;
}

bool modules_tls_hold(struct modules *m, uint64_t before, const void *bytes, size_t n)
{
	const struct segment *s = &m->tls;

	if (!m->has_segments)
		find_segments(m);
	uint64_t size = s->end - s->start;

	return before <= size && n <= before && segment_holds(s, size - before, bytes, n);
}

bool modules_constant(struct modules *m, uint64_t address, struct module_constant *found)
{
	if (!m->has_segments)
		find_segments(m);
	for (size_t i = 0; i < m->segments.n; i++) {
		const struct segment *s = &m->segments.at[i];
		/* the loader protects whole pages */
		uint64_t end = s->relocated ? s->end & ~(uint64_t)4095 : s->start + s->filled;

		if (!s->read_only || address < s->start || address >= end)
			continue;
		*found = (struct module_constant){s->start, end, s->relocated ? NULL : s->data,
						  s->code};
		return true;
	}
	return false;
}

/* Lines */

static int compare_units(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void find_units(struct module *m)
{
	Dwarf_Die *die = NULL;
	Dwarf_Addr bias, base;

	m->has_units = true;
	while ((die = dwfl_module_nextcu(m->dwfl, die, &bias))) {
		struct unit unit = {.die = *die};

		for (ptrdiff_t next = 0;
		     (next = dwarf_ranges(die, next, &base, &unit.start, &unit.end)) > 0;) {
			unit.start += bias;
			unit.end += bias;
			vec_push(&m->units, unit);
		}
	}
	if (m->units.n)
		qsort(m->units.at, m->units.n, sizeof(*m->units.at), compare_units);
}

static Dwarf_Die *unit_of(struct module *m, uint64_t address)
{
	if (!m->has_units)
		find_units(m);
	size_t behind = LOWER_BOUND(i, (size_t)0, m->units.n, m->units.at[i].start <= address);

	return behind && address < m->units.at[behind - 1].end ? &m->units.at[behind - 1].die
							       : NULL;
}

static struct module *module_of(struct modules *m, uint64_t address)
{
	Dwfl_Module *dwfl = m->dwfl ? dwfl_addrmodule(m->dwfl, address) : NULL;

	for (size_t i = 0; dwfl && i < m->at.n; i++)
		if (m->at.at[i].dwfl == dwfl)
			return &m->at.at[i];
	return NULL;
}

bool modules_have(struct modules *m, uint64_t address)
{
	return module_of(m, address);
}

#define FRAME_MOST 1024

/* A place in the source, and who is there. */
struct source_place {
	const char *file, *function;
	int line, column;
};

bool modules_is_system(const char *file)
{
	return !strncmp(file, "/usr/include/", 13) || strstr(file, "/include/c++/") ||
	       strstr(file, "/lib/gcc/") || strstr(file, "/lib/clang/");
}

static int number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) ? 0 : (int)value;
}

/* From an address outwards: the functions around it, and how many of them are left. */
struct outwards {
	struct scope_chain chain;
	Dwarf_Files *files;
	size_t left;
};

static void outwards_begin(struct outwards *o, struct module *module, Dwarf_Die *unit,
			   uint64_t address)
{
	size_t file_count;

	*o = (struct outwards){0};
	if (!dwarf_getsrcfiles(unit, &o->files, &file_count))
		scopes_find(&module->scopes, unit, address, &o->chain);
	o->left = o->chain.at.n;
}

/* To where the function that the place is in was inlined; false: nobody knows. */
static bool leave_inlined(struct outwards *o, struct source_place *place)
{
	Dwarf_Die *die = &o->chain.at.at[--o->left];
	const char *file =
		dwarf_filesrc(o->files, (size_t)number_of(die, DW_AT_call_file), NULL, NULL);

	if (!file)
		return false;
	place->file = file;
	place->line = number_of(die, DW_AT_call_line);
	place->column = number_of(die, DW_AT_call_column);
	return true;
}

/* The function that the place is in; out of those of system headers that were inlined, to the code
 * that called them. True: it was inlined itself. */
static bool find_around(struct outwards *o, struct source_place *place)
{
	do {
		if (!o->left)
			return false;
		place->function = dwarf_diename(&o->chain.at.at[o->left - 1]);
		if (o->left == 1)
			return false;
		if (!modules_is_system(place->file))
			return true;
	} while (leave_inlined(o, place));
	return false;
}

/*
 * Of a function that clang has made of an OpenMP region or task, the symbol has the name for people
 * (instrument/openmp.h), maybe with a number behind it that makes it unique.
 */
static void name_region(const struct module *module, uint64_t pc, struct source_place *place,
			char *text, size_t room)
{
	static const char at_line[] = "_at_line_";
	const char *name = place->function && !strncmp(place->function, ".omp_", 5)
				   ? dwfl_module_addrname(module->dwfl, pc)
				   : NULL;
	const char *at = name ? strstr(name, at_line) : NULL;

	if (!at)
		return;
	at += sizeof(at_line) - 1;
	snprintf(text, room, "%.*s", (int)((size_t)(at - name) + strspn(at, "0123456789")), name);
	place->function = text;
}

/* As the user wrote it: relative to where the compiler ran. */
static const char *shortened(Dwarf_Die *unit, const char *file)
{
	Dwarf_Attribute attribute;
	const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	size_t length = directory ? strlen(directory) : 0;

	if (length && !strncmp(file, directory, length) && file[length] == '/')
		file += length + 1;
	while (file[0] == '.' && file[1] == '/')
		file += 2;
	return file;
}

static void put_place(Dwarf_Die *unit, const struct source_place *p, char *text, size_t room)
{
	const char *file = shortened(unit, p->file);
	int used = p->column > 0 ? snprintf(text, room, "%s:%d:%d", file, p->line, p->column)
				 : snprintf(text, room, "%s:%d", file, p->line);

	if (p->function && used > 0 && (size_t)used < room)
		snprintf(text + used, room - (size_t)used, ":%s", p->function);
}

/* Where the machine's code is from. */
static bool find_line(Dwarf_Die *unit, uint64_t address, struct source_place *p)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);

	*p = (struct source_place){0};
	p->file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (!p->file || dwarf_lineno(line, &p->line))
		return false;
	dwarf_linecol(line, &p->column);
	return true;
}

void modules_frames(struct modules *m, uint64_t pc, modules_frame *frame, void *context)
{
	struct module *module = pc ? module_of(m, pc - 1) : NULL;
	Dwarf_Die *unit = module ? unit_of(module, pc - 1) : NULL;
	char text[FRAME_MOST], region[400];
	struct source_place p;
	struct outwards outwards;
	Dwarf_Addr bias;
	bool inlined = true;

	if (!unit || !dwfl_module_getdwarf(module->dwfl, &bias) ||
	    !find_line(unit, pc - 1 - bias, &p))
		return;
	outwards_begin(&outwards, module, unit, pc - 1 - bias);
	while (inlined) {
		inlined = find_around(&outwards, &p);
		name_region(module, pc - 1, &p, region, sizeof(region));
		if (p.line <= 0)
			break;
		put_place(unit, &p, text, sizeof(text));
		if (!frame(context, text))
			break;
		inlined = inlined && leave_inlined(&outwards, &p);
	}
	vec_release(&outwards.chain.at);
}

struct first_frame {
	char *text;
	size_t room;
	bool found;
};

static bool take_first(void *context, const char *text)
{
	struct first_frame *first = context;

	snprintf(first->text, first->room, "%s", text);
	first->found = true;
	return false;
}

bool modules_call(struct modules *m, uint64_t pc, char *text, size_t room)
{
	struct first_frame first = {text, room, false};

	modules_frames(m, pc, take_first, &first);
	return first.found;
}

bool modules_function(struct modules *m, uint64_t pc, char *text, size_t room)
{
	struct module *module = pc ? module_of(m, pc - 1) : NULL;
	const char *name = module ? dwfl_module_addrname(module->dwfl, pc - 1) : NULL;

	if (!name)
		return false;
	modules_demangle(name, text, room);
	return true;
}

/* Of the C++ library. */
char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

/* What clang calls the lock of a critical, or of a reduction. */
static bool demangle_critical(const char *name, char *text, size_t room)
{
	static const char start[] = ".gomp_critical_user_", end[] = ".var";
	size_t length = strlen(name);

	if (strncmp(name, start, sizeof(start) - 1) || length < sizeof(start) + sizeof(end) - 2 ||
	    strcmp(name + length - sizeof(end) + 1, end))
		return false;
	int n = (int)(length - (sizeof(start) - 1) - (sizeof(end) - 1));
	const char *own = name + sizeof(start) - 1;

	if (n && strstr(own, "reduction.var"))
		snprintf(text, room, "reduction");
	else
		snprintf(text, room, n ? "critical(%.*s)" : "critical", n, own);
	return true;
}

void modules_demangle(const char *name, char *text, size_t room)
{
	if (demangle_critical(name, text, room))
		return;
	char *plain = strncmp(name, "_Z", 2) ? NULL : __cxa_demangle(name, NULL, NULL, NULL);

	snprintf(text, room, "%s", plain ? plain : name);
	free(plain);
}

/* Symbols */

static void add_symbols(struct modules *m, Dwfl_Module *module)
{
	int count = dwfl_module_getsymtab(module);

	for (int i = 1; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr address;
		const char *name =
			dwfl_module_getsym_info(module, i, &sym, &address, NULL, NULL, NULL);

		if (!name || !*name || GELF_ST_TYPE(sym.st_info) != STT_OBJECT || !sym.st_size ||
		    sym.st_shndx == SHN_UNDEF)
			continue;
		char plain[1024];

		modules_demangle(name, plain, sizeof(plain));
		struct data_symbol s = {address, sym.st_size,
					arena_copy(&m->names, plain, strlen(plain) + 1),
					GELF_ST_BIND(sym.st_info) != STB_LOCAL};

		vec_push(&m->symbols, s);
	}
}

/* Of several at one address the shortest name comes last, and is found. */
static int compare_symbols(const void *a, const void *b)
{
	const struct data_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	size_t p = strlen(x->name), q = strlen(y->name);

	return p != q ? (p > q ? -1 : 1) : strcmp(y->name, x->name);
}

const struct data_symbol *modules_symbols(struct modules *m, size_t *n)
{
	if (!m->has_symbols) {
		for (size_t i = 0; i < m->at.n; i++)
			if (m->at.at[i].dwfl)
				add_symbols(m, m->at.at[i].dwfl);
		for (size_t i = 0; i < m->symbols.n; i++)
			areas_add(&m->areas, m->symbols.at[i].address, m->symbols.at[i].size);
		if (m->symbols.n)
			qsort(m->symbols.at, m->symbols.n, sizeof(*m->symbols.at), compare_symbols);
		m->has_symbols = true;
	}
	*n = m->symbols.n;
	return m->symbols.at;
}

const struct data_symbol *modules_symbol(struct modules *m, uint64_t address)
{
	size_t n;

	modules_symbols(m, &n);
	if (!areas_have(&m->areas, address))
		return NULL;
	size_t behind = LOWER_BOUND(i, (size_t)0, n, m->symbols.at[i].address <= address);

	if (!behind)
		return NULL;
	const struct data_symbol *s = &m->symbols.at[behind - 1];

	return address - s->address < s->size ? s : NULL;
}

bool modules_build_id(struct modules *m, size_t i, const char **path, char *id, size_t room)
{
	const unsigned char *bits;
	GElf_Addr where;

	if (i >= m->at.n)
		return false;
	*path = m->at.at[i].path;
	*id = '\0';
	if (!m->at.at[i].dwfl)
		return true;
	GElf_Addr bias;

	dwfl_module_getelf(m->at.at[i].dwfl, &bias);
	int n = dwfl_module_build_id(m->at.at[i].dwfl, &bits, &where);

	for (int k = 0; k < n && 2 * (size_t)k + 3 < room; k++)
		snprintf(id + 2 * k, 3, "%02x", bits[k]);
	return true;
}

size_t modules_count(const struct modules *m)
{
	return m->at.n;
}

const char *modules_path(const struct modules *m, size_t i)
{
	return m->at.at[i].path;
}

Elf *modules_elf(struct modules *m, size_t i)
{
	GElf_Addr bias;

	return m->at.at[i].dwfl ? dwfl_module_getelf(m->at.at[i].dwfl, &bias) : NULL;
}

/* Functions */

struct function_wanted {
	const char *name; /* or NULL: any that is wanted of others, */
	uint64_t address; /* with this address, of a stub for it */
};

/* The name of a dynamic symbol of the module; NULL: there is none. */
static const char *find_function(Dwfl_Module *module, const struct function_wanted *wanted)
{
	GElf_Addr bias, address;
	GElf_Word section;
	GElf_Sym symbol;
	int n = dwfl_module_getelf(module, &bias) ? dwfl_module_getsymtab(module) : 0;

	for (int i = 0; i < n; i++) {
		const char *name =
			dwfl_module_getsym_info(module, i, &symbol, &address, &section, NULL, NULL);
		bool defined = symbol.st_shndx != SHN_UNDEF;

		if (name && *name &&
		    (wanted->name ? defined && !strcmp(name, wanted->name)
				  : !defined && symbol.st_value &&
					    symbol.st_value + bias == wanted->address))
			return name;
	}
	return NULL;
}

static uint32_t module_number(const struct modules *m, const Dwfl_Module *module)
{
	for (size_t i = 0; module && i < m->at.n; i++)
		if (m->at.at[i].dwfl == module)
			return (uint32_t)i;
	return UINT32_MAX;
}

/* The address of a function of another module may be that of a stub: then it is its name that
 * counts. */
uint32_t modules_at(struct modules *m, uint64_t function)
{
	Dwfl_Module *module = m->dwfl ? dwfl_addrmodule(m->dwfl, function) : NULL;
	struct function_wanted wanted = {.address = function};
	const char *name = module ? find_function(module, &wanted) : NULL;

	for (size_t i = 0; name && i < m->at.n; i++) {
		wanted.name = name;
		if (m->at.at[i].dwfl && m->at.at[i].dwfl != module &&
		    find_function(m->at.at[i].dwfl, &wanted))
			return (uint32_t)i;
	}
	return module_number(m, module);
}
