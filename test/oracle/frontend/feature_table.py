#===- feature_table.py - concepts of the front end ------------------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""The concepts of JAX's front end that ours has: a key, which tests name in a line `Feature: KEY`, what JAX calls it (classic
names in parentheses), and what we call it. frontend_table.py makes docs/frontend-table.md of it."""

FEATURES = [
    ("mesh", "`Mesh` (interned)", "`Mesh::get`, compared by identity"),
    ("axis-types", "`AxisType` (User, Auto, Collective)", "`AxisType`"),
    ("abstract-mesh", "`AbstractMesh` in constraints and `shard_map`", "`AbstractMesh`"),
    ("mesh-context", "`set_mesh`, `use_abstract_mesh` (`device_context`)", "`ScopedMesh`, `setMesh`"),
    ("config", "`jax.config` (`config.State`)", "`Config<T>`, `ScopedConfig`, `updateConfig`"),
    ("device-list", "device lists with memory kinds", "device lists of `Mesh` and `Sharding`, `memoryKind`"),
    ("global-local", "`mesh_global_to_local` (`_global_to_local` functions)", "`meshGlobalToLocal`, `meshLocalToGlobal`"),
    ("named-sharding", "`NamedSharding`, `PartitionSpec`", "`NamedSharding`, `P`"),
    ("hlo-sharding", "`GSPMDSharding` (`OpShardingSharding`)", "`Sharding` to and from HLO shardings"),
    ("auto-sharding", "removed (`AUTO`)", "`AutoSharding(mesh)`"),
    ("array", "`jax.Array` (`ShardedDeviceArray`, `GlobalDeviceArray`)", "`Tensor` (`Array`), `addressableShards`"),
    ("make-array", "`make_array_from_single_device_arrays`, `_from_callback`", "`makeArrayFromSingleDeviceArrays`, `makeArrayFromCallback`"),
    ("shard-args", "`shard_args`, `batched_device_put`", "`devicePut` and arguments of programs"),
    ("lowered", "`lower_sharding_computation`, `kept_var_idx`", "`LoweredStage`"),
    ("semantic-key", "`SemanticallyEqualShardings`", "`Sharding::semanticKey`"),
    ("device-mismatch", "device mismatch errors", "the same texts"),
    ("trivial", "removed (`from_trivial_jaxpr`)", "programs that only forward are not compiled: their results share the memory of the arguments"),
    ("fast-path", "`MeshExecutable` fast path", "the dispatch cache of `jit`"),
    ("call-checks", "`check_arg_avals_for_call`, `check_array_xla_sharding_layout_match`", "checks of `CompiledStage`"),
    ("output-shardings", "`get_out_shardings_from_executable`", "shardings of results in the user's meshes"),
    ("ordered-effects", "ordered effects, runtime tokens", "`Effect`, `effectsBarrier`"),
    ("donation", "`donate_argnums`", "`JitOptions::donate`"),
    ("pmap", "`pmap` (`xla_pmap`, `find_replicas`, axis environments)", "`pmap`, `findReplicas`"),
    ("pmap-specs", "removed (`ShardingSpec`, `PmapSharding`)", "`ShardingSpec`, `PmapSharding`"),
    ("emap", "eager `shard_map` (`emap`, `MapTrace`)", "`pmap` without jit"),
    ("replicate", "`device_put` (`replicate`)", "`replicate`"),
    ("tiling", "`vmap(spmd_axis_name)`, `shard_map` (`TileVectorize`, `TileManual`)", "`mapWithTiling`, `vtileByMesh`"),
    ("full-to-shard", "`shard_map` without Shardy (`full_to_shard`, `manual_proto`)", "`fullToShard`, `shardToFull`"),
    ("core-map", "`core_map`, `run_state`, `run_scoped`, `async_copy`", "`coreMap`, `runState`, `runScoped`, `asyncCopy`"),
    ("ffi", "`jax.ffi`", "`ffiCall`, registered functions and handlers"),
    ("custom-partitioning", "`custom_partitioning`", "`customPartitioning`"),
    ("callbacks", "`pure_callback`, `io_callback`, `debug.callback`", "`pureCallback`, `ioCallback`, `debugCallback`"),
    ("sdy-lowering", "Shardy lowering", "`LoweredStage::asText`"),
    ("resource-typing", "removed (`resource_typecheck`)", "the same errors"),
    ("stages", "`Traced`, `Lowered`, `Compiled`", "`TracedStage`, `LoweredStage`, `CompiledStage`"),
]
# Concepts that are not there: the table says so.
MISSING = set()
