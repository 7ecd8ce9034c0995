/* SPDX-License-Identifier: MIT */
#include "predict/workers.h"

#include "base/seconds.h"
#include "base/transfer.h"
#include "predict/minimise.h"
#include "witness/certify.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MOST 256
#define POLL_MILLISECONDS 100 /* until somebody's stop is seen */
#define TURN_LEAST 0.05	      /* seconds for a candidate, however many there are */

/*
 * Of a candidate that has two turns. The second one is taken by who comes by for it, or, if the
 * first is still under way then, by who is at that.
 */
enum second_turn { SECOND_LATER, SECOND_WAITS, SECOND_WANTED };

/* What all processes see. */
struct board {
	_Atomic size_t next; /* candidate to be taken, and behind the last the second turns */
	_Atomic size_t left; /* undecided after their first turn, and no second one so far */
	volatile bool stop;
	volatile size_t taken[JOBS_MOST]; /* 1 + the candidate that each is at; 0: none */
	_Atomic uint8_t second[];	  /* of each candidate, as above */
};

/* Before each result; its bug events and the packed run and rest follow. */
struct message {
	size_t candidate;
	bool final;
	struct search_result result; /* its pointers mean nothing to the other side */
	int code;		     /* negative: err holds */
	struct err err;
};

struct worker {
	pid_t pid; /* 0: none */
	int socket;
};

struct pool {
	const struct work *work;
	struct predict_options options; /* with the board's stop */
	struct board *board;
	struct searcher *searcher;
	struct reader *trace; /* read again, by the certifier */
	struct certifier *certifier;
	struct minimiser *minimiser;
	struct worker *workers;
	uint32_t count;
	bool turns; /* two of them, for those that the first leaves undecided */
	int code;   /* of the first failure, and */
	struct err *err;
};

/* In the worker */

static bool send_result(int fd, const struct message *m)
{
	const struct search_result *r = &m->result;

	return transfer_send(fd, m, sizeof(*m)) &&
	       transfer_send(fd, r->witness.bug_events.at,
			     r->witness.bug_events.n * sizeof(*r->witness.bug_events.at)) &&
	       transfer_send(fd, r->run.at, r->run.bytes) &&
	       transfer_send(fd, r->rest.at, r->rest.bytes);
}

/* The list is long: nobody needs it but as bytes from here on. */
static void pack(struct search_result *r)
{
	packed_init(&r->run, r->witness.run.at, r->witness.run.n);
	packed_init(&r->rest, r->witness.rest.at, r->witness.rest.n);
	vec_release(&r->witness.run);
	vec_release(&r->witness.rest);
}

static int certify_result(const struct pool *p, const struct witness *w, struct err *err)
{
	struct err verdict = {0};

	if (certifier_judge(p->certifier, w, &verdict))
		return 0;
	char events[100] = "";

	for (size_t i = 0, at = 0; i < w->bug_events.n && at < sizeof(events); i++)
		at += (size_t)snprintf(events + at, sizeof(events) - at, " %llu",
				       (unsigned long long)w->bug_events.at[i]);
	return err_set(err, ERR_INTERNAL, "the certifier rejected the witness of %s%s: %.400s",
		       bug_kind_text[w->bug], events, verdict.message);
}

/* What all processes share is there already: of the rest each has its part. */
static void limit_memory(const struct pool *p)
{
	uint64_t used = mem_used(), most = p->options.budget.bytes;

	mem_limit(used + (most > used ? (most - used) / p->count : 0), NULL);
}

/* Of a property: which assertion the certifier shall look at. */
static void set_property(const struct candidates *c, size_t candidate, struct witness *w)
{
	const struct property *property = candidate_property(c, &c->all.at[candidate]);

	if (property)
		witness_set_breaks(w, property->script, property->number);
}

/* Each may take its share of the time that is left; half of it is for second turns. */
static void share_time(struct pool *p, size_t left)
{
	double most = p->work->options->budget.seconds;
	double share = (p->work->deadline - seconds_now()) * p->count / (double)(left + 1);

	share = share > TURN_LEAST ? share : TURN_LEAST;
	p->options.budget.seconds = most > 0 && share > most ? most : share;
}

struct turn {
	size_t candidate;
	bool second;
};

