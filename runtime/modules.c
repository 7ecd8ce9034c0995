/* SPDX-License-Identifier: MIT */
#include "runtime/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/files.h"
#include "runtime/hooks.h"
#include "runtime/host.h"
#include "runtime/image.h"
#include "runtime/real.h"
#include "runtime/run.h"
#include "runtime/sites.h"
#include "runtime/sys.h"

#define SITES_MOST (1u << 24)

struct listed {
	uintptr_t base;
	size_t length; /* of the name, to tell a module from a later one at its place */
};

struct registered {
	const struct site_table *table;
	uint32_t base;
};

/* Tables that grow by mapping them anew, twice as large. */
static struct {
	struct norn_spin lock;
	uint32_t next_site;
	struct registered *tables;
	size_t table_count, table_room;
	struct listed *modules;
	size_t module_count, module_room;
} all = {.next_site = 1};

static void *grown(void *old, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return old;
	size_t wider = *room ? *room * 2 : 4096 / size;
	long map = NORN_SYS(mmap, 0, wider * size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map < 0 && map > -4096)
		return NULL;
	if (old) {
		memcpy((void *)map, old, count * size);
		NORN_SYS(munmap, old, *room * size, 0, 0, 0, 0);
	}
	*room = wider;
	return (void *)map;
}

static long open_to_append(const char *name)
{
	long fd = norn_file_open(name, -1, O_WRONLY | O_CREAT | O_APPEND);
	if (fd < 0)
		norn_fail(name, -1, fd);
	return fd;
}

static size_t table_length(const struct site_table *table)
{
	size_t length = sizeof *table + table->sites * sizeof(struct site) +
			(table->defined + table->called) * sizeof(uint32_t) + table->text;
	if (table->addresses)
		length = ((length + 7) & ~(size_t)7) +
			 table->addresses * sizeof(struct site_address);
	return length;
}

static void write_table(const struct registered *one)
{
	long fd = open_to_append("sites");
	if (fd < 0)
		return;
	size_t length = table_length(one->table);
	struct log_table head = {LOG_MAGIC, one->base, length};
	static const char zeros[8];
	long error = norn_file_append(fd, &head, sizeof head);
	if (error >= 0)
		error = norn_file_append(fd, one->table, length);
	if (error >= 0)
		error = norn_file_append(fd, zeros, -length & 7);
	norn_sys_close(fd);
	if (error < 0)
		norn_fail("sites", -1, error);
}

static bool add_module(uintptr_t base, size_t length)
{
	for (size_t i = 0; i < all.module_count; i++)
		if (all.modules[i].base == base && all.modules[i].length == length)
			return false;
	struct listed *modules =
		grown(all.modules, all.module_count, &all.module_room, sizeof *modules);
	if (!modules)
		return false;
	all.modules = modules;
	all.modules[all.module_count++] = (struct listed){base, length};
	return true;
}

static int list_module(struct dl_phdr_info *info, size_t size, void *to)
{
	(void)size;
	char line[PATH_MAX + 32];
	const char *name = info->dlpi_name;
	char self[PATH_MAX];
	long length = (long)strlen(name);
	/* The program itself comes first and has no name. */
	if (length == 0 && all.module_count == 0) {
		length = NORN_SYS(readlink, "/proc/self/exe", self, sizeof self - 1, 0, 0, 0);
		name = self;
	}
	if (length <= 0 || length >= PATH_MAX || !add_module(info->dlpi_addr, (size_t)length))
		return 0;
	char *end = line;
	for (int shift = 60; shift >= 0; shift -= 4)
		*end++ = "0123456789abcdef"[info->dlpi_addr >> shift & 15];
	*end++ = ' ';
	memcpy(end, name, (size_t)length);
	end += length;
	*end++ = '\n';
	long error = norn_file_append(*(long *)to, line, (uint64_t)(end - line));
	if (error < 0)
		norn_fail("modules", -1, error);
	norn_write_image(info);
	return 0;
}

/* Not under the lock of this file: dl_iterate_phdr has one of its own, which may be held by a
 * thread that comes here from a constructor. */
void norn_list_modules(void)
{
	static struct norn_spin one_at_a_time;
	long fd = open_to_append("modules");
	if (fd < 0)
		return;
	if (__atomic_exchange_n(&one_at_a_time.taken, 1, __ATOMIC_ACQUIRE) == 0) {
		dl_iterate_phdr(list_module, &fd);
		norn_spin_unlock(&one_at_a_time);
	}
	norn_sys_close(fd);
}

