/* SPDX-License-Identifier: MIT */
#include "runtime/image.h"

#include <fcntl.h>

#include "runtime/files.h"
#include "runtime/log.h"
#include "runtime/run.h"
#include "runtime/sys.h"

/* Zeros need no telling; but what the loader copies from libraries (std::cout) comes first there.
 */
#define ZEROS_KEPT 65536
#define SEGMENT_MOST (64ul << 20)

static size_t kept_size(const ElfW(Phdr) * segment)
{
	size_t size = segment->p_filesz + ZEROS_KEPT;
	size = size < segment->p_memsz ? size : segment->p_memsz;
	return size < SEGMENT_MOST ? size : SEGMENT_MOST;
}

static long write_segment(long fd, uintptr_t address, size_t size)
{
	static const char zeros[8];
	const struct log_image head = {address, size};
	long error = norn_file_append(fd, &head, sizeof head);
	if (error >= 0)
		error = norn_file_append(fd, (const void *)address, size);
	return error < 0 ? error : norn_file_append(fd, zeros, -size & 7);
}

void norn_write_image(const struct dl_phdr_info *module)
{
	long fd = norn_file_open("image", -1, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
	long error = fd < 0 ? fd : 0;
	for (unsigned i = 0; error >= 0 && i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &module->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && p->p_flags & PF_W && p->p_memsz)
			error = write_segment(fd, module->dlpi_addr + p->p_vaddr, kept_size(p));
	}
	if (fd >= 0)
		norn_sys_close(fd);
	if (error < 0)
		norn_fail("image", -1, error);
}