/* The next; false: there is none. */
static bool take_turn(struct pool *p, struct turn *turn)
{
	size_t n = p->work->candidates->all.n;

	for (;;) {
		size_t next = atomic_fetch_add(&p->board->next, 1);

		if (next >= (p->turns ? 2 * n : n) || p->board->stop)
			return false;
		turn->second = next >= n;
		turn->candidate = p->work->order ? p->work->order[next % n] : next % n;
		if (p->work->candidates->all.at[turn->candidate].pruned)
			continue;
		if (turn->second && atomic_exchange(&p->board->second[turn->candidate],
						    SECOND_WANTED) != SECOND_WAITS)
			continue;
		if (p->work->turns && p->turns)
			share_time(p, turn->second ? p->board->left : 2 * (n - next));
		return true;
	}
}

/* It is the last one of the candidate, or else may be followed by another. */
static bool end_turn(struct pool *p, const struct turn *turn, enum answer answer)
{
	if (turn->second)
		p->board->left--;
	if (turn->second || !p->turns || answer != UNDECIDED)
		return true;
	p->board->left++;
	return false;
}

/* The next turn of the same candidate comes now. */
static bool goes_on(struct pool *p, struct turn *turn)
{
	if (atomic_exchange(&p->board->second[turn->candidate], SECOND_WAITS) != SECOND_WANTED ||
	    p->board->stop)
		return false;
	turn->second = true;
	if (p->work->turns)
		share_time(p, p->board->left);
	return true;
}

static void search(struct pool *p, const struct turn *turn, struct search_result *result)
{
	const struct candidate *c = &p->work->candidates->all.at[turn->candidate];

	if (p->work->sift && !turn->second)
		search_sift(p->searcher, c, result);
	else
		search_candidate(p->searcher, c, result);
}

/* False: nobody takes the result. */
static bool do_turn(struct pool *p, const struct turn *turn, int fd, bool *final)
{
	struct message m = {.candidate = turn->candidate};

	search(p, turn, &m.result);
	m.final = *final = end_turn(p, turn, m.result.answer);
	if (m.result.answer == PROVED) {
		set_property(p->work->candidates, m.candidate, &m.result.witness);
		minimise(p->minimiser, &m.result.witness);
		if (p->certifier)
			m.code = certify_result(p, &m.result.witness, &m.err);
		pack(&m.result);
	}
	if (m.result.wrong_script)
		m.code = err_set(&m.err, ERR_INPUT, "%s", m.result.why);
	bool sent = send_result(fd, &m);

	search_result_release(&m.result);
	return sent;
}

static void work(struct pool *p, uint32_t number, int fd)
{
	struct turn turn;

	while (take_turn(p, &turn)) {
		bool final;

		do {
			p->board->taken[number] = turn.candidate + 1;
			if (!do_turn(p, &turn, fd, &final))
				return;
			p->board->taken[number] = 0;
		} while (!final && goes_on(p, &turn));
	}
}

/* In the process that asked */

