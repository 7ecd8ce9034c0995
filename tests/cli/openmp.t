#!/bin/sh
# SPDX-License-Identifier: MIT
# OpenMP: for each construct a program with a race and one without, built with and without
# optimisation and run by two and by four threads.
. tests/cli/lib.sh
. tests/cli/recorded.sh

# on THREADS: records $work/program and compares what is found.
on()
{
	OMP_NUM_THREADS=$1 run timeout 60 "$NORN" record --hang 2 --output "$work/trace" -- "$work/program"
	status_is "$want" "$name $level, $1 threads: exit status"
	[ "$want" -ne 0 ] || same_files "$work/want" "$tmp/out" "$name $level, $1 threads: output"
	run "$NORN" check "$work/trace"
	status_is 0 "$name $level, $1 threads: norn check"
	run "$NORN" predict --json "$work/trace"
	found <"$tmp/out" >"$work/found"
	diff "$work/expected" "$work/found" >"$tmp/diff"
	result $? "$name $level, $1 threads: norn predict finds exactly what is expected"
	sed 's/^/# /' "$tmp/diff"
}

for program in ${OPENMP_ONLY-tests/programs/openmp/*}; do
	name=$(basename "$program")
	want=$(wanted_status "$program")
	OMP_CANCELLATION=false
	[ "$name" = "${name#cancel-}" ] || OMP_CANCELLATION=true
	export OMP_CANCELLATION
	compile clang "$program" -w -fopenmp -o "$tmp/native" &&
		[ "$want" -ne 0 ] || OMP_NUM_THREADS=4 timeout 60 "$tmp/native" >"$tmp/want" 2>/dev/null
	for level in -O0 -O2; do
		work=$tmp/$name$level
		mkdir "$work"
		[ "$want" -ne 0 ] || cp "$tmp/want" "$work/want"
		expected "$program" >"$work/expected"
		run compile norn "$program" -w -fopenmp $level -o "$work/program"
		status_is 0 "$name $level: norn cc"
		[ $status -eq 0 ] || continue
		on 2
		on 4
		rm -rf "$work"
	done
done

# A clause that is plainly missing is named, and none where it is not plain.
note()
{
	{ echo 'int a[64], sum, last, i, tmp, n = 64;'; echo "int main(void) {"; echo "$1"; echo "return 0; }"; } >"$tmp/note.c"
	run compile norn "$tmp/note.c" -w -g -fopenmp -o "$tmp/note"
	run "$NORN" record --output "$tmp/note.norn" "$tmp/note"
	run "$NORN" predict "$tmp/note.norn"
}
region='#pragma omp parallel for num_threads(2)'
note "$region
for (int k = 0; k < n; k++)
	sum += a[k];"
out_has 'Note: sum is shared .* reduction\(\+:sum\)' "a sum wants a reduction"
note "$region
for (int k = 0; k < n; k++)
	sum = sum * a[k];"
out_has 'reduction\(\*:sum\)' "a product wants a reduction"
note "$region
for (int k = 0; k < n; k++) {
	tmp = a[k];
	a[k] = tmp + 1;
}"
out_has 'private\(tmp\)' "a variable that each thread sets wants to be private"
note "$region
for (int k = 0; k < n; k++)
	a[k / 2] += k;"
! grep -q Note: "$tmp/out"
result $? "of an element of an array nothing is said"
note "$region
for (int k = 0; k < n; k++)
	sum ^= sum - a[k]; /* and */ "
out_has 'reduction\(\^:sum\)' "any operator that there is"

# Functions that clang makes of regions and tasks have the names of those that they stand in.
cat >"$tmp/names.c" <<'END'
int sum, other;
static void work(int n)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < n; i++)
		sum += i;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 2; i++)
#pragma omp task
		other += i;
}
int main(void)
{
	work(4);
	return 0;
}
END
for level in -O0 -O2; do
	run compile norn "$tmp/names.c" -g -fopenmp $level -o "$tmp/names"
	run "$NORN" run --output "$tmp/names.norn" "$tmp/names"
	out_has '#0 work:parallel_region_at_line_4 .*names.c:6' "$level: a region has a name"
	out_has '#0 work:task_at_line_10 .*names.c:11' "a task"
	out_has '#0 work:parallel_region_at_line_7 .*names.c:10' "and what makes it"
	! grep -q '[.]omp_' "$tmp/out"
	result $? "and none is clang's"
