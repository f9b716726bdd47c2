#!/usr/bin/env bash
# Runs all benchmarks, or those named, each a folder here: benchmarks/run.sh [parse]...
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- collective_bytes compile_time frontend gspmd jax measure one_op parse partition programs propagate report reshard simplify
cmake --build "${SHARDWRIGHT_BUILD:-build}" --target benchmarks >/dev/null
status=0
for name in "$@"; do
  PYTHONDONTWRITEBYTECODE=1 .venv/bin/python "benchmarks/$name/run.py" || status=1
done
exit $status
