/* Integers of all widths: every operation that may become an expression, on many values. */
#include <stdint.h>
#include <stdio.h>

static uint64_t state = 88172645463325252u;
static int8_t b[4];
static uint8_t ub[4];
static int16_t h[4];
static uint16_t uh[4];
static int32_t w[4];
static uint32_t uw[4];
static int64_t q[4];
static uint64_t uq[4];

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> (state % 60);
}

#define MIX(v, type)                                                      \
	do {                                                              \
		(v)[0] = (type)((v)[1] + (v)[2]);                         \
		(v)[1] = (type)((v)[0] * 3 - (v)[3]);                     \
		(v)[2] = (type)(((v)[1] ^ (v)[0]) & ~(v)[3]);             \
		(v)[3] = (type)((v)[2] << 3 | (v)[1] >> 2);               \
		(v)[0] = (type)((v)[3] / 7 + (v)[2] % 5);                 \
		(v)[1] = (type)((v)[0] < (v)[1] ? (v)[2] : -(v)[3]);      \
		(v)[2] = (type)((v)[0] <= (type)100 && (v)[3] != (v)[1]); \
		(v)[3] = (type)((v)[2] > (v)[0] ? (v)[2] : (v)[0]);       \
		(v)[0] = (type)((v)[3] ^ draw());                         \
		(v)[2] = (type)((v)[1] ? !(v)[3] : (v)[2] == (v)[3]);     \
		sum = sum * 31 + (uint64_t)(v)[0] + (uint64_t)(v)[1];     \
	} while (0)

int main(void)
{
	uint64_t sum = 0;
	for (int i = 0; i < 300; i++) {
		b[0] = (int8_t)(q[0] = (int64_t)(uq[0] = draw()));
		ub[1] = (uint8_t)b[0];
		h[1] = b[0];
		uh[2] = ub[1];
		w[3] = h[1];
		uw[1] = (uint32_t)b[0];
		q[2] = w[3] * (int64_t)uw[1];
		uq[1] = (uint64_t)w[3];
		MIX(b, int8_t);
		MIX(ub, uint8_t);
		MIX(h, int16_t);
		MIX(uh, uint16_t);
		MIX(w, int32_t);
		MIX(uw, uint32_t);
		MIX(q, int64_t);
		MIX(uq, uint64_t);
		uq[3] = (uq[2] >> 63) + (uint64_t)(q[1] >> 63);
		w[1] = (int32_t)(uint32_t)(q[3] >> 5);
		if (w[1] < b[2] || uh[1] > (unsigned)w[0])
			w[2] = (int16_t)uw[3];
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
