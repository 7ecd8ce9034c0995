#include "search/greedy/tune.h"

TUNE_DEFINE(greedy, GREEDY_TUNES)
