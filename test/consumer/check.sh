#!/usr/bin/env bash
# Installs a build folder into a temporary place, moves it, and builds and runs the consumer
# against it; installs the Python package into an empty environment: test/consumer/check.sh
# BUILD_FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
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

computes() { # PROGRAM: runs a program on two devices, with a custom call
  "$@" <<'END' | tee /dev/stderr | diff - <(printf '2 devices\nf32[4] 1 3 5 7\n')
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
  %1 = stablehlo.custom_call @increment(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
END
}
sums_in_a_job() { # PROGRAM: three processes of two devices
  export SHARDWRIGHT_PROCESSES=3 SHARDWRIGHT_RENDEZVOUS="$work/rendezvous"
  mkdir "$SHARDWRIGHT_RENDEZVOUS"
  SHARDWRIGHT_PROCESS=1 "$1" & SHARDWRIGHT_PROCESS=2 "$1" &
  SHARDWRIGHT_PROCESS=0 "$1" | tee /dev/stderr | diff - <(echo '3 processes, 6 devices: 552 576') && wait
}
is_not_found() { # HEADER: neither installed nor found by a program that includes it
  echo "#include \"shardwright/$1\"" >"$work/private.cc"
  [ ! -e "$work/installed/include/shardwright/$1" ] &&
    ! clang++-22 -std=c++20 -fsyntax-only -I "$work/installed/include" "$work/private.cc" 2>"$work/errors" &&
    grep -q "'shardwright/$1' file not found" "$work/errors"
}

check install cmake --install "$build" --prefix "$work/first"
check move mv "$work/first" "$work/installed" # nothing may remember where it was installed
check tool propagates "$work/installed/bin/shardwright-opt" -sdy-propagation-pipeline
check configure cmake -G Ninja -S "$here" -B "$work/build" \
  -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_BUILD_TYPE=Release \
  "-DCMAKE_PREFIX_PATH=$work/installed" -DMLIR_DIR=/usr/lib/llvm-22/lib/cmake/mlir
check build cmake --build "$work/build"
check consumer propagates "$work/build/consumer"
check run computes "$work/build/run_program"
check job sums_in_a_job "$work/build/run_in_job"
# A project with the front end. Its file compiles within 4 s of CPU time, the umbrella header included.
normalizes() { [ "$("$work/frontend/call_norm")" = "0.600 0.800" ]; }
fits() { [ "$("$work/frontend/train")" = "3.000 -1.000" ]; }
compiles_quickly() {
  local best=100 seconds
  for _ in 1 2 3; do
    seconds=$( { TIMEFORMAT='%U + %S'; time clang++-22 -std=c++20 -O3 -c "$here/frontend/train.cc" \
      -I "$work/installed/include" -o "$work/train.o" >/dev/null 2>&1; } 2>&1)
    best=$(python3 -c "print(min($best, $seconds))")
  done
  echo "CPU time of compiling a file of the front end: $best s"
  python3 -c "import sys; sys.exit($best > 4)"
}
check frontend_configure cmake -G Ninja -S "$here/frontend" -B "$work/frontend" \
  -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_BUILD_TYPE=Release \
  "-DCMAKE_PREFIX_PATH=$work/installed" -DMLIR_DIR=/usr/lib/llvm-22/lib/cmake/mlir \
  "-DPython3_EXECUTABLE=$root/.venv/bin/python"
check frontend_build cmake --build "$work/frontend"
check frontend fits
check ffi_library normalizes
# A project with the sharding algebra alone: no MLIR when it is configured, linked or run.
algebra_configure() { # FOLDER COMPONENTS
  cmake -G Ninja -S "$here/algebra" -B "$work/$1" "-DCOMPONENTS=$2" \
    -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_PREFIX_PATH=$work/installed" -DLLVM_DIR=/usr/lib/llvm-22/lib/cmake/llvm -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON
}
shards() { [ "$("$work/algebra/algebra")" = '[{"data", "model"}, {}] {devices=[8,1]<=[8]} 2 3' ]; }
needs_no_mlir() { ldd "$1" >"$work/needed" && grep -q libShardwrightAlgebra "$work/needed" && ! grep -q 'MLIR\|libShardwright\.so' "$work/needed"; }
no_component() {
  ! algebra_configure no_component algebra2 >"$work/no_component.log" 2>&1 &&
    tr -s ' \n' ' ' <"$work/no_component.log" | grep -q "no component 'algebra2'; it has: library, algebra"
}
check algebra_configure algebra_configure algebra algebra
check algebra_build cmake --build "$work/algebra"
check algebra_result shards
check algebra_no_mlir needs_no_mlir "$work/algebra/algebra"
check unknown_component no_component
no_headers() { # says so where there are none
  ! cmake -G Ninja -S "$here/frontend" -B "$work/no_headers" -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_C_COMPILER=clang-22 \
    "-DCMAKE_PREFIX_PATH=$work/installed" -DMLIR_DIR=/usr/lib/llvm-22/lib/cmake/mlir \
    -DSHARDWRIGHT_FFI_INCLUDE_DIR=/nowhere >"$work/no_headers.log" 2>&1 &&
    tr -s ' \n' ' ' <"$work/no_headers.log" | grep -q "folder '/nowhere' has no xla/ffi/api/ffi.h"
}
check ffi_headers no_headers
check frontend_compile_time compiles_quickly
check private_header is_not_found cpu/lower/lowering.h
check private_helper is_not_found mesh/nesting.h
check public_header test -f "$work/installed/include/shardwright/compile/compile.h"
check public_td test -f "$work/installed/include/shardwright/rules/rule_interface.td"

# The Python package: uses no package index, and nothing of this tree at run time.
anywhere() { (cd "$work" && env -u PYTHONPATH -u SHARDWRIGHT_LIBRARY_DIR -u SHARDWRIGHT_BUILD "$@"); }
links_no_llvm() { ! /usr/lib/llvm-22/bin/llvm-readelf -d "$1" | grep NEEDED | grep -q LLVM; }
exports_only_c() { ! /usr/lib/llvm-22/bin/llvm-nm -D --defined-only "$1" | grep -v ' sw[A-Z]'; }
check venv python3 -m venv "$work/venv"
# The plugin for JAX is taken from the build folder, because building it again takes long.
check pip anywhere env "SHARDWRIGHT_BUILD=$build" \
  "$work/venv/bin/python" -m pip install --no-index --disable-pip-version-check "$root"
check sharding anywhere "$work/venv/bin/python" "$here/sharding.py"
lib=$(echo "$work"/venv/lib/python3*/site-packages/shardwright/lib/libshardwright-sharding.so)
check own_llvm links_no_llvm "$lib"
check exports exports_only_c "$lib"
# A source distribution builds the same as the tree, and has every header that its sources include.
check sdist anywhere "$work/venv/bin/python" -c "
import sys; sys.path.insert(0, '$root/python')
import build_backend; build_backend.build_sdist('$work')"
check headers anywhere python3 "$here/sdist_headers.py" "$work"/shardwright-*.tar.gz
check sdist_wheel anywhere env "SHARDWRIGHT_BUILD=$build" "$work/venv/bin/python" -m pip wheel --no-index \
  --disable-pip-version-check -w "$work/wheel" "$work"/shardwright-*.tar.gz
check c_program clang-22 -std=c11 -Wall -Wextra -Werror -I "$work/installed/include" "$here/sharding.c" -o "$work/sharding" \
  -L "$work/installed/lib" -lshardwright-sharding -Wl,-rpath,"$work/installed/lib"
check c_sharding "$work/sharding"
echo "package: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
