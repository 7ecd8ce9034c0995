#ifndef COUNTER_H
#define COUNTER_H

#ifdef __cplusplus
extern "C" {
#endif

void counter_add(int n);
int counter_value(void);
const char *greeting(void);
int longest_word(const char *text);

#ifdef __cplusplus
}
#endif

#endif
