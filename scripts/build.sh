#!/usr/bin/env bash
# Configures and builds a preset, and prints the time: scripts/build.sh PRESET [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
shift || true
start=$SECONDS
case $preset in
release) dir=build ;;
*) dir=build-$preset ;;
esac
if [ ! -f "$dir/build.ninja" ]; then
  cmake --preset "$preset" >"$dir.log" 2>&1 || {
    cat "$dir.log" >&2
    exit 1
  }
  rm -f "$dir.log"
fi
if [ -t 1 ]; then
  ninja -C "$dir" "$@"
else
  # A log shows every 20th step, and all other output.
  ninja -C "$dir" "$@" | awk '
    match($0, /^\[[0-9]+\//) { if (substr($0, 2) % 20 == 0) { print; fflush() } next }
    { print; fflush() }'
fi
echo "built $dir in $((SECONDS - start)) s"
