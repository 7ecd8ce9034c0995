/* SPDX-License-Identifier: MIT */
#include "instrument/scan.h"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Where the runtime's own code is (Makefile): what it orders is in the log. */
#define RUNTIME_SECTION "norn_text"

static bool is_prefix(uint8_t byte)
{
	static const uint8_t prefixes[] = {0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36,
					   0x3e, 0x26, 0x64, 0x65, 0xf0};
	return memchr(prefixes, byte, sizeof(prefixes));
}

static bool is_atomic(const uint8_t *code, size_t length)
{
	size_t i = 0;
	for (; i < length && is_prefix(code[i]); i++)
		if (code[i] == 0xf0)
			return true;
	if (i < length && (code[i] & 0xf0) == 0x40) /* REX */
		i++;
	return i + 1 < length && (code[i] == 0x86 || code[i] == 0x87) && code[i + 1] >> 6 != 3;
}

static bool is_system_call(const uint8_t *code, size_t length)
{
	return length == 2 && code[0] == 0x0f && code[1] == 0x05;
}

static bool code_orders(LLVMDisasmContextRef disassembler, uint8_t *code, size_t size)
{
	char text[256];
	for (size_t i = 0, length; i < size; i += length ? length : 1) {
		length = LLVMDisasmInstruction(disassembler, code + i, size - i, i, text,
					       sizeof(text));
		if (is_atomic(code + i, length) || is_system_call(code + i, length))
			return true;
	}
	return false;
}

static bool is_scanned(const char *name, const GElf_Shdr *header)
{
	return header->sh_flags & SHF_EXECINSTR && header->sh_type == SHT_PROGBITS &&
	       strcmp(name, RUNTIME_SECTION) != 0;
}

/* syscall(2), by which a library waits on futexes and the like */
static bool imports_system_calls(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;
	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (symbol.st_shndx == SHN_UNDEF && name && !strcmp(name, "syscall"))
			return true;
	}
	return false;
}

static bool section_orders(Elf *elf, size_t names, Elf_Scn *section, bool program,
			   LLVMDisasmContextRef disassembler)
{
	GElf_Shdr header;
	if (!gelf_getshdr(section, &header))
		return false;
	/* of a program with hooks the runtime makes them */
	if (header.sh_type == SHT_DYNSYM && !program)
		return imports_system_calls(elf, section, &header);
	const char *name = elf_strptr(elf, names, header.sh_name);
	if (!name || !is_scanned(name, &header))
		return false;
	Elf_Data *data = elf_rawdata(section, NULL);
	return data && data->d_buf && code_orders(disassembler, data->d_buf, data->d_size);
}

static bool has_runtime(Elf *elf, size_t names)
{
	GElf_Shdr header;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		const char *name =
			gelf_getshdr(s, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (name && !strcmp(name, RUNTIME_SECTION))
			return true;
	}
	return false;
}

static bool elf_orders(Elf *elf, size_t names)
{
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86Disassembler();
	LLVMDisasmContextRef disassembler =
		LLVMCreateDisasm("x86_64-pc-linux-gnu", NULL, 0, NULL, NULL);
	bool program = has_runtime(elf, names), orders = !disassembler;
	for (Elf_Scn *s = NULL; !orders && (s = elf_nextscn(elf, s));)
		orders = section_orders(elf, names, s, program, disassembler);
	if (disassembler)
		LLVMDisasmDispose(disassembler);
	return orders;
}

int scan_orders(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), result;
	if (fd < 0)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size_t names;
	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
		result = err_set(err, ERR_INPUT, "%s: not an ELF file with sections", path);
	else
		result = elf_orders(elf, names);
	if (elf)
		elf_end(elf);
	close(fd);
	return result;
}
