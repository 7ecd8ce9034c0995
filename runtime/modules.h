/*
 * Site tables and the list of ELF objects: the files `sites` and `modules` of the recording. Both
 * are only ever added to.
 */
#ifndef RUNTIME_MODULES_H
#define RUNTIME_MODULES_H

#include "runtime/self.h"

/* Writes what is loaded and not yet listed. */
NORN_HIDDEN void norn_list_modules(void);
/* A recording that a child begins has all tables of its parent. */
NORN_HIDDEN void norn_modules_in_child(void);

#endif
