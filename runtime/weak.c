/* SPDX-License-Identifier: MIT */
#include "runtime/weak.h"

#include <link.h>

#include "runtime/real.h"
#include "runtime/sys.h"

#define PAGE 4096u

/* By the linker, as _DYNAMIC: where this library lies. */
extern NORN_HIDDEN const ElfW(Ehdr) __ehdr_start;

static uintptr_t base(void)
{
	return (uintptr_t)&__ehdr_start;
}

/* The loader has made addresses of some of them. */
static uintptr_t entry(ElfW(Sxword) tag)
{
	for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++)
		if (d->d_tag == tag)
			return d->d_un.d_ptr;
	return 0;
}

static uintptr_t address(ElfW(Sxword) tag)
{
	uintptr_t at = entry(tag);
	return at && at < base() ? at + base() : at;
}

/* What the loader has protected when it was done. */
static void protect(int protection)
{
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(base() + __ehdr_start.e_phoff);
	for (unsigned i = 0; i < __ehdr_start.e_phnum; i++) {
		uintptr_t low = base() + headers[i].p_vaddr, high = low + headers[i].p_memsz;
		low &= ~(uintptr_t)(PAGE - 1);
		high &= ~(uintptr_t)(PAGE - 1);
		if (headers[i].p_type == PT_GNU_RELRO && low < high)
			NORN_SYS(mprotect, low, high - low, protection, 0, 0, 0);
	}
}

static bool is_weak(const ElfW(Sym) * symbol)
{
	return symbol->st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) == STB_WEAK;
}

static void bind_each(uintptr_t table, size_t size, void *library)
{
	const ElfW(Sym) *symbols = (const ElfW(Sym) *)address(DT_SYMTAB);
	const char *names = (const char *)address(DT_STRTAB);
	const ElfW(Rela) *relocations = (const ElfW(Rela) *)table;
	for (size_t i = 0; i < size / sizeof *relocations; i++) {
		const ElfW(Rela) *r = &relocations[i];
		uint32_t type = ELF64_R_TYPE(r->r_info);
		const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(r->r_info)];
		if ((type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT) || !is_weak(symbol))
			continue;
		void *found = dlsym(library, names + symbol->st_name), *old;
		void **slot = (void **)(base() + r->r_offset);
		old = __atomic_load_n(slot, __ATOMIC_RELAXED);
		if (found && (!old || type == R_X86_64_JUMP_SLOT))
			__atomic_store_n(slot, found, __ATOMIC_RELEASE);
	}
}

/* Whether it is loaded. */
static bool bind_to(const char *name)
{
	void *library = NORN_REAL(dlopen)(name, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return false;
	protect(PROT_READ | PROT_WRITE);
	bind_each(address(DT_RELA), entry(DT_RELASZ), library);
	bind_each(address(DT_JMPREL), entry(DT_PLTRELSZ), library);
	protect(PROT_READ);
	dlclose(library);
	return true;
}

void norn_bind_weak(void)
{
	static const char *const names[] = {"libstdc++.so.6", "libm.so.6"};
	static bool bound[sizeof names / sizeof *names];
	struct norn_self *me = &norn_self;
	uintptr_t busy = me->busy;
	me->busy = 1;
	NORN_COMPILER_BARRIER();
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		bound[i] = bound[i] || bind_to(names[i]);
	NORN_COMPILER_BARRIER();
	me->busy = busy;
	if (!busy)
		norn_leave(me);
}
