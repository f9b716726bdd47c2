#!/usr/bin/env bash
# Configures and builds a preset, and says how long it took: scripts/build.sh PRESET [TARGET...]
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
ninja -C "$dir" --quiet "$@"
echo "built $dir in $((SECONDS - start)) s"
