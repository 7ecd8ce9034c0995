#!/bin/sh
# SPDX-License-Identifier: MIT
# A program, its recorder, both, and a replay, each killed 20 times at random moments. `make soak` does so 200 times.
exec tests/soak/kills 20
