"""Adds up the rows of executions.jsonl: what all runs come to, of each target."""
import json
import sys

totals = {}
for line in open(sys.argv[1]):
    row = json.loads(line)
    total = totals.setdefault(row["target"], [0, 0, 0, ""])
    for i, key in enumerate(["cpu_seconds", "executions", "found"]):
        total[i] += row[key]
    total[3] = max(total[3], row["date"])
print(f"{'target':40} {'cpu-s':>8} {'executions':>14} {'found':>6}  last run")
for target, (cpu, executions, found, last) in sorted(totals.items()):
    print(f"{target:40} {cpu:8} {executions:14,} {found:6}  {last}")
sums = [sum(total[i] for total in totals.values()) for i in range(3)]
print(f"{'all':40} {sums[0]:8} {sums[1]:14,} {sums[2]:6}")
