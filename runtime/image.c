/* SPDX-License-Identifier: MIT */
#include "runtime/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

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

/* All memory */

#define PAGE 4096u
#define PAGES_AT_ONCE 512u
/* Of an entry of /proc/self/pagemap: present, or swapped. */
#define PAGE_THERE (UINT64_C(3) << 62)

struct memory {
	long maps, pages, to; /* descriptors; pages: below 0, which are zeros is not known */
	uint64_t written, most;
	long error;
	char text[8192]; /* of maps; the first `n` bytes are there, `done` of them are done with */
	size_t n, done;
};

struct mapping {
	uintptr_t low, high;
	bool plain; /* pages that are not there are zeros */
};

/* The next line, ended by a NUL; NULL: no more. */
static char *next_line(struct memory *m)
{
	for (;;) {
		char *line = m->text + m->done, *end = memchr(line, '\n', m->n - m->done);
		if (end) {
			*end = 0;
			m->done = (size_t)(end + 1 - m->text);
			return line;
		}
		memmove(m->text, line, m->n -= m->done);
		m->done = 0;
		long got = NORN_SYS(read, m->maps, m->text + m->n, sizeof m->text - m->n, 0, 0, 0);
		if (got <= 0)
			return NULL;
		m->n += (size_t)got;
	}
}

static char *take_number(char *p, unsigned base, uint64_t *number)
{
	for (*number = 0;; p++) {
		unsigned digit = *p >= '0' && *p <= '9'	  ? (unsigned)(*p - '0')
				 : *p >= 'a' && *p <= 'f' ? (unsigned)(*p - 'a') + 10
							  : 16;
		if (digit >= base)
			return p;
		*number = *number * base + digit;
	}
}

static bool begins_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* LOW-HIGH RIGHTS OFFSET DEVICE INODE  NAME. What devices map, and the log itself, is no memory of
 * the program's. */
static bool take_mapping(char *line, struct mapping *to)
{
	uint64_t low, high, inode;
	line = take_number(line, 16, &low);
	line = take_number(line + 1, 16, &high);
	bool shown = line[1] == 'r' && line[2] == 'w', is_private = line[4] == 'p';
	for (int fields = 0; *line && fields < 4; line++)
		fields += *line == ' ';
	line = take_number(line, 10, &inode);
	while (*line == ' ')
		line++;
	*to = (struct mapping){low, high, is_private && (!*line || *line == '[')};
	bool device = begins_with(line, "/dev/") && !begins_with(line, "/dev/shm/") &&
		      !begins_with(line, "/dev/zero");
	return shown && !device && !begins_with(line, norn_run.directory);
}

static void write_piece(struct memory *m, uintptr_t low, uintptr_t high)
{
	struct log_image head = {low, high - low};
	if (m->error < 0 || low == high)
		return;
	if (m->written + sizeof head + head.size > m->most) {
		norn_stop(LOG_SIZE);
		m->error = -EDQUOT;
		return;
	}
	/* what cannot be read is not there any more */
	long error = norn_file_write(m->to, (const void *)low, head.size, m->written + sizeof head);
	if (error == -EFAULT)
		return;
	m->error = error < 0 ? error : norn_file_write(m->to, &head, sizeof head, m->written);
	m->written += sizeof head + head.size;
}

/* Without the pages that were never touched. */
static void write_touched(struct memory *m, const struct mapping *mapping)
{
	uint64_t entries[PAGES_AT_ONCE];
	uintptr_t from = mapping->low, to = from; /* a row of pages that are there */
	for (uintptr_t at = mapping->low; at < mapping->high;) {
		uint64_t pages = (mapping->high - at) / PAGE;
		pages = pages < PAGES_AT_ONCE ? pages : PAGES_AT_ONCE;
		long got = NORN_SYS(pread64, m->pages, entries, pages * sizeof *entries,
				    at / PAGE * sizeof *entries, 0, 0);
		if (got < (long)sizeof *entries) {
			to = mapping->high;
			break;
		}
		for (uint64_t i = 0; i < (uint64_t)got / sizeof *entries; i++, at += PAGE) {
			if (entries[i] & PAGE_THERE) {
				to = at + PAGE;
				continue;
			}
			write_piece(m, from, to);
			from = to = at + PAGE;
		}
	}
	write_piece(m, from, to);
}

void norn_write_memory(void)
{
	struct memory m = {.most = norn_run.shared->bytes ? norn_run.shared->bytes : UINT64_MAX};
	norn_file_remove("image", -1);
	m.to = norn_file_open("image", -1, O_WRONLY | O_CREAT | O_CLOEXEC);
	m.maps = norn_sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	m.pages = norn_sys_open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	m.error = m.to < 0 ? m.to : m.maps < 0 ? m.maps : 0;
	struct mapping mapping;
	for (char *line; m.error >= 0 && (line = next_line(&m));) {
		if (!take_mapping(line, &mapping))
			continue;
		if (mapping.plain && m.pages >= 0)
			write_touched(&m, &mapping);
		else
			write_piece(&m, mapping.low, mapping.high);
	}
	if (m.to >= 0)
		norn_sys_close(m.to);
	if (m.maps >= 0)
		norn_sys_close(m.maps);
	if (m.pages >= 0)
		norn_sys_close(m.pages);
	if (m.error < 0) /* if the size was reached, that was said */
		norn_fail("image", -1, m.error);
}
