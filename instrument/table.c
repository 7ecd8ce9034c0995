/* SPDX-License-Identifier: MIT */
#include "instrument/table.h"

#include <string.h>

uint32_t table_text(struct table *table, const char *text, size_t length)
{
	if (!table->text.n)
		vec_push(&table->text, '\0');
	if (!length)
		return 0;
	uint32_t number = intern_add(&table->strings, text, length);
	if (number < table->offsets.n)
		return table->offsets.at[number];
	uint32_t offset = (uint32_t)table->text.n;
	vec_push(&table->offsets, offset);
	vec_extend(&table->text, table->text.n + length + 1);
	memcpy(table->text.at + offset, text, length);
	return offset;
}

uint32_t table_name(struct table *table, const char *text, size_t length)
{
	char name[256];
	if (length > sizeof(name))
		length = sizeof(name);
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		name[i] = (char)(c <= ' ' || c == '#' || c == 127 ? '_' : c);
	}
	return table_text(table, name, length);
}

uint32_t table_site(struct table *table, const struct site *site)
{
	vec_push(&table->sites, *site);
	return (uint32_t)table->sites.n - 1;
}

void table_defined(struct table *table, const char *name)
{
	uint32_t text = table_name(table, name, strlen(name));
	vec_push(&table->defined, text);
}

void table_called(struct table *table, const char *name)
{
	size_t before = table->called_names.strings.n;
	if (intern_add(&table->called_names, name, strlen(name)) < before)
		return;
	uint32_t text = table_name(table, name, strlen(name));
	vec_push(&table->called, text);
}

char *table_bytes(const struct table *table, size_t addresses, size_t *size)
{
	struct site_table head = {
		.magic = SITE_MAGIC,
		.version = SITE_VERSION,
		.sites = (uint32_t)table->sites.n,
		.defined = (uint32_t)table->defined.n,
		.called = (uint32_t)table->called.n,
		.text = (uint32_t)table->text.n,
		.directory = table->directory,
		.source = table->source,
		.addresses = (uint32_t)addresses,
	};
	const struct {
		const void *from;
		size_t bytes;
	} parts[] = {
		{&head, sizeof(head)},
		{table->sites.at, table->sites.n * sizeof(*table->sites.at)},
		{table->defined.at, table->defined.n * sizeof(*table->defined.at)},
		{table->called.at, table->called.n * sizeof(*table->called.at)},
		{table->text.at, table->text.n},
	};
	size_t n = 0, total = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		total += parts[i].bytes;
	if (addresses)
		total = (total + 7) & ~(size_t)7;
	char *bytes = mem_alloc_zero(total, 1);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (parts[i].bytes)
			memcpy(bytes + n, parts[i].from, parts[i].bytes);
		n += parts[i].bytes;
	}
	*size = total;
	return bytes;
}

void table_release(struct table *table)
{
	vec_release(&table->sites);
	vec_release(&table->defined);
	vec_release(&table->called);
	vec_release(&table->offsets);
	vec_release(&table->text);
	intern_release(&table->strings);
	intern_release(&table->called_names);
}