static int start_worker(struct pool *p, uint32_t number, struct err *err)
{
	int ends[2];
	pid_t parent = getpid();

	/* not for solvers that it starts: the socket ends with the worker */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, ERR_SYSTEM, "socketpair: %s", strerror(errno));
	p->board->taken[number] = 0;
	pid_t pid = fork();

	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return err_set(err, ERR_SYSTEM, "fork: %s", strerror(errno));
	}
	if (!pid) {
		/* an interrupt is for the parent, which tells when to stop */
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_DFL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		for (uint32_t i = 0; i < p->count; i++)
			if (p->workers[i].pid)
				close(p->workers[i].socket);
		close(ends[0]);
		if (p->options.budget.bytes)
			limit_memory(p);
		work(p, number, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	p->workers[number] = (struct worker){pid, ends[0]};
	return 0;
}

static bool receive_packed(int fd, struct packed *p)
{
	p->at = mem_alloc(p->bytes + 1);
	return transfer_receive(fd, p->at, p->bytes);
}

/* What the message has in other memory gets memory here. */
static bool receive_rest(int fd, struct search_result *r)
{
	struct witness w = {/* no script yet */
			    .model = r->witness.model,
			    .bug = r->witness.bug,
			    .recorded = r->witness.recorded};

	vec_extend(&w.bug_events, r->witness.bug_events.n);
	r->witness = w;
	r->run.at = r->rest.at = NULL;
	return transfer_receive(fd, w.bug_events.at, w.bug_events.n * sizeof(*w.bug_events.at)) &&
	       receive_packed(fd, &r->run) && receive_packed(fd, &r->rest);
}

static bool receive_result(struct pool *p, int fd)
{
	struct message m;

	if (!transfer_receive(fd, &m, sizeof(m)))
		return false;
	bool whole = receive_rest(fd, &m.result);

	if (whole && m.code < 0) {
		if (!p->code) {
			p->code = m.code;
			*p->err = m.err;
		}
		p->board->stop = true;
	} else if (whole) {
		p->work->done(p->work->context, m.candidate, &m.result, m.final);
	}
	search_result_release(&m.result);
	return whole;
}

/* It is over; if it was not at its end, what it was at is undecided and another goes on. */
static int end_worker(struct pool *p, uint32_t number, struct err *err)
{
	struct worker *w = &p->workers[number];
	size_t taken = p->board->taken[number];
	int status = 0;

	close(w->socket);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
	if (!taken)
		return 0;
	const struct candidate *c = &p->work->candidates->all.at[taken - 1];
	struct search_result lost = {.answer = UNDECIDED, .closest = c->first};

	if (WIFSIGNALED(status))
		snprintf(lost.why, sizeof(lost.why), "the process that searched was ended: %s%s",
			 strsignal(WTERMSIG(status)),
			 WTERMSIG(status) == SIGABRT ? " (out of memory?)" : "");
	else
		snprintf(lost.why, sizeof(lost.why),
			 "the process that searched ended with status %d (out of memory?)",
			 WEXITSTATUS(status));
	p->work->done(p->work->context, taken - 1, &lost, true);
	return p->board->stop ? 0 : start_worker(p, number, err);
}

static bool is_over(const struct work *work)
{
	return (work->stop && *work->stop) ||
	       (work->deadline > 0 && seconds_now() >= work->deadline);
}

static int look_after(struct pool *p, struct err *err)
{
	struct pollfd *polls = mem_alloc_zero(p->count, sizeof(*polls));
	int code = 0;

	for (;;) {
		uint32_t live = 0;

		for (uint32_t i = 0; i < p->count; i++) {
			polls[i] = (struct pollfd){p->workers[i].pid ? p->workers[i].socket : -1,
						   POLLIN, 0};
			live += p->workers[i].pid != 0;
		}
		if (!live)
			break;
		int ready = poll(polls, p->count, POLL_MILLISECONDS);

		if (is_over(p->work))
			p->board->stop = true;
		for (uint32_t i = 0; ready > 0 && i < p->count; i++)
			if (polls[i].revents && !receive_result(p, p->workers[i].socket) &&
			    end_worker(p, i, err) < 0) {
				code = err->code;
				p->board->stop = true;
			}
	}
	mem_free(polls);
	return code;
}

static size_t board_size(const struct candidates *c)
{
	return sizeof(struct board) + c->all.n;
}

static struct board *board_new(const struct candidates *c, struct err *err)
{
	struct board *b = mmap(NULL, board_size(c), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (b == MAP_FAILED) {
		err_set(err, ERR_SYSTEM, "mmap: %s", strerror(errno));
		return NULL;
	}
	return b;
}

/* What all processes need: they share it. */
static int prepare(struct pool *p, struct err *err)
{
	const struct predict_options *o = &p->options;

	p->searcher = searcher_new(p->work->candidates, o, p->work->sift, err);
	if (!p->searcher)
		return err->code;
	if (!candidates_have_work(p->work->candidates))
		return 0;
	p->minimiser =
		minimiser_new(p->work->candidates->index, o->model, p->work->candidates->all.n);
	if (p->work->uncertified)
		return 0;
	p->trace = o->open(o->context, err);
	if (p->trace)
		reader_set_deadline(p->trace, p->work->deadline);
	p->certifier = p->trace ? certifier_new(p->trace, err) : NULL;
	return p->certifier ? 0 : err->code;
}

int workers_run(const struct work *work, struct err *err)
{
	struct pool p = {.work = work, .options = *work->options, .err = err};

	p.board = board_new(work->candidates, err);
	if (!p.board)
		return err->code;
	p.options.budget.stop = &p.board->stop;
	p.turns = work->sift || (work->deadline > 0 && work->turns);
	p.count = work->options->jobs < 1	    ? 1
		  : work->options->jobs > JOBS_MOST ? JOBS_MOST
						    : work->options->jobs;
	p.workers = mem_alloc_zero(p.count, sizeof(*p.workers));
	int code = prepare(&p, err);

	for (uint32_t i = 0; i < p.count && !code; i++)
		code = start_worker(&p, i, err);
	if (code)
		p.board->stop = true;
	int after = look_after(&p, err);

	minimiser_free(p.minimiser);
	certifier_free(p.certifier);
	reader_close(p.trace);
	searcher_free(p.searcher);
	mem_free(p.workers);
	munmap(p.board, board_size(work->candidates));
	return code ? code : p.code ? p.code : after;
}
