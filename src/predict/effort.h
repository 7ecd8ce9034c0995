/* How much is tried before it is enough: time, and how many of what there may be very many of. */
#ifndef PREDICT_EFFORT_H
#define PREDICT_EFFORT_H

/* The search for one candidate, which has the budget of the user. */
#define EFFORT_INSTANCES 4096	  /* of it that are looked at */
#define EFFORT_FIRST_SHARE 3	  /* the engines before the last one have that part of the time */
#define EFFORT_SECONDS_LEAST 1e-3 /* for an engine that is asked just before the end */

/* The second look at what is refuted: a guess is soon found, or not worth much. */
#define EFFORT_LOOK_EACH 1   /* seconds for a candidate */
#define EFFORT_LOOK_LEAST 10 /* seconds for all of them, or, if it is more, */
#define EFFORT_LOOK_SHARE 2  /* that part of the time of the first look */

/* The second chance, by replay, of what is held back. */
#define EFFORT_CHANCES 50	 /* candidates */
#define EFFORT_CHANCE_SECONDS 60 /* for all of them */
#define EFFORT_CHANCE_TURN 2	 /* seconds in which nobody moves: then nobody will */
#define EFFORT_CHANCE_AROUND 4	 /* runs that come close to threads that wait for each other */

#endif
