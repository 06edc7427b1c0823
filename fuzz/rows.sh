# What scripts/fuzz and run.sh share: corpora that go on, and rows for executions.jsonl. POSIX sh, read with `.`.

# Inputs that break a law. Slow ones are kept beside them: on a busy machine they say nothing.
findings() { find "$1" -type f ! -name 'slow-unit-*' | wc -l; }

# begin_corpus DIRECTORY ARCHIVE: a corpus that is not there yet begins with the packed one.
begin_corpus() {
    [ ! -d "$1" ] || return 0
    mkdir -p "$1"
    [ ! -e "$2" ] || xz -dc "$2" | tar -xf - -C "$1"
}

# executions LOG: how often the target was run, over all its starts.
executions() { sed -n 's/^stat::number_of_executed_units: *//p' "$1" | awk '{ n += $1 } END { printf "%d", n }'; }

# Sets `cpu` to the processor seconds of all programs that this shell has started and waited for: the second line of `times`, such as
# 0m1.25s 0m0.03s. In a pipe or in $(...) it would be that of another shell, which has started none.
cpu_of_children() {
    cpu_file=$(mktemp)
    times >"$cpu_file"
    cpu=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); n += 60 * t[1] + t[2] } printf "%.0f", n }' "$cpu_file")
    rm -f "$cpu_file"
}

# row TARGET CPU_SECONDS EXECUTIONS FOUND COMMIT: a row of executions.jsonl.
row() {
    printf '{"target":"%s","date":"%s","cpu_seconds":%d,"executions":%d,"found":%d,"commit":"%s"}\n' \
        "$1" "$(date -u +%Y-%m-%d)" "$2" "$3" "$4" "$5"
}
