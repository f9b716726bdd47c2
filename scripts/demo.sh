#!/usr/bin/env bash
# Partitions two JAX programs for a mesh of 8 virtual devices, runs them, and compares the
# results with those of JAX on one device.
set -euo pipefail
cd "$(dirname "$0")/.."
for name in transformer_block gpt; do
  dir=examples/$name
  command="build/bin/shardwright run $dir/$name.mlir $dir/inputs.npz --expect $dir/expected.npz --rtol 1e-4 --report text"
  echo "\$ $command"
  $command
  echo
done
