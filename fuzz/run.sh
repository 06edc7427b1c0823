#!/bin/sh
# Fuzzes all targets of this folder at once, one process each at the lowest priority; needs no compiler:
#   run.sh SECONDS OUTDIR
# The folder is one that `scripts/fuzz --pack` made: programs in bin, seeds in seeds, packed corpora in kept, words.dict. OUTDIR gets summary.txt, the
# logs, the corpus (a second run with the same OUTDIR goes on with it), executions.jsonl, whose rows belong at the end of the project's, and, under
# artifacts, every input that broke a law.
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

. "$here/rows.sh"
commit=$(cat "$here/commit")

fuzz() { # fuzz TARGET
    corpus=$out/corpus/$1 artifacts=$out/artifacts/$1 log=$out/logs/$1.log row=$out/rows/$1
    mkdir -p "$artifacts"
    begin_corpus "$corpus" "$here/kept/$1.tar.xz"
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
    runs=$(executions "$log")
    # This runs in a shell of its own, so that all of its children are of this target.
    cpu_of_children
    found=$(($(findings "$artifacts") - before))
    if [ "$runs" -gt 0 ]; then
        row "$1" "$cpu" "$runs" "$found" "$commit" >"$out/json/$1"
    else
        found="did not run"
    fi
    printf '%-40s %14s %9s %8s  %s\n' "$1" "$runs" "$cpu" "$(ls "$corpus" | wc -l)" "$found" >"$row"
}

mkdir -p "$out/logs" "$out/rows" "$out/json"
rm -f "$out"/rows/* "$out"/json/*
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
cat "$out"/json/* >>"$out/executions.jsonl"
cat "$out/summary.txt"
! grep -qv ' 0$' "$out"/rows/*
