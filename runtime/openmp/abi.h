/* SPDX-License-Identifier: MIT */
/* What clang calls, with its types: known_openmp.h has the names. */
#ifndef RUNTIME_OPENMP_ABI_H
#define RUNTIME_OPENMP_ABI_H

#include <stddef.h>
#include <stdint.h>

#define OMP(name) __norn_##name

/* Schedules, without the modifiers above. Those of ordered loops are 32 more. */
enum omp_schedule {
	OMP_STATIC_CHUNKED = 33,
	OMP_STATIC,
	OMP_DYNAMIC,
	OMP_GUIDED,
	OMP_RUNTIME,
	OMP_AUTO,
	OMP_TRAPEZOIDAL,
	OMP_BALANCED_CHUNKED = 45,
	OMP_ORDERED = 32,	/* to be added */
	OMP_ORDERED_FIRST = 64, /* and the last: */
	OMP_ORDERED_LAST = 72,
	OMP_DISTRIBUTE_CHUNKED = 91,
	OMP_DISTRIBUTE = 92,
	OMP_UNMERGED = 128, /* to be added */
	OMP_MODIFIERS = 3 << 29,
};

struct omp_depend {
	intptr_t address;
	size_t length;
	uint8_t flags; /* OMP_IN and so on */
};
enum { OMP_IN = 1, OMP_OUT = 2, OMP_MUTEX = 4, OMP_SET = 8 };

struct omp_reduction {
	void *shared, *original;
	size_t size;
	void *init, *fini, *combine;
	uint32_t flags; /* 1: made when it is first asked for */
};
/* Of before OpenMP 5: without `original`. */
struct omp_old_reduction {
	void *shared;
	size_t size;
	void *init, *fini, *combine;
	uint32_t flags;
};

typedef const void *omp_where;
typedef void (*omp_microtask)(int32_t *, int32_t *, ...);
typedef int32_t (*omp_routine)(int32_t, void *);

void OMP(__kmpc_fork_call)(omp_where, int32_t n, omp_microtask, ...);
void OMP(__kmpc_fork_teams)(omp_where, int32_t n, omp_microtask, ...);
void OMP(__kmpc_push_num_threads)(omp_where, int32_t, int32_t n);
void OMP(__kmpc_push_num_teams)(omp_where, int32_t, int32_t teams, int32_t limit);
void OMP(__kmpc_push_num_teams_51)(omp_where, int32_t, int32_t least, int32_t most, int32_t limit);
void OMP(__kmpc_push_proc_bind)(omp_where, int32_t, int bind);
void OMP(__kmpc_serialized_parallel)(omp_where, int32_t);
void OMP(__kmpc_end_serialized_parallel)(omp_where, int32_t);
int32_t OMP(__kmpc_global_thread_num)(omp_where);
int32_t OMP(__kmpc_bound_thread_num)(omp_where);
int32_t OMP(__kmpc_global_num_threads)(omp_where);
int32_t OMP(__kmpc_bound_num_threads)(omp_where);
int32_t OMP(__kmpc_in_parallel)(omp_where);
int32_t OMP(__kmpc_ok_to_fork)(omp_where);
void OMP(__kmpc_begin)(omp_where, int32_t flags);
void OMP(__kmpc_end)(omp_where);

void OMP(__kmpc_barrier)(omp_where, int32_t);
int32_t OMP(__kmpc_cancel_barrier)(omp_where, int32_t);
int32_t OMP(__kmpc_cancel)(omp_where, int32_t, int32_t kind);
int32_t OMP(__kmpc_cancellationpoint)(omp_where, int32_t, int32_t kind);
void OMP(__kmpc_flush)(omp_where);
int32_t OMP(__kmpc_master)(omp_where, int32_t);
void OMP(__kmpc_end_master)(omp_where, int32_t);
int32_t OMP(__kmpc_masked)(omp_where, int32_t, int32_t filter);
void OMP(__kmpc_end_masked)(omp_where, int32_t);
int32_t OMP(__kmpc_single)(omp_where, int32_t);
void OMP(__kmpc_end_single)(omp_where, int32_t);
void OMP(__kmpc_copyprivate)(omp_where, int32_t, size_t size, void *data,
			     void (*copy)(void *, void *), int32_t mine);
int32_t OMP(__kmpc_barrier_master)(omp_where, int32_t);
void OMP(__kmpc_end_barrier_master)(omp_where, int32_t);
int32_t OMP(__kmpc_barrier_master_nowait)(omp_where, int32_t);

void OMP(__kmpc_critical)(omp_where, int32_t, uint32_t *lock);
void OMP(__kmpc_critical_with_hint)(omp_where, int32_t, uint32_t *lock, uint32_t hint);
void OMP(__kmpc_end_critical)(omp_where, int32_t, uint32_t *lock);
int32_t OMP(__kmpc_reduce)(omp_where, int32_t, int32_t n, size_t size, void *data,
			   void (*combine)(void *, void *), uint32_t *lock);
