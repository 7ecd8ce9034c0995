/* SPDX-License-Identifier: MIT */
/*
 * OpenMP, as clang calls it: the runtime has these functions in place of libomp's (runtime/openmp).
 * Those of libomp that are not here stay libomp's, and its worker threads never run.
 */
#ifndef RUNTIME_KNOWN_OPENMP_H
#define RUNTIME_KNOWN_OPENMP_H

/* clang-format off */
#define NORN_OPENMP(row) \
	/* team.c */ \
	row(__kmpc_fork_call) row(__kmpc_fork_teams) row(__kmpc_push_num_threads) \
	row(__kmpc_push_num_teams) row(__kmpc_push_num_teams_51) row(__kmpc_push_proc_bind) row(__kmpc_serialized_parallel) \
	row(__kmpc_end_serialized_parallel) row(__kmpc_global_thread_num) \
	row(__kmpc_bound_thread_num) row(__kmpc_global_num_threads) row(__kmpc_bound_num_threads) \
	row(__kmpc_in_parallel) row(__kmpc_ok_to_fork) row(__kmpc_begin) row(__kmpc_end) \
	/* sync.c */ \
	row(__kmpc_barrier) row(__kmpc_cancel_barrier) row(__kmpc_cancel) \
	row(__kmpc_cancellationpoint) row(__kmpc_flush) row(__kmpc_master) row(__kmpc_end_master) \
	row(__kmpc_masked) row(__kmpc_end_masked) row(__kmpc_single) row(__kmpc_end_single) \
	row(__kmpc_copyprivate) row(__kmpc_barrier_master) row(__kmpc_end_barrier_master) \
	row(__kmpc_barrier_master_nowait) \
	/* lock.c */ \
	row(__kmpc_critical) row(__kmpc_critical_with_hint) row(__kmpc_end_critical) \
	row(__kmpc_reduce) row(__kmpc_reduce_nowait) row(__kmpc_end_reduce) \
	row(__kmpc_end_reduce_nowait) row(__kmpc_atomic_start) row(__kmpc_atomic_end) \
	row(omp_init_lock) row(omp_init_lock_with_hint) row(omp_set_lock) row(omp_unset_lock) \
	row(omp_destroy_lock) row(omp_test_lock) row(omp_init_nest_lock) \
	row(omp_init_nest_lock_with_hint) row(omp_set_nest_lock) row(omp_unset_nest_lock) \
	row(omp_destroy_nest_lock) row(omp_test_nest_lock) \
	/* loop.c */ \
	row(__kmpc_for_static_init_4) row(__kmpc_for_static_init_4u) row(__kmpc_for_static_init_8) \
	row(__kmpc_for_static_init_8u) row(__kmpc_for_static_fini) \
	row(__kmpc_dist_for_static_init_4) row(__kmpc_dist_for_static_init_4u) \
	row(__kmpc_dist_for_static_init_8) row(__kmpc_dist_for_static_init_8u) \
	row(__kmpc_team_static_init_4) row(__kmpc_team_static_init_4u) \
	row(__kmpc_team_static_init_8) row(__kmpc_team_static_init_8u) \
	/* dispatch.c */ \
	row(__kmpc_dispatch_init_4) row(__kmpc_dispatch_init_4u) row(__kmpc_dispatch_init_8) \
	row(__kmpc_dispatch_init_8u) row(__kmpc_dispatch_next_4) row(__kmpc_dispatch_next_4u) \
	row(__kmpc_dispatch_next_8) row(__kmpc_dispatch_next_8u) row(__kmpc_dispatch_fini_4) \
	row(__kmpc_dispatch_fini_4u) row(__kmpc_dispatch_fini_8) row(__kmpc_dispatch_fini_8u) \
	row(__kmpc_ordered) row(__kmpc_end_ordered) \
	/* doacross.c */ \
	row(__kmpc_doacross_init) row(__kmpc_doacross_post) row(__kmpc_doacross_wait) \
	row(__kmpc_doacross_fini) \
	/* task.c */ \
	row(__kmpc_omp_task_alloc) row(__kmpc_omp_target_task_alloc) row(__kmpc_omp_task) \
	row(__kmpc_omp_task_parts) row(__kmpc_omp_task_begin_if0) row(__kmpc_omp_task_begin) \
	row(__kmpc_omp_task_complete_if0) row(__kmpc_omp_task_complete) row(__kmpc_omp_taskwait) \
	row(__kmpc_omp_taskyield) row(__kmpc_taskgroup) row(__kmpc_end_taskgroup) \
	row(__kmpc_task_allow_completion_event) row(omp_fulfill_event) \
	row(__kmpc_omp_reg_task_with_affinity) \
	/* depend.c */ \
	row(__kmpc_omp_task_with_deps) row(__kmpc_omp_wait_deps) \
	/* taskloop.c */ \
	row(__kmpc_taskloop) row(__kmpc_taskloop_5) row(__kmpc_task_reduction_init) \
	row(__kmpc_taskred_init) row(__kmpc_task_reduction_modifier_init) \
	row(__kmpc_taskred_modifier_init) row(__kmpc_task_reduction_modifier_fini) \
	row(__kmpc_task_reduction_get_th_data) \
	/* private.c */ \
	row(__kmpc_threadprivate_cached) row(__kmpc_threadprivate) \
	row(__kmpc_threadprivate_register) row(__kmpc_alloc) row(__kmpc_aligned_alloc) \
	row(__kmpc_free) row(omp_alloc) row(omp_calloc) row(omp_aligned_alloc) row(omp_free) \
	/* api.c */ \
	row(omp_set_num_threads) row(omp_get_num_threads) row(omp_get_max_threads) \
	row(omp_get_thread_num) row(omp_get_num_procs) row(omp_in_parallel) row(omp_in_final) \
	row(omp_set_dynamic) row(omp_get_dynamic) row(omp_set_nested) row(omp_get_nested) \
	row(omp_set_max_active_levels) row(omp_get_max_active_levels) row(omp_get_active_level) \
	row(omp_get_level) row(omp_get_ancestor_thread_num) row(omp_get_team_size) \
	row(omp_get_thread_limit) row(omp_set_schedule) row(omp_get_schedule) \
	row(omp_get_wtime) row(omp_get_wtick) row(omp_get_cancellation) row(omp_get_num_teams) \
	row(omp_get_team_num) row(omp_get_max_task_priority) row(omp_get_proc_bind) \
	row(omp_get_num_places) row(omp_get_place_num) row(omp_get_num_devices) \
	row(omp_get_default_device) row(omp_set_default_device) row(omp_is_initial_device) \
	row(omp_get_initial_device) row(omp_get_device_num) row(omp_get_supported_active_levels)
/* clang-format on */

#endif
