/* SPDX-License-Identifier: MIT */
/* Z3, through its C interface: the queries of smt.h, and the numbers that it finds. */
#include "search/engine.h"
#include "search/smt/smt.h"
#include "search/smt/tune.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <z3.h>

struct z3_engine {
	struct engine engine;
	struct smt *smt;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void ignore_error(Z3_context z, Z3_error_code code)
{
	(void)z;
	(void)code; /* looked at where it matters; without this, Z3 ends the program */
}

static struct engine *start_z3(const struct index *index, const struct engine_options *options,
			       struct err *err)
{
	struct z3_engine *z = mem_alloc_zero(1, sizeof(*z));

	(void)err;
	z->smt = smt_new(index, options->model);
	return &z->engine;
}

/* Watches for the flag that says stop, while Z3 is busy. */
struct watch {
	Z3_context z;
	const volatile bool *stop;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t over;
	bool is_over;
};

#define WATCH_NANOSECONDS 20000000

static void *run_watch(void *context)
{
	struct watch *w = context;

	pthread_mutex_lock(&w->mutex);
	while (!w->is_over) {
		struct timespec until;

		if (*w->stop)
			Z3_interrupt(w->z);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += WATCH_NANOSECONDS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&w->over, &w->mutex, &until);
	}
	pthread_mutex_unlock(&w->mutex);
	return NULL;
}

static bool watch_start(struct watch *w, Z3_context z, const volatile bool *stop)
{
	*w = (struct watch){.z = z, .stop = stop};
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->over, NULL);
	return stop && !pthread_create(&w->thread, NULL, run_watch, w);
}

static void watch_end(struct watch *w, bool started)
{
	if (started) {
		pthread_mutex_lock(&w->mutex);
		w->is_over = true;
		pthread_cond_signal(&w->over);
		pthread_mutex_unlock(&w->mutex);
		pthread_join(w->thread, NULL);
	}
	pthread_cond_destroy(&w->over);
	pthread_mutex_destroy(&w->mutex);
}

static void set_number(Z3_context z, Z3_params params, const char *name, double number)
{
	Z3_params_set_uint(z, params, Z3_mk_string_symbol(z, name),
			   number < UINT32_MAX ? (unsigned)number : UINT32_MAX);
}

/*
 * Of Z3's ways to reason about places the one that knows all distances between them is far ahead
 * of the one that it would choose, as long as they are few.
 */
#define ALL_DISTANCES 3

static Z3_solver make_solver(Z3_context z, const char *logic, uint32_t events,
			     const struct budget *budget)
{
	bool all_distances = !strcmp(logic, "QF_IDL") && events <= smt_tune.distances_most;
	Z3_solver solver = all_distances || !strcmp(logic, "ALL")
				   ? Z3_mk_simple_solver(z)
				   : Z3_mk_solver_for_logic(z, Z3_mk_string_symbol(z, logic));

	Z3_solver_inc_ref(z, solver); /* the next object that is made ends those without */
	Z3_params params = Z3_mk_params(z);

	Z3_params_inc_ref(z, params);
	if (all_distances) {
		Z3_params_set_bool(z, params, Z3_mk_string_symbol(z, "auto_config"), false);
		set_number(z, params, "arith.solver", ALL_DISTANCES);
	}
	if (budget->seconds > 0)
		set_number(z, params, "timeout", budget->seconds * 1000 + 1);
	if (budget->bytes)
		set_number(z, params, "max_memory", (double)(budget->bytes >> 20) + 1);
	Z3_solver_set_params(z, solver, params);
	Z3_params_dec_ref(z, params);
	return solver;
}

static Z3_ast value_of(Z3_context z, Z3_model model, char letter, uint32_t n)
{
	char name[16];
	Z3_ast value = NULL;

	snprintf(name, sizeof(name), "%c%u", letter, n);
	Z3_sort sort = letter == 'o' ? Z3_mk_int_sort(z) : Z3_mk_bool_sort(z);
	Z3_ast symbol = Z3_mk_const(z, Z3_mk_string_symbol(z, name), sort);

	/* with completion: what no assertion speaks of may be anything */
	if (!Z3_model_eval(z, model, symbol, true, &value))
		return NULL;
	return value;
}

static bool read_model(struct z3_engine *e, Z3_context z, Z3_solver solver, struct witness *w)
{
	Z3_model model = Z3_solver_get_model(z, solver);
	VEC(struct smt_place) places = {0};
	bool good = model != NULL;

	if (model)
		Z3_model_inc_ref(z, model);
	for (uint32_t n = 1; good && n <= e->engine.index->count; n++) {
		struct smt_place place = {.event = n};

		if (!smt_has_place(e->smt, n))
			continue;
		if (smt_is_open(e->smt, n)) {
			Z3_ast value = value_of(z, model, 'i', n);

			good = value != NULL;
			if (good && Z3_get_bool_value(z, value) != Z3_L_TRUE)
				continue;
		}
		Z3_ast value = good ? value_of(z, model, 'o', n) : NULL;

		good = value && Z3_get_numeral_int64(z, value, &place.place);
		vec_push(&places, place);
	}
	if (good)
		smt_make_witness(e->smt, places.at, places.n, w);
	if (model)
		Z3_model_dec_ref(z, model);
	vec_release(&places);
	return good;
}

