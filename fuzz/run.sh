#!/bin/sh
# Fuzzes all targets of this folder at once, one process each at the lowest priority; needs no compiler:
#   run.sh SECONDS OUTDIR
# The folder is one that `scripts/fuzz --pack` made: programs in bin, seeds in seeds, words.dict. OUTDIR gets summary.txt, the logs, the corpus
# (a second run with the same OUTDIR goes on with it) and, under artifacts, every input that broke a law.
set -eu
usage() { echo "usage: run.sh SECONDS OUTDIR" >&2; exit 2; }
[ $# -eq 2 ] || usage
case $1 in '' | *[!0-9]*) usage ;; esac
here=$(cd "$(dirname "$0")" && pwd)
seconds=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
# A target that breaks goes on with the time that is left, but not for ever: the same input may break it at every start.
MOST_FINDINGS=10

# Inputs that break a law. Slow ones are kept beside them: on a busy machine they say nothing.
findings() { find "$1" -type f ! -name 'slow-unit-*' | wc -l; }

fuzz() { # fuzz TARGET
    corpus=$out/corpus/$1 artifacts=$out/artifacts/$1 log=$out/logs/$1.log row=$out/rows/$1
    mkdir -p "$corpus" "$artifacts"
    : >"$log"
    before=$(findings "$artifacts")
    end=$(($(date +%s) + seconds))
    while left=$((end - $(date +%s))) && [ "$left" -gt 0 ]; do
        nice -n 19 "$here/bin/$1" "$corpus" "$here/seeds/$1" -dict="$here/words.dict" -artifact_prefix="$artifacts/" \
            -max_total_time="$left" -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 >>"$log" 2>&1 || true
        [ $(($(findings "$artifacts") - before)) -lt "$MOST_FINDINGS" ] || break
        # A program that ended without its statistics did not run, and would not the next time.
        grep -q '^stat::number_of_executed_units' "$log" || break
    done
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | awk '{ n += $1 } END { printf "%d", n }')
    # The second line of `times` is the user and system time of the programs that were started: 0m1.25s 0m0.03s. In a pipe it would be that of
    # another shell, which has started none.
    times >"$row"
    cpu=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); n += 60 * t[1] + t[2] } printf "%.0f", n }' "$row")
    found=$(($(findings "$artifacts") - before))
    [ "$runs" -gt 0 ] || found="did not run"
    printf '%-40s %14s %9s %8s  %s\n' "$1" "$runs" "$cpu" "$(ls "$corpus" | wc -l)" "$found" >"$row"
}

mkdir -p "$out/logs" "$out/rows"
rm -f "$out"/rows/*
for program in "$here"/bin/*; do
    (fuzz "$(basename "$program")") &
done
wait
{
    printf '%-40s %14s %9s %8s  %s\n' target executions cpu-s corpus findings
    cat "$out"/rows/*
    awk '{ runs += $2; cpu += $3 } END { printf "%-40s %14d %9d\n", "all", runs, cpu }' "$out"/rows/*
    find "$out/artifacts" -type f ! -name 'slow-unit-*' | sort | while read -r input; do
        printf '\n%s, base64:\n' "${input#"$out"/}"
        base64 "$input"
    done
} >"$out/summary.txt"
cat "$out/summary.txt"
! grep -qv ' 0$' "$out"/rows/*
