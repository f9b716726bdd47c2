#!/usr/bin/env bash
# Installs the missing dependencies for building and testing on Debian 12.
#
#   scripts/bootstrap.sh            packages, the venv of the oracle tests, and one with the newest JAX
#   scripts/bootstrap.sh packages   packages only (enough to build)
#   scripts/bootstrap.sh pytorch    packages, and the venv of test/pytorch (7 GB)
#   scripts/bootstrap.sh browser    what test/browser needs: Chromium, its driver, selenium
#
# Prints what it installs, or nothing if nothing is missing. Needs root or sudo for packages.
# docs/dependencies.md has the reason for each.
set -euo pipefail
cd "$(dirname "$0")/.."

# keep-sorted
packages=(
  ccache
  clang-22
  clang-format-22
  cmake
  libclang-rt-22-dev
  libcli11-dev
  libdlpack-dev
  libdnnl-dev
  libgmock-dev
  libgtest-dev
  libjemalloc-dev
  libmlir-22-dev
  libopenblas-serial-dev
  librapidcheck-dev
  libstdc++-12-dev
  libxml2-dev
  libzip-dev
  libzstd-dev
  lld-22
  llvm-22-dev
  llvm-22-tools
  make
  mlir-22-tools
  ninja-build
  pkg-config
  python3
  python3-venv
  zlib1g-dev
)

# The solver of automatic sharding, and the transports of jobs of several processes, are built and tested if these are
# installed. A build without them is complete otherwise, so they may be missing.
# keep-sorted
optional_packages=(
  coinor-libcbc-dev
  libgloo-dev
  libopenmpi-dev
  openmpi-bin
)

fail() {
  echo "bootstrap: $*" >&2
  exit 1
}

install_packages() {
  command -v dpkg-query >/dev/null ||
    fail "this script knows Debian 12 only; install what docs/dependencies.md lists by hand"
  local have missing=()
  have=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
  for package in "${packages[@]}"; do
    grep -qxF "$package installed" <<<"$have" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "missing packages; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  echo "bootstrap: installing the missing packages: ${missing[*]}"
  echo "bootstrap: (LLVM and MLIR 22, the compiler, libraries and test tools; see docs/dependencies.md)"
  local log
  log=$(mktemp)
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3)
  if ! { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail "apt-get failed (log: $log); LLVM 22 is in Debian 12's security updates: check that the apt sources list bookworm-security"
  fi
  rm -f "$log"
}

install_optional_packages() {
  command -v dpkg-query >/dev/null || return 0
  local package log as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || return 0
    as_root=(sudo)
  fi
  for package in "${optional_packages[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] && continue
    log=$(mktemp)
    echo "bootstrap: installing the optional package $package"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 \
      install --no-install-recommends "$package" >"$log" 2>&1 ||
      echo "bootstrap: WARNING: no $package (log: $log): what needs it is not built, and its tests will be SKIPPED" >&2
  done
}

# Makes the environment $2 with the interpreter $1 and the packages of $3, unless it is there already.
install_venv() {
  local python=$1 venv=$2 requirements=$3 wanted
  local stamp=$venv/.bootstrap
  wanted="$("$python" --version) $(sha256sum <"$requirements")"
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return
  echo "bootstrap: installing into $venv, for the tests that compare with it: $(grep -v '^#' "$requirements" | tr '\n' ' ')"
  rm -rf "$venv"
  local log
  log=$(mktemp)
  if ! { "$python" -m venv "$venv" &&
    "$venv/bin/python" -m pip install --disable-pip-version-check --no-input -r "$requirements"; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "bootstrap: WARNING: cannot install into $venv (log: $log): the tests that use it will be SKIPPED" >&2
    return
  fi
  rm -f "$log"
  echo "$wanted" >"$stamp"
}

# Prints an interpreter of Python 3.12 or newer with venv, of the system or of pyenv; nothing if there is none.
find_newer_python() {
  local python
  for python in "${SHARDWRIGHT_NEWEST_PYTHON:-}" python3.1{2,3,4} python3 \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-4]*/bin/python; do
    python=$(command -v "${python:-/nothing}") || continue
    if "$python" -c 'import ensurepip, sys, venv; sys.exit(not (3, 12) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
}

install_newest_venv() {
  local python
  python=$(find_newer_python)
  if [ -z "$python" ]; then
    echo "bootstrap: no Python 3.12 to 3.14: the tests with the newest JAX will be SKIPPED (SHARDWRIGHT_NEWEST_PYTHON names one)"
    return
  fi
  install_venv "$python" .venv-newest requirements-newest-jax.txt
}

# What test/browser needs. Its scripts are skipped where this fails.
install_browser() {
  optional_packages=(chromium chromium-driver)
  install_optional_packages
  local log
  log=$(mktemp)
  if ! .venv/bin/python -m pip install --disable-pip-version-check --no-input -q -r requirements-browser.txt >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "bootstrap: WARNING: no selenium in .venv (log: $log): test/browser will be SKIPPED" >&2
    return
  fi
  rm -f "$log"
}

install_packages
install_optional_packages
if [ "${1:-all}" = pytorch ]; then
  install_venv /usr/bin/python3 .venv-torch requirements-torch.txt
  exit
fi
if [ "${1:-all}" = browser ]; then
  install_venv /usr/bin/python3 .venv requirements-dev.txt
  install_browser
  exit
fi
if [ "${1:-all}" != packages ]; then
  install_venv /usr/bin/python3 .venv requirements-dev.txt
  install_newest_venv
fi
