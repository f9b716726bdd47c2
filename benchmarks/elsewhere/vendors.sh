#!/usr/bin/env bash
#===- vendors.sh - install the compilers of GPUs and TPUs ----------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
# Installs the plugins that benchmarks/elsewhere/run.py --compiler loads into a folder, by default
# /tmp/shardwright-vendors (SHARDWRIGHT_VENDORS). The versions are those of JAX 0.10.2. About 1.2 GB. jax-cuda12-plugin has the
# calls of linear algebra.
set -euo pipefail
folder=${SHARDWRIGHT_VENDORS:-/tmp/shardwright-vendors}
python=${PYTHON:-$(dirname "$0")/../../.venv/bin/python}
"$python" -m pip install --quiet --no-deps --target "$folder" \
  jax-cuda12-pjrt==0.10.2 jax-cuda12-plugin==0.10.2 nvidia-cuda-nvcc-cu12==12.9.86 libtpu==0.0.42
echo "installed into $folder"
