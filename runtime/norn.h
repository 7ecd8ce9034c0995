/* SPDX-License-Identifier: MIT */
/*
 * For programs that want to tell Norn more than it can see. Everything here costs nothing, and does
 * nothing, in a program that was not built by norn cc.
 *
 *	#include <norn.h>
 */
#ifndef NORN_H
#define NORN_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __NORN__
void norn_happens_before(const void *object);
void norn_happens_after(const void *object);
void norn_locked(const void *lock);
void norn_unlocking(const void *lock);
void norn_benign(const void *p, unsigned long size);
void norn_mark(const char *text);
void norn_recording_start(void);
void norn_recording_stop(void);
#define NORN_CALL(call) (call)
#else
#define NORN_CALL(call) ((void)0)
#endif

/* What this thread did before NORN_HAPPENS_BEFORE(o) comes before what others do after a later
 * NORN_HAPPENS_AFTER(o). */
#define NORN_HAPPENS_BEFORE(object) NORN_CALL(norn_happens_before(object))
#define NORN_HAPPENS_AFTER(object) NORN_CALL(norn_happens_after(object))
/* A lock that Norn does not know: right after it is taken, right before it is given back. */
#define NORN_LOCKED(lock) NORN_CALL(norn_locked(lock))
#define NORN_UNLOCKING(lock) NORN_CALL(norn_unlocking(lock))
/* Races on these bytes are no bugs. */
#define NORN_BENIGN(p, size) NORN_CALL(norn_benign(p, size))
/* An event for order properties and for reading a schedule: "NAME ARGS…". */
#define NORN_MARK(text) NORN_CALL(norn_mark(text))
/* A region of this thread that should be atomic: no other thread should be seen in it. */
#define NORN_ATOMIC_BEGIN() NORN_MARK("atomic begin")
#define NORN_ATOMIC_END() NORN_MARK("atomic end")
/* The recording begins here if norn record was told to wait for it (--paused), and ends here. */
#define NORN_START() NORN_CALL(norn_recording_start())
#define NORN_STOP() NORN_CALL(norn_recording_stop())

#ifdef __cplusplus
}
#endif

#endif
