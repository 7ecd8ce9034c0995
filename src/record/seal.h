/* SPDX-License-Identifier: MIT */
/*
 * A trace is data, and may come from a stranger; to replay it is to run the command that stands in
 * it. `norn record` seals what decides what is run: the arguments, the directory, the environment,
 * the inputs and the modules. The seal is a digest by a key that only this user has, on this
 * machine. A trace without it is replayed only if the user says so.
 */
#ifndef RECORD_SEAL_H
#define RECORD_SEAL_H

#include "trace/symbols.h"

/* Seals the facts that are there. The first seal makes the key; if that is not possible there is no
 * seal, and the trace is a stranger's. */
void seal_add(struct symbols *symbols);
bool seal_is_ours(const struct symbols *symbols);

#endif
