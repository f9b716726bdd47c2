//===- xla_options.cc - compiler options of XLA ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/xla_options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace {
enum class Kind { Any, Bool, Int32, Float };
} // namespace

/// The kinds of the most common options.
static Kind kindOf(StringRef name) {
  return StringSwitch<Kind>(name)
      .Cases({"xla_embed_ir_in_executable", "xla_cpu_enable_fast_math",
              "xla_cpu_enable_fast_min_max", "xla_allow_excess_precision",
              "xla_dump_hlo_as_text", "xla_dump_hlo_as_proto",
              "xla_dump_include_timestamp", "xla_gpu_enable_triton_gemm",
              "xla_gpu_deterministic_ops",
              "xla_gpu_enable_latency_hiding_scheduler",
              "xla_test_all_input_layouts", "xla_test_all_output_layouts"},
             Kind::Bool)
      .Cases({"xla_dump_max_hlo_modules", "xla_backend_optimization_level",
              "xla_gpu_autotune_level", "xla_cpu_parallel_codegen_split_count"},
             Kind::Int32)
      .Case("xla_gpu_auto_spmd_partitioning_memory_budget_ratio", Kind::Float)
      .Default(Kind::Any);
}

static bool suits(Kind kind, StringRef value) {
  int32_t number;
  double real;
  switch (kind) {
  case Kind::Any:
    return true;
  case Kind::Bool:
    return StringSwitch<bool>(value)
        .CasesLower({"true", "false", "1", "0"}, true)
        .Default(false);
  case Kind::Int32:
    return to_integer(value, number);
  case Kind::Float:
    // Options passed as numbers have no text here.
    return value.empty() || to_float(value, real);
  }
  llvm_unreachable("unknown kind");
}

Expected<bool> shardwright::isXlaOption(StringRef name, StringRef value) {
  // Other options of JAX's own (efforts, levels) are fields of the build
  // options. They arrive by name only if JAX no longer has them.
  if (!name.starts_with("xla_"))
    return false;
  Kind kind = kindOf(name);
  if (suits(kind, value))
    return true;
  StringRef type = kind == Kind::Bool    ? "bool"
                   : kind == Kind::Int32 ? "int32"
                                         : "float";
  return createStringError("While setting option " + name + ", '" + value +
                           "' is not a valid " + type + " value.");
}
