#===- vendors.py - compilers of GPUs and TPUs without a device -----------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The plugins of NVIDIA and Google compile for topologies of absent devices. vendors.sh installs them into
a folder, which SHARDWRIGHT_VENDORS names."""

import os
import sys

FOLDER = os.environ.get("SHARDWRIGHT_VENDORS", "/tmp/shardwright-vendors")

H100 = """gpu_device_info {
  threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152 shared_memory_per_core: 233472
  threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128 block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535 block_dim_limit_z: 65535 memory_bandwidth: 3352320000000 l2_cache_size: 52428800
  clock_rate_ghz: 1.98 device_memory_size: 84942979072 shared_memory_per_block_optin: 232448
  cuda_compute_capability { major: 9 } registers_per_core_limit: 65536 registers_per_block_limit: 65536
}
platform_name: "CUDA" dnn_version_info { major: 9 minor: 8 } device_description_str: "NVIDIA H100 80GB HBM3"
"""

COMPILERS = {
    "h100": ("cuda", "", dict(target_config=H100, topology="1x1x8")),
    "v5e": ("tpu", "v5e:2x4", {}),
}
# The option `target` of the partitioner.
TARGETS = {"h100": "gpu", "v5e": "tpu"}
_ENVIRONMENT = {
    # Nothing is tuned by running it.
    "h100": dict(XLA_FLAGS="--xla_gpu_autotune_level=0"),
    # libtpu otherwise asks a metadata server for two minutes, and refuses a second process.
    "v5e": dict(
        TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", TPU_ACCELERATOR_TYPE="v5litepod-8", TPU_WORKER_HOSTNAMES="localhost", TPU_WORKER_ID="0",
    ),
}  # fmt: skip


def add_to_path():
    """Lets JAX find the plugins. Call it before JAX is imported: it looks then for the calls of linear algebra."""
    sys.path.append(FOLDER)


def devices(compiler):
    """Returns the 8 devices of the compiler's topology. Call it before the first use of a backend. Exits if
    the plugin is not installed."""
    from jax.experimental import topologies

    for variable, value in _ENVIRONMENT[compiler].items():
        os.environ[variable] = value if variable != "XLA_FLAGS" else f"{os.environ.get(variable, '')} {value}"
    platform, name, options = COMPILERS[compiler]
    try:
        return topologies.get_topology_desc(name, platform, **options).devices
    except Exception as error:
        sys.exit(f"no compiler for {compiler}: {error}\nbenchmarks/elsewhere/vendors.sh installs it into {FOLDER}")


def make_mesh(devices, axes):
    """As exporting.make_mesh, of the devices of a topology."""
    import numpy as np
    from jax.sharding import AxisType, Mesh

    count = int(np.prod(list(axes.values())))
    ids = np.array(devices[:count], dtype=object).reshape(tuple(axes.values()))
    return Mesh(ids, tuple(axes), axis_types=(AxisType.Auto,) * len(axes))