int32_t OMP(__kmpc_reduce_nowait)(omp_where, int32_t, int32_t n, size_t size, void *data,
				  void (*combine)(void *, void *), uint32_t *lock);
void OMP(__kmpc_end_reduce)(omp_where, int32_t, uint32_t *lock);
void OMP(__kmpc_end_reduce_nowait)(omp_where, int32_t, uint32_t *lock);
void OMP(__kmpc_atomic_start)(void);
void OMP(__kmpc_atomic_end)(void);
struct omp_nest;
void OMP(omp_init_lock)(uint32_t *lock);
void OMP(omp_init_lock_with_hint)(uint32_t *lock, int hint);
void OMP(omp_set_lock)(uint32_t *lock);
void OMP(omp_unset_lock)(uint32_t *lock);
void OMP(omp_destroy_lock)(uint32_t *lock);
int OMP(omp_test_lock)(uint32_t *lock);
void OMP(omp_init_nest_lock)(struct omp_nest **lock);
void OMP(omp_init_nest_lock_with_hint)(struct omp_nest **lock, int hint);
void OMP(omp_set_nest_lock)(struct omp_nest **lock);
void OMP(omp_unset_nest_lock)(struct omp_nest **lock);
void OMP(omp_destroy_nest_lock)(struct omp_nest **lock);
int OMP(omp_test_nest_lock)(struct omp_nest **lock);

/* A row for each type of a loop's counter: its name here, it, and the signed one of its size. */
#define OMP_COUNTERS(row)                                                            \
	row(4, int32_t, int32_t) row(4u, uint32_t, int32_t) row(8, int64_t, int64_t) \
		row(8u, uint64_t, int64_t)