/* What the text asserts, as formulas; its commands (check-sat) are left out. */
static Z3_ast_vector parse(Z3_context z, const char *text)
{
	Z3_ast_vector all = Z3_parse_smtlib2_string(z, text, 0, NULL, NULL, 0, NULL, NULL);

	if (Z3_get_error_code(z) != Z3_OK)
		return NULL;
	Z3_ast_vector_inc_ref(z, all);
	return all;
}

static enum answer read_answer(struct z3_engine *e, Z3_context z, Z3_solver solver, Z3_lbool found,
			       struct witness *w)
{
	const struct budget *budget = &e->engine.options.budget;

	if (found == Z3_L_FALSE)
		return REFUTED;
	if (found == Z3_L_TRUE && read_model(e, z, solver, w))
		return PROVED;
	if (budget->stop && *budget->stop)
		err_set(&e->engine.why, ERR_LIMIT, "z3: stopped");
	else if (Z3_get_error_code(z) != Z3_OK)
		err_set(&e->engine.why, ERR_LIMIT, "z3: %s",
			Z3_get_error_msg(z, Z3_get_error_code(z)));
	else if (found == Z3_L_TRUE)
		err_set(&e->engine.why, ERR_LIMIT, "z3: what it found cannot be read");
	else
		err_set(&e->engine.why, ERR_LIMIT, "z3: %s",
			solver ? Z3_solver_get_reason_unknown(z, solver) : "no solver");
	return UNDECIDED;
}

static enum answer solve(struct z3_engine *e, Z3_context z, const char *text, const char *logic,
			 struct witness *w)
{
	struct budget left = e->engine.options.budget;
	double start = now();
	Z3_ast_vector all = parse(z, text);

	if (!all)
		return read_answer(e, z, NULL, Z3_L_UNDEF, w);
	if (left.seconds > 0) {
		left.seconds -= now() - start;
		if (left.seconds < 0.001)
			left.seconds = 0.001;
	}
	Z3_solver solver = make_solver(z, logic, e->engine.index->count, &left);
	Z3_lbool found = Z3_L_UNDEF;

	for (unsigned i = 0; i < Z3_ast_vector_size(z, all); i++)
		Z3_solver_assert(z, solver, Z3_ast_vector_get(z, all, i));
	if (Z3_get_error_code(z) == Z3_OK)
		found = Z3_solver_check(z, solver);
	/* an error makes its answer none */
	if (Z3_get_error_code(z) != Z3_OK)
		found = Z3_L_UNDEF;
	enum answer answer = read_answer(e, z, solver, found, w);

	Z3_solver_dec_ref(z, solver);
	Z3_ast_vector_dec_ref(z, all);
	return answer;
}

static enum answer ask_z3(struct engine *engine, const struct query *q, struct witness *w)
{
	struct z3_engine *e = (struct z3_engine *)engine;
	const char *logic;
	size_t length;
	const char *text = smt_write(e->smt, q, &length, &logic);

	if (engine->options.dump && smt_dump(e->smt, engine->options.dump, &engine->why) < 0)
		return UNDECIDED;
	if (engine->options.budget.stop && *engine->options.budget.stop) {
		err_set(&engine->why, ERR_LIMIT, "z3: stopped");
		return UNDECIDED;
	}
	Z3_config config = Z3_mk_config();
	/* one for each query: what is left of the last one is gone, whatever became of it */
	Z3_context z = Z3_mk_context(config);
	struct watch watch;

	Z3_del_config(config);
	Z3_set_error_handler(z, ignore_error);
	bool watching = watch_start(&watch, z, engine->options.budget.stop);
	enum answer answer = solve(e, z, text, logic, w);

	watch_end(&watch, watching);
	Z3_del_context(z);
	return answer;
}

static void finish_z3(struct engine *engine)
{
	struct z3_engine *e = (struct z3_engine *)engine;

	smt_free(e->smt);
	mem_free(e);
}

const struct engine_kind engine_z3 = {
	.name = "z3",
	.title = "one Z3 formula for each question",
	.bugs = BUG_BIT(BUG_RACE) | BUG_BIT(BUG_DEADLOCK) | BUG_BIT(BUG_ATOMICITY),
	.start = start_z3,
	.ask = ask_z3,
	.finish = finish_z3,
};
