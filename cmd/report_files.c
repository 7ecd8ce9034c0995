/* SPDX-License-Identifier: MIT */
#include "cmd/report_files.h"

bool cmd_choose_report(size_t i, struct option_choice *choice)
{
	if (i >= report_kind_count)
		return false;
	*choice = (struct option_choice){report_kinds[i]->name, report_kinds[i]->title};
	return true;
}

bool report_files_get(const struct report_files *files, size_t i, struct report_file *file)
{
	const struct report_file all[] = {
#define REPORT_FILE_ROW(option, help) {"--" #option, &report_##option, files->option},
		REPORT_FILES(REPORT_FILE_ROW)
#undef REPORT_FILE_ROW
	};

	for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) {
		if (!all[k].path || i--)
			continue;
		*file = all[k];
		return true;
	}
	return false;
}
