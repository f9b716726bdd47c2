#!/usr/bin/env bash
# Writes the reference of the public headers to build/docs/html/ (docs/Doxyfile). Installs Doxygen if it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v doxygen >/dev/null; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "make docs: Doxygen is missing; as root: apt-get install doxygen" >&2; exit 1; }
    as_root=(sudo)
  fi
  echo "make docs: installing doxygen"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 \
    install --no-install-recommends doxygen >/dev/null
fi
mkdir -p build/docs
doxygen docs/Doxyfile
echo "build/docs/html/index.html"