done

# Tasks beyond the first 4096 are no threads of their own: that is said, and nothing is called clean.
cat >"$tmp/many.c" <<'END'
int cells[5000];
int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < TASKS; i++)
#pragma omp task
		cells[i] = i;
	return 0;
}
END
for tasks in 4096 4097; do
	run compile norn "$tmp/many.c" -g -fopenmp -DTASKS=$tasks -o "$tmp/many"
	run timeout 300 "$NORN" record --output "$tmp/many.norn" "$tmp/many"
	status_is 0 "$tasks tasks"
	said=$(grep -c 'not complete: tasks: beyond the first 4096' "$tmp/err")
	[ "$said" -eq $((tasks - 4096)) ]
	result $? "$tasks tasks: norn record says what is missing, if anything is"
	run "$NORN" predict "$tmp/many.norn"
	status_is $((tasks == 4096 ? 0 : 4)) "$tasks tasks: norn predict gives no all-clear for what it has not seen"
done

# Who waits for ordered, doacross or a detached task would wait for the same in every execution: that is no
# dependence that is not known. What a loop has handed on says nothing of the next one, which has its memory.
cat >"$tmp/loops.c" <<'END'
#include <omp.h>
#include <unistd.h>
int sum, more;
int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for ordered schedule(static, 1) nowait
		for (int i = 0; i < 4; i++)
#pragma omp ordered
			sum += i;
		if (omp_get_thread_num() == 0)
			usleep(50000);
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 4; i++)
#pragma omp ordered
			SUM += i;
	}
	return 0;
}
END
run compile norn "$tmp/loops.c" -DSUM=sum -w -g -fopenmp -o "$tmp/waits"
run "$NORN" record --output "$tmp/waits.norn" "$tmp/waits"
run "$NORN" predict "$tmp/waits.norn"
status_is 66 "an ordered loop does not come behind the one before it"
out_has 'data race on sum .certified' "and they race"
sed -i s/SUM/more/ "$tmp/loops.c"
sed 's/i < 4/i < 300/' "$tmp/loops.c" >"$tmp/long-loops.c"

# A task in a task in a task …: joins that wait for joins hold nothing back, however deep.
cat >"$tmp/deep.c" <<'END'
int sum;
static void descend(int n)
{
	if (n) {
#pragma omp task
		descend(n - 1);
#pragma omp taskwait
		sum += n;
	}
}
int main(void)
{
#pragma omp parallel
#pragma omp single
	descend(60);
	return 0;
}
END
for program in "$tmp/loops.c" "$tmp/long-loops.c" "$tmp/deep.c" tests/programs/openmp/ordered-right.c tests/programs/openmp/doacross-right.c tests/programs/openmp/detach-right.c; do
	name=$(basename "$program")
	run compile norn "$program" -w -g -fopenmp -o "$tmp/waits"
	OMP_NUM_THREADS=4 run "$NORN" record --output "$tmp/waits.norn" "$tmp/waits"
	run "$NORN" predict "$tmp/waits.norn"
	status_is 0 "$name: nothing is found"
	out_has '^Every candidate is decided' "$name: and nothing is held back"
done

# What is not covered is said when the program is compiled, once each.
printf '%s\n' 'int a[9];' 'int main(void)' '{' '#pragma omp simd' 'for (int i = 1; i < 9; i++) a[i] = a[i - 1];' \
	'#pragma omp simd' 'for (int i = 1; i < 9; i++) a[i] = i;' '#pragma omp target' '{ a[0] = 1; }' 'return 0;' '}' >"$tmp/left.c"
for level in -O0 -O2; do
	run compile norn "$tmp/left.c" -fopenmp $level -o "$tmp/left"
	err_has 'left.c:4: the lanes of a simd loop are one thread' "simd is said to be left out, at $level"
	err_has 'left.c:[89]: a target region runs on this machine' "target likewise"
	[ "$(grep -c 'warning' "$tmp/err")" -eq 2 ]
	result $? "each once"
done
finish
