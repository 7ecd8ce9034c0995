/* SPDX-License-Identifier: MIT */
/* Functions around addresses of this very program, against what libdw says. */
#include "base/areas.h"
#include "record/log/scopes.h"

#include "tests/support/random.h"
#include "tests/support/tap.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The slow way: the functions among all that is around the address, the innermost last. */
static void find_slowly(Dwarf_Die *unit, Dwarf_Addr address, struct scope_chain *found)
{
	Dwarf_Die *inner = NULL, *around = NULL;
	int n = dwarf_getscopes(unit, address, &inner);

	n = n > 0 ? dwarf_getscopes_die(&inner[0], &around) : 0;
	while (n-- > 0) {
		int tag = dwarf_tag(&around[n]);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			vec_push(&found->at, around[n]);
	}
	free(inner);
	free(around);
}

static void compare(struct scopes *scopes, Dwarf_Die *unit, Dwarf_Addr address, size_t *inlined)
{
	struct scope_chain quick = {0}, slow = {0};

	scopes_find(scopes, unit, address, &quick);
	find_slowly(unit, address, &slow);
	ASSERT_EQ(quick.at.n, slow.at.n);
	for (size_t i = 0; i < slow.at.n; i++)
		ASSERT_EQ(dwarf_dieoffset(&quick.at.at[i]), dwarf_dieoffset(&slow.at.at[i]));
	*inlined += slow.at.n > 1;
	vec_release(&quick.at);
	vec_release(&slow.at);
}

TAP_CASE(functions_around_addresses)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	struct random r = random_seeded(1);
	struct scopes scopes = {0};
	Dwarf_Addr base, start, end;
	Dwarf_CU *cu = NULL;
	size_t inlined = 0;
	Dwarf_Die unit;

	ASSERT_TRUE(dwarf);
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		for (ptrdiff_t next = 0;
		     (next = dwarf_ranges(&unit, next, &base, &start, &end)) > 0;)
			for (int i = 0; i < 20; i++)
				compare(&scopes, &unit,
					start + random_below(&r, (uint32_t)(end - start + 4)),
					&inlined);
	}
	ASSERT_TRUE(inlined > 10);
	scopes_release(&scopes);
	dwarf_end(dwarf);
	close(fd);
}

TAP_CASE(areas_of_the_address_space)
{
	struct areas areas = {0};

	areas_add(&areas, 0x7ffffffff000, 0x2000);
	areas_add(&areas, 0x500000000, 0);
	areas_add(&areas, UINT64_MAX - 5, 100);
	ASSERT_TRUE(areas_have(&areas, 0x7ffffffff000));
	ASSERT_TRUE(areas_have(&areas, 0x800000000fff));
	ASSERT_TRUE(areas_have(&areas, 0x5ffffffff));
	ASSERT_TRUE(!areas_have(&areas, 0x4ffffffff));
	ASSERT_TRUE(!areas_have(&areas, 0x600000000));
	ASSERT_TRUE(!areas_have(&areas, UINT64_MAX));
}
