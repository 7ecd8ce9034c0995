/* What random programs use of libraries that have no hooks: ordering.c orders threads by atomic
 * instructions of its own, quiet.c has none, and relies on its caller or on plain stores. */
#ifndef SOAK_H
#define SOAK_H

#ifdef __cplusplus
extern "C" {
#endif

/* ordering.c. Locks, boxes and posts are numbered, 0 to 15; the word is the caller's. */
void ticket_lock(int n);
void ticket_unlock(int n);
void word_lock(int *word);
void word_unlock(int *word);
void mail_put(int n, void *item);
void *mail_take(int n);
void post(int n);
int posted(int n);
void await_post(int n);

/* quiet.c: hand-over by plain stores. */
void box_put(int n, void *item);
void *box_get(int n);
/* What the caller's memory says. */
int look(const int *flag);
int look_behind(int *const *flag);
void poll_flag(const int *flag);
void watch(int n, const int *flag);
int is_set(int n);
void store(int *to, int value);
/* A container that the caller has to guard, and one that guards itself by a mutex. */
void bag_add(int n, int value);
int bag_count(int n);
int bag_last(int n);
void safe_put(int n, void *item);
void *safe_get(int n);
int call_back(int (*function)(int), int value);

#ifdef __cplusplus
}
#endif

#endif
