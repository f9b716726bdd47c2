#!/usr/bin/env bash
# Installs a build folder into a temporary place, moves it, and builds and runs the consumer
# against it: test/consumer/check.sh BUILD_FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passed=0 failed=0
check() {
  local what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED package $what: $*"
    tail -n 40 "$work/log"
  fi
}

program='sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}'
propagates() { # COMMAND...: reads the program on stdin, prints it with the result sharded
  "$@" <<<"$program" | tee /dev/stderr |
    grep -q 'stablehlo.add.*sdy.sharding = #sdy.sharding_per_value<\[<@mesh, \[{"x"}\]>\]>'
}

check install cmake --install "$build" --prefix "$work/first"
check move mv "$work/first" "$work/installed" # nothing may remember where it was installed
check tool propagates "$work/installed/bin/shardwright-opt" -sdy-propagation-pipeline
check configure cmake -G Ninja -S "$here" -B "$work/build" \
  -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_BUILD_TYPE=Release \
  "-DCMAKE_PREFIX_PATH=$work/installed" -DMLIR_DIR=/usr/lib/llvm-22/lib/cmake/mlir
check build cmake --build "$work/build"
check consumer propagates "$work/build/consumer"
echo "package: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
