/* What the ways of c.ways use. */
#define _GNU_SOURCE
#include "harness.h"
#include "module.h"
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