#define OMP_LOOP_ROW(name, type, step)                                                             \
	void OMP(__kmpc_for_static_init_##name)(omp_where, int32_t, int32_t schedule,              \
						int32_t * last, type * lower, type * upper,        \
						step * stride, step increment, step chunk);        \
	void OMP(__kmpc_dist_for_static_init_##name)(                                              \
		omp_where, int32_t, int32_t schedule, int32_t * last, type * lower, type * upper,  \
		type * upper_of_team, step * stride, step increment, step chunk);                  \
	void OMP(__kmpc_team_static_init_##name)(omp_where, int32_t, int32_t * last, type * lower, \
						 type * upper, step * stride, step increment,      \
						 step chunk);                                      \
	void OMP(__kmpc_dispatch_init_##name)(omp_where, int32_t, int32_t schedule, type lower,    \
					      type upper, step increment, step chunk);             \
	int32_t OMP(__kmpc_dispatch_next_##name)(omp_where, int32_t, int32_t * last, type * lower, \
						 type * upper, step * stride);                     \
	void OMP(__kmpc_dispatch_fini_##name)(omp_where, int32_t);
OMP_COUNTERS(OMP_LOOP_ROW)
#undef OMP_LOOP_ROW
void OMP(__kmpc_for_static_fini)(omp_where, int32_t);
void OMP(__kmpc_ordered)(omp_where, int32_t);
void OMP(__kmpc_end_ordered)(omp_where, int32_t);

void OMP(__kmpc_doacross_init)(omp_where, int32_t, int32_t n, const int64_t (*bounds)[3]);
void OMP(__kmpc_doacross_post)(omp_where, int32_t, const int64_t *at);
void OMP(__kmpc_doacross_wait)(omp_where, int32_t, const int64_t *at);
void OMP(__kmpc_doacross_fini)(omp_where, int32_t);

void *OMP(__kmpc_omp_task_alloc)(omp_where, int32_t, int32_t flags, size_t size, size_t shareds,
				 omp_routine);
void *OMP(__kmpc_omp_target_task_alloc)(omp_where, int32_t, int32_t flags, size_t size,
					size_t shareds, omp_routine, int64_t device);
int32_t OMP(__kmpc_omp_task)(omp_where, int32_t, void *task);
int32_t OMP(__kmpc_omp_task_parts)(omp_where, int32_t, void *task);
void OMP(__kmpc_omp_task_begin_if0)(omp_where, int32_t, void *task);
void OMP(__kmpc_omp_task_begin)(omp_where, int32_t, void *task);
void OMP(__kmpc_omp_task_complete_if0)(omp_where, int32_t, void *task);
void OMP(__kmpc_omp_task_complete)(omp_where, int32_t, void *task);
int32_t OMP(__kmpc_omp_taskwait)(omp_where, int32_t);
int32_t OMP(__kmpc_omp_taskyield)(omp_where, int32_t, int end);
void OMP(__kmpc_taskgroup)(omp_where, int32_t);
void OMP(__kmpc_end_taskgroup)(omp_where, int32_t);
void *OMP(__kmpc_task_allow_completion_event)(omp_where, int32_t, void *task);
void OMP(omp_fulfill_event)(void *event);
int32_t OMP(__kmpc_omp_reg_task_with_affinity)(omp_where, int32_t, void *task, int32_t n, void *);
int32_t OMP(__kmpc_omp_task_with_deps)(omp_where, int32_t, void *task, int32_t n,
				       const struct omp_depend *, int32_t more,
				       const struct omp_depend *);
void OMP(__kmpc_omp_wait_deps)(omp_where, int32_t, int32_t n, const struct omp_depend *,
			       int32_t more, const struct omp_depend *);

void OMP(__kmpc_taskloop)(omp_where, int32_t, void *task, int condition, uint64_t *lower,
			  uint64_t *upper, int64_t step, int without_group, int schedule,
			  uint64_t grain, void *copy);
void OMP(__kmpc_taskloop_5)(omp_where, int32_t, void *task, int condition, uint64_t *lower,
			    uint64_t *upper, int64_t step, int without_group, int schedule,
			    uint64_t grain, int modifier, void *copy);
void *OMP(__kmpc_task_reduction_init)(int32_t, int32_t n, const struct omp_old_reduction *);
void *OMP(__kmpc_taskred_init)(int32_t, int32_t n, const struct omp_reduction *);
void *OMP(__kmpc_task_reduction_modifier_init)(omp_where, int32_t, int shares, int32_t n,
					       const struct omp_old_reduction *);
void *OMP(__kmpc_taskred_modifier_init)(omp_where, int32_t, int shares, int32_t n,
					const struct omp_reduction *);
void OMP(__kmpc_task_reduction_modifier_fini)(omp_where, int32_t, int shares);
void *OMP(__kmpc_task_reduction_get_th_data)(int32_t, void *group, void *data);

void *OMP(__kmpc_threadprivate_cached)(omp_where, int32_t, void *data, size_t size, void ***cache);
void *OMP(__kmpc_threadprivate)(omp_where, int32_t, void *data, size_t size);
void OMP(__kmpc_threadprivate_register)(omp_where, void *data, void *(*make)(void *),
					void *(*copy)(void *, void *), void (*end)(void *));
void *OMP(__kmpc_alloc)(int32_t, size_t size, void *allocator);
void *OMP(__kmpc_aligned_alloc)(int32_t, size_t alignment, size_t size, void *allocator);
void OMP(__kmpc_free)(int32_t, void *, void *allocator);
void *OMP(omp_alloc)(size_t size, uintptr_t allocator);
void *OMP(omp_calloc)(size_t n, size_t size, uintptr_t allocator);
void *OMP(omp_aligned_alloc)(size_t alignment, size_t size, uintptr_t allocator);
void OMP(omp_free)(void *, uintptr_t allocator);

void OMP(omp_set_num_threads)(int n);
int OMP(omp_get_num_threads)(void);
int OMP(omp_get_max_threads)(void);
int OMP(omp_get_thread_num)(void);
int OMP(omp_get_num_procs)(void);
int OMP(omp_in_parallel)(void);
int OMP(omp_in_final)(void);
void OMP(omp_set_dynamic)(int dynamic);
int OMP(omp_get_dynamic)(void);
void OMP(omp_set_nested)(int nested);
int OMP(omp_get_nested)(void);
void OMP(omp_set_max_active_levels)(int n);
int OMP(omp_get_max_active_levels)(void);
int OMP(omp_get_active_level)(void);
int OMP(omp_get_level)(void);
int OMP(omp_get_ancestor_thread_num)(int level);
int OMP(omp_get_team_size)(int level);
int OMP(omp_get_thread_limit)(void);
void OMP(omp_set_schedule)(uint32_t kind, int chunk);
void OMP(omp_get_schedule)(uint32_t *kind, int *chunk);
double OMP(omp_get_wtime)(void);
double OMP(omp_get_wtick)(void);
int OMP(omp_get_cancellation)(void);
int OMP(omp_get_num_teams)(void);
int OMP(omp_get_team_num)(void);
int OMP(omp_get_max_task_priority)(void);
int OMP(omp_get_proc_bind)(void);
int OMP(omp_get_num_places)(void);
int OMP(omp_get_place_num)(void);
int OMP(omp_get_num_devices)(void);
int OMP(omp_get_default_device)(void);
void OMP(omp_set_default_device)(int device);
int OMP(omp_is_initial_device)(void);
int OMP(omp_get_initial_device)(void);
int OMP(omp_get_device_num)(void);
int OMP(omp_get_supported_active_levels)(void);

#endif
