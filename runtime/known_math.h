/* SPDX-License-Identifier: MIT */
/* More functions on numbers that compute and no more, a part of known.h: glibc has many. */
#ifndef RUNTIME_KNOWN_MATH_H
#define RUNTIME_KNOWN_MATH_H

/* clang-format off */
#define NORN_PURE_MATH(row) \
	row(__clog10) row(__clog10f) row(__clog10l) row(__finitef128) row(__finitel) \
	row(__fpclassifyf128) row(__fpclassifyl) row(__iscanonicall) row(__iseqsig) \
	row(__iseqsigf) row(__iseqsigf128) row(__iseqsigl) row(__isinff128) row(__issignaling) \
	row(__issignalingf) row(__issignalingf128) row(__issignalingl) row(__signbitf128) \
	row(__signbitl) row(acosf128) row(acosf32) row(acosf32x) row(acosf64) row(acosf64x) \
	row(acoshf128) row(acoshf32) row(acoshf32x) row(acoshf64) row(acoshf64x) row(asinf128) \
	row(asinf32) row(asinf32x) row(asinf64) row(asinf64x) row(asinhf128) row(asinhf32) \
	row(asinhf32x) row(asinhf64) row(asinhf64x) row(atan2f128) row(atan2f32) row(atan2f32x) \
	row(atan2f64) row(atan2f64x) row(atanf128) row(atanf32) row(atanf32x) row(atanf64) \
	row(atanf64x) row(atanhf128) row(atanhf32) row(atanhf32x) row(atanhf64) row(atanhf64x) \
	row(cabs) row(cabsf) row(cabsf128) row(cabsf32) row(cabsf32x) row(cabsf64) row(cabsf64x) \
	row(cabsl) row(cacos) row(cacosf) row(cacosf128) row(cacosf32) row(cacosf32x) \
	row(cacosf64) row(cacosf64x) row(cacosh) row(cacoshf) row(cacoshf128) row(cacoshf32) \
	row(cacoshf32x) row(cacoshf64) row(cacoshf64x) row(cacoshl) row(cacosl) row(carg) \
	row(cargf) row(cargf128) row(cargf32) row(cargf32x) row(cargf64) row(cargf64x) \
	row(cargl) row(casin) row(casinf) row(casinf128) row(casinf32) row(casinf32x) \
	row(casinf64) row(casinf64x) row(casinh) row(casinhf) row(casinhf128) row(casinhf32) \
	row(casinhf32x) row(casinhf64) row(casinhf64x) row(casinhl) row(casinl) row(catan) \
	row(catanf) row(catanf128) row(catanf32) row(catanf32x) row(catanf64) row(catanf64x) \
	row(catanh) row(catanhf) row(catanhf128) row(catanhf32) row(catanhf32x) row(catanhf64) \
	row(catanhf64x) row(catanhl) row(catanl) row(cbrtf128) row(cbrtf32) row(cbrtf32x) \
	row(cbrtf64) row(cbrtf64x) row(ccos) row(ccosf) row(ccosf128) row(ccosf32) row(ccosf32x) \
	row(ccosf64) row(ccosf64x) row(ccosh) row(ccoshf) row(ccoshf128) row(ccoshf32) \
	row(ccoshf32x) row(ccoshf64) row(ccoshf64x) row(ccoshl) row(ccosl) row(ceilf128) \
	row(ceilf32) row(ceilf32x) row(ceilf64) row(ceilf64x) row(cexp) row(cexpf) row(cexpf128) \
	row(cexpf32) row(cexpf32x) row(cexpf64) row(cexpf64x) row(cexpl) row(cimag) row(cimagf) \
	row(cimagf128) row(cimagf32) row(cimagf32x) row(cimagf64) row(cimagf64x) row(cimagl) \
	row(clog) row(clog10) row(clog10f) row(clog10f128) row(clog10f32) row(clog10f32x) \
	row(clog10f64) row(clog10f64x) row(clog10l) row(clogf) row(clogf128) row(clogf32) \
	row(clogf32x) row(clogf64) row(clogf64x) row(clogl) row(conj) row(conjf) row(conjf128) \
	row(conjf32) row(conjf32x) row(conjf64) row(conjf64x) row(conjl) row(copysignf128) \
	row(copysignf32) row(copysignf32x) row(copysignf64) row(copysignf64x) row(cosf128) \
	row(cosf32) row(cosf32x) row(cosf64) row(cosf64x) row(coshf128) row(coshf32) \
	row(coshf32x) row(coshf64) row(coshf64x) row(cpow) row(cpowf) row(cpowf128) row(cpowf32) \
	row(cpowf32x) row(cpowf64) row(cpowf64x) row(cpowl) row(cproj) row(cprojf) \
	row(cprojf128) row(cprojf32) row(cprojf32x) row(cprojf64) row(cprojf64x) row(cprojl) \
	row(creal) row(crealf) row(crealf128) row(crealf32) row(crealf32x) row(crealf64) \
	row(crealf64x) row(creall) row(csin) row(csinf) row(csinf128) row(csinf32) row(csinf32x) \
	row(csinf64) row(csinf64x) row(csinh) row(csinhf) row(csinhf128) row(csinhf32) \
	row(csinhf32x) row(csinhf64) row(csinhf64x) row(csinhl) row(csinl) row(csqrt) \
	row(csqrtf) row(csqrtf128) row(csqrtf32) row(csqrtf32x) row(csqrtf64) row(csqrtf64x) \
	row(csqrtl) row(ctan) row(ctanf) row(ctanf128) row(ctanf32) row(ctanf32x) row(ctanf64) \
	row(ctanf64x) row(ctanh) row(ctanhf) row(ctanhf128) row(ctanhf32) row(ctanhf32x) \
	row(ctanhf64) row(ctanhf64x) row(ctanhl) row(ctanl) row(daddl) row(ddivl) row(dfmal) \
	row(dmull) row(dsqrtl) row(dsubl) row(erfcf128) row(erfcf32) row(erfcf32x) row(erfcf64) \
	row(erfcf64x) row(erff128) row(erff32) row(erff32x) row(erff64) row(erff64x) \
	row(exp10f128) row(exp10f32) row(exp10f32x) row(exp10f64) row(exp10f64x) row(exp2f128) \
	row(exp2f32) row(exp2f32x) row(exp2f64) row(exp2f64x) row(expf128) row(expf32) \
	row(expf32x) row(expf64) row(expf64x) row(expm1f128) row(expm1f32) row(expm1f32x) \
	row(expm1f64) row(expm1f64x) row(f32addf128) row(f32addf32x) row(f32addf64) \
	row(f32addf64x) row(f32divf128) row(f32divf32x) row(f32divf64) row(f32divf64x) \
	row(f32fmaf128) row(f32fmaf32x) row(f32fmaf64) row(f32fmaf64x) row(f32mulf128) \
	row(f32mulf32x) row(f32mulf64) row(f32mulf64x) row(f32sqrtf128) row(f32sqrtf32x) \
	row(f32sqrtf64) row(f32sqrtf64x) row(f32subf128) row(f32subf32x) row(f32subf64) \
	row(f32subf64x) row(f32xaddf128) row(f32xaddf64) row(f32xaddf64x) row(f32xdivf128) \
	row(f32xdivf64) row(f32xdivf64x) row(f32xfmaf128) row(f32xfmaf64) row(f32xfmaf64x) \
	row(f32xmulf128) row(f32xmulf64) row(f32xmulf64x) row(f32xsqrtf128) row(f32xsqrtf64) \
	row(f32xsqrtf64x) row(f32xsubf128) row(f32xsubf64) row(f32xsubf64x) row(f64addf128) \
	row(f64addf64x) row(f64divf128) row(f64divf64x) row(f64fmaf128) row(f64fmaf64x) \
	row(f64mulf128) row(f64mulf64x) row(f64sqrtf128) row(f64sqrtf64x) row(f64subf128) \
	row(f64subf64x) row(f64xaddf128) row(f64xdivf128) row(f64xfmaf128) row(f64xmulf128) \
	row(f64xsqrtf128) row(f64xsubf128) row(fabsf128) row(fabsf32) row(fabsf32x) row(fabsf64) \
	row(fabsf64x) row(fadd) row(faddl) row(fdimf128) row(fdimf32) row(fdimf32x) row(fdimf64) \
	row(fdimf64x) row(fdiv) row(fdivl) row(ffma) row(ffmal) row(finitef) row(finitel) \
	row(floorf128) row(floorf32) row(floorf32x) row(floorf64) row(floorf64x) row(fmaf128) \
	row(fmaf32) row(fmaf32x) row(fmaf64) row(fmaf64x) row(fmaxf128) row(fmaxf32) \
	row(fmaxf32x) row(fmaxf64) row(fmaxf64x) row(fmaximum) row(fmaximum_mag) \
	row(fmaximum_mag_num) row(fmaximum_mag_numf) row(fmaximum_mag_numf128) \
	row(fmaximum_mag_numf32) row(fmaximum_mag_numf32x) row(fmaximum_mag_numf64) \
	row(fmaximum_mag_numf64x) row(fmaximum_mag_numl) row(fmaximum_magf) \
	row(fmaximum_magf128) row(fmaximum_magf32) row(fmaximum_magf32x) row(fmaximum_magf64) \
	row(fmaximum_magf64x) row(fmaximum_magl) row(fmaximum_num) row(fmaximum_numf) \
	row(fmaximum_numf128) row(fmaximum_numf32) row(fmaximum_numf32x) row(fmaximum_numf64) \
	row(fmaximum_numf64x) row(fmaximum_numl) row(fmaximumf) row(fmaximumf128) \
	row(fmaximumf32) row(fmaximumf32x) row(fmaximumf64) row(fmaximumf64x) row(fmaximuml) \
	row(fmaxmag) row(fmaxmagf) row(fmaxmagf128) row(fmaxmagf32) row(fmaxmagf32x) \
	row(fmaxmagf64) row(fmaxmagf64x) row(fmaxmagl) row(fminf128) row(fminf32) row(fminf32x) \
	row(fminf64) row(fminf64x) row(fminimum) row(fminimum_mag) row(fminimum_mag_num) \
	row(fminimum_mag_numf) row(fminimum_mag_numf128) row(fminimum_mag_numf32) \
	row(fminimum_mag_numf32x) row(fminimum_mag_numf64) row(fminimum_mag_numf64x) \
	row(fminimum_mag_numl) row(fminimum_magf) row(fminimum_magf128) row(fminimum_magf32) \
	row(fminimum_magf32x) row(fminimum_magf64) row(fminimum_magf64x) row(fminimum_magl) \
	row(fminimum_num) row(fminimum_numf) row(fminimum_numf128) row(fminimum_numf32) \
	row(fminimum_numf32x) row(fminimum_numf64) row(fminimum_numf64x) row(fminimum_numl) \
	row(fminimumf) row(fminimumf128) row(fminimumf32) row(fminimumf32x) row(fminimumf64) \
	row(fminimumf64x) row(fminimuml) row(fminmag) row(fminmagf) row(fminmagf128) \
	row(fminmagf32) row(fminmagf32x) row(fminmagf64) row(fminmagf64x) row(fminmagl) \
	row(fmodf128) row(fmodf32) row(fmodf32x) row(fmodf64) row(fmodf64x) row(fmul) row(fmull) \
	row(fromfp) row(fromfpf) row(fromfpf128) row(fromfpf32) row(fromfpf32x) row(fromfpf64) \
	row(fromfpf64x) row(fromfpl) row(fromfpx) row(fromfpxf) row(fromfpxf128) row(fromfpxf32) \
	row(fromfpxf32x) row(fromfpxf64) row(fromfpxf64x) row(fromfpxl) row(fsqrt) row(fsqrtl) \
	row(fsub) row(fsubl) row(hypotf128) row(hypotf32) row(hypotf32x) row(hypotf64) \
	row(hypotf64x) row(ilogbf128) row(ilogbf32) row(ilogbf32x) row(ilogbf64) row(ilogbf64x) \
	row(j0) row(j0f) row(j0f128) row(j0f32) row(j0f32x) row(j0f64) row(j0f64x) row(j0l) \
	row(j1) row(j1f) row(j1f128) row(j1f32) row(j1f32x) row(j1f64) row(j1f64x) row(j1l) \
	row(jn) row(jnf) row(jnf128) row(jnf32) row(jnf32x) row(jnf64) row(jnf64x) row(jnl) \
	row(ldexpf128) row(ldexpf32) row(ldexpf32x) row(ldexpf64) row(ldexpf64x) row(llogb) \
	row(llogbf) row(llogbf128) row(llogbf32) row(llogbf32x) row(llogbf64) row(llogbf64x) \
	row(llogbl) row(llrintf128) row(llrintf32) row(llrintf32x) row(llrintf64) \
	row(llrintf64x) row(llroundf128) row(llroundf32) row(llroundf32x) row(llroundf64) \
	row(llroundf64x) row(log10f128) row(log10f32) row(log10f32x) row(log10f64) \
	row(log10f64x) row(log1pf128) row(log1pf32) row(log1pf32x) row(log1pf64) row(log1pf64x) \
	row(log2f128) row(log2f32) row(log2f32x) row(log2f64) row(log2f64x) row(logbf128) \
	row(logbf32) row(logbf32x) row(logbf64) row(logbf64x) row(logf128) row(logf32) \
	row(logf32x) row(logf64) row(logf64x) row(lrintf128) row(lrintf32) row(lrintf32x) \
	row(lrintf64) row(lrintf64x) row(lroundf128) row(lroundf32) row(lroundf32x) \
	row(lroundf64) row(lroundf64x) row(nearbyintf128) row(nearbyintf32) row(nearbyintf32x) \
	row(nearbyintf64) row(nearbyintf64x) row(nextafterf128) row(nextafterf32) \
	row(nextafterf32x) row(nextafterf64) row(nextafterf64x) row(nextdown) row(nextdownf) \
	row(nextdownf128) row(nextdownf32) row(nextdownf32x) row(nextdownf64) row(nextdownf64x) \
	row(nextdownl) row(nextup) row(nextupf) row(nextupf128) row(nextupf32) row(nextupf32x) \
	row(nextupf64) row(nextupf64x) row(nextupl) row(powf128) row(powf32) row(powf32x) \
	row(powf64) row(powf64x) row(remainderf128) row(remainderf32) row(remainderf32x) \
	row(remainderf64) row(remainderf64x) row(rintf128) row(rintf32) row(rintf32x) \
	row(rintf64) row(rintf64x) row(roundeven) row(roundevenf) row(roundevenf128) \
	row(roundevenf32) row(roundevenf32x) row(roundevenf64) row(roundevenf64x) \
	row(roundevenl) row(roundf128) row(roundf32) row(roundf32x) row(roundf64) row(roundf64x) \
	row(scalb) row(scalbf) row(scalbl) row(scalblnf128) row(scalblnf32) row(scalblnf32x) \
	row(scalblnf64) row(scalblnf64x) row(scalbnf128) row(scalbnf32) row(scalbnf32x) \
	row(scalbnf64) row(scalbnf64x) row(significand) row(significandf) row(significandl) \
	row(sinf128) row(sinf32) row(sinf32x) row(sinf64) row(sinf64x) row(sinhf128) \
	row(sinhf32) row(sinhf32x) row(sinhf64) row(sinhf64x) row(sqrtf128) row(sqrtf32) \
	row(sqrtf32x) row(sqrtf64) row(sqrtf64x) row(tanf128) row(tanf32) row(tanf32x) \
	row(tanf64) row(tanf64x) row(tanhf128) row(tanhf32) row(tanhf32x) row(tanhf64) \
	row(tanhf64x) row(tgammaf128) row(tgammaf32) row(tgammaf32x) row(tgammaf64) \
	row(tgammaf64x) row(truncf128) row(truncf32) row(truncf32x) row(truncf64) row(truncf64x) \
	row(ufromfp) row(ufromfpf) row(ufromfpf128) row(ufromfpf32) row(ufromfpf32x) \
	row(ufromfpf64) row(ufromfpf64x) row(ufromfpl) row(ufromfpx) row(ufromfpxf) \
	row(ufromfpxf128) row(ufromfpxf32) row(ufromfpxf32x) row(ufromfpxf64) row(ufromfpxf64x) \
	row(ufromfpxl) row(y0) row(y0f) row(y0f128) row(y0f32) row(y0f32x) row(y0f64) \
	row(y0f64x) row(y0l) row(y1) row(y1f) row(y1f128) row(y1f32) row(y1f32x) row(y1f64) \
	row(y1f64x) row(y1l) row(yn) row(ynf) row(ynf128) row(ynf32) row(ynf32x) row(ynf64) \
	row(ynf64x) row(ynl)
/* clang-format on */

#endif