void norn_modules_in_child(void)
{
	all.lock.taken = 0;
	all.module_count = 0;
	for (size_t i = 0; i < all.table_count; i++)
		write_table(&all.tables[i]);
	norn_list_modules();
}

static bool is_code(const ElfW(Phdr) * header)
{
	return header->p_type == PT_LOAD && header->p_flags & PF_X;
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *to)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so."))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (is_code(&info->dlpi_phdr[i]))
			*(struct norn_text *)to =
				(struct norn_text){info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
						   info->dlpi_phdr[i].p_memsz};
	return 1;
}

bool norn_is_in_libc(const void *pc)
{
	static struct norn_text libc;
	static bool known;
	if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
		struct norn_text text = {0};
		dl_iterate_phdr(find_libc, &text);
		libc = text; /* the same by whomever */
		__atomic_store_n(&known, true, __ATOMIC_RELEASE);
	}
	return (uintptr_t)pc - libc.low < libc.size;
}

struct norn_texts norn_texts;

static void add_text(uintptr_t low, uintptr_t size)
{
	for (uint32_t i = 0; i < norn_texts.count; i++)
		if (norn_texts.of[i].low == low && norn_texts.of[i].size == size)
			return;
	if (norn_texts.count == NORN_TEXTS)
		return;
	norn_texts.of[norn_texts.count] = (struct norn_text){low, size};
	__atomic_store_n(&norn_texts.count, norn_texts.count + 1, __ATOMIC_RELEASE);
}

struct texts_of {
	uintptr_t table;
	struct norn_text text[4];
	unsigned count;
};

/* The code of the object that has the table: the call may come from anywhere, by a jump. */
static int find_texts(struct dl_phdr_info *info, size_t size, void *to)
{
	(void)size;
	struct texts_of *of = to;
	bool here = false;
	of->count = 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD)
			continue;
		here |= of->table - low < p->p_memsz;
		if (p->p_flags & PF_X && of->count < sizeof of->text / sizeof of->text[0])
			of->text[of->count++] = (struct norn_text){low, p->p_memsz};
	}
	return here;
}

const struct site *norn_find_site(uint32_t site)
{
	const struct site *found = NULL;
	norn_spin_lock(&all.lock);
	for (size_t i = 0; i < all.table_count && site; i++) {
		const struct registered *one = &all.tables[i];
		if (site - one->base < one->table->sites)
			found = (const struct site *)(one->table + 1) + (site - one->base);
	}
	norn_spin_unlock(&all.lock);
	return found;
}

static uint32_t add_table(const struct site_table *table)
{
	struct registered *tables =
		grown(all.tables, all.table_count, &all.table_room, sizeof *tables);
	if (!tables) {
		norn_fail("no memory for the list of modules", -1, -ENOMEM);
		return 0;
	}
	if (table->magic != SITE_MAGIC || table->version != SITE_VERSION) {
		norn_fail("a module was built by another version of norn cc", -1, 0);
		return 0;
	}
	if (all.next_site + table->sites >= SITES_MOST) {
		norn_fail("too many places in the program to number them", -1, 0);
		return 0;
	}
	all.tables = tables;
	all.tables[all.table_count] = (struct registered){table, all.next_site};
	all.next_site += table->sites;
	write_table(&all.tables[all.table_count]);
	return all.tables[all.table_count++].base;
}

void norn_register(const void *table, uint32_t *base)
{
	struct norn_self *me = &norn_self;
	*base = 0;
	if (!norn_enter(me))
		return;
	/* Not under our lock: see norn_list_modules. */
	struct texts_of of = {.table = (uintptr_t)table};
	bool found = dl_iterate_phdr(find_texts, &of);
	norn_spin_lock(&all.lock);
	for (unsigned i = 0; found && i < of.count; i++)
		add_text(of.text[i].low, of.text[i].size);
	*base = add_table(table);
	norn_spin_unlock(&all.lock);
	norn_list_modules();
	norn_leave(me);
}

void __norn_register(const void *table, uint32_t *base)
{
	if (norn_is_preloaded)
		norn_host_has_hooks();
	norn_register(table, base);
}
