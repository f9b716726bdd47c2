#!/usr/bin/env bash
# Exports every example again with the pinned jax. The output is reproducible.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/bootstrap.sh
for script in examples/*/export.py; do
  .venv/bin/python "$script"
done
