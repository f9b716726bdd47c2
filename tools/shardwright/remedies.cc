//===- remedies.cc - remedies for errors ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors that the library and MLIR emit, each by a part of its text, and the
// remedy to print. The first matching row is used, so specific rows come first.
//
//===----------------------------------------------------------------------===//

#include "one_diagnostic.h"

using llvm::StringRef;

namespace shardwright {

/// Parts of messages, with their remedies; the first that fits counts.
static const struct {
  StringRef part, remedy;
} table[] = {
    {"has a link of axis",
     "name the links of a machine file after the axes of the mesh, or remove "
     "them"},
    {"does not lie in one level", "give the axes of the mesh sizes that fit "
                                  "(--mesh), or --machine without "
                                  "levels"},
    {"devices do not fill the levels",
     "choose one of these numbers for --devices, or --machine without "
     "levels"},
    {"devices, and the levels",
     "choose a smaller mesh, or add groups to the outermost level of the "
     "machine"},
    {"and --devices asks for another",
     "give the sizes of the axes with --mesh, or forget all annotations with "
     "--drop=all"},
    {"--fix names mesh axes", "name the axes so in --fix, or give the mesh "
                              "with --mesh instead of --devices"},
    {"is fixed twice", "give one --fix for each argument"},
    {"but the module says", "give --drop=all, or leave out --fix"},
    {"--fix:", "name an argument as the report does, and give axes of the "
               "mesh whose sizes divide its dimensions"},
    {"not enough memory",
     "free memory, or make the program smaller: all devices share the memory "
     "of this machine; shardwright partition --stats=json tells what each "
     "needs"},
    {"nests deeper than the limit",
     "write the program with less nesting: what is deep in it, as functions"},
    {"nest deeper than the limit",
     "call functions from each other less deeply, and give attributes and "
     "locations less depth"},
    {"grows beyond the limit when its calls are inlined",
     "call functions from fewer places: a loop (stablehlo.while) calls one "
     "as "
     "often as needed"},
    {"dimensions are allowed", "reshape the tensor to fewer dimensions"},
    {"cannot read",
     "check the path and its permissions; `-` reads standard input"},
    {"the file is empty",
     "export a program, as with jax.jit(f).lower(x).as_text()"},
    {"deserialize portable artifact",
     "export for an older version, or as text"},
    {"target version", "choose another --version"},
    {"to legalize operation",
     "choose a newer --version, or express the program without it"},
    {"HLO text is not supported",
     "export StableHLO, as with jax.jit(f).lower(x).as_text()"},
    {"malformed HLO", "write the proto again, with XLA's "
                      "as_serialized_hlo_module_proto(), or export StableHLO"},
    {" of computation '",
     "correct what wrote the instruction, or export StableHLO (PyTorch/XLA "
     "sends it with XLA_STABLEHLO_COMPILE=1)"},
    {"malformed MLIR bytecode", "write the file again, or export the program "
                                "as text; --trusted reads it "
                                "without limits"},
    {"cannot start the process",
     "free processes or memory, or read files that you trust with --trusted"},
    {"unknown mesh", "declare it in the module, as in sdy.mesh @mesh = "
                     "<[\"x\"=4]>, or correct the name"},
    {"unknown axis name", "use an axis that the mesh declares"},
    {"duplicate axis ref", "use each axis once in a sharding, or split it "
                           "into sub-axes as in \"x\":(1)2"},
    {"doesn't divide the size of the full axis",
     "choose sub-axis sizes whose product divides the size of the axis"},
    {"overlapping sub-axes", "make the sub-axes disjoint"},
    {"both sub-axis and full-axis",
     "use either the axis or its sub-axes in one sharding"},
    {"overflow", "reduce the axis sizes: their product must fit in 63 bits"},
    {"axis size must be at least 1", "give every axis a size of 1 or more"},
    {"sharding doesn't match tensor rank",
     "give the sharding one {...} for each dimension of the tensor"},
    {"mhlo.sharding:", "write it as XLA prints it, as in "
                       "{devices=[4,2]<=[8]}; shardwright sharding explains "
                       "one"},
    {"no mesh has axes for both",
     "give the axes with --mesh, as in --mesh x=2,y=4"},
    {"tiles are not products of axes",
     "choose axis sizes for --mesh that multiply to the tiles"},
    {"callback': the cpu has no target",
     "--callbacks=print prints what the program passes to Python, "
     "--callbacks=skip leaves the call out"},
    {"has no target of this name",
     "register a function of that name, or rewrite the program without it"},
    {"no entry function", "name the entry function @main"},
    {"the new mesh gives no size",
     "name every axis of the module's mesh, as in --mesh x=4,y=2"},
    {"no mesh of the module has an axis",
     "use the axis names of the module's sdy.mesh"},
    {"--devices asks for", "drop --devices, or resize the mesh with --mesh"},
    {"is not supported", "run it with a version that supports it, or rewrite "
                         "the program without it"},
    {"unregistered operation", "lower the op to StableHLO first"},
    {"unregistered dialect",
     "lower the program to StableHLO, CHLO, func and sdy first"},
    {"not found for custom op",
     "lower the program to StableHLO, CHLO, func and sdy first"},
    {"is unknown", "lower the op to StableHLO first"},
    {"use of value", "make the type of the use that of the definition"},
    {"requires compatible types", "make operand and result types agree"},
    {"requires the same", "make operand and result types agree"},
    {"expected", "correct the text there; the module must be MLIR as JAX "
                 "0.10.2 prints it"},
    {"type", "make the types agree, or export the program again"},
};

StringRef remedyFor(StringRef message) {
  for (const auto &row : table)
    if (message.contains(row.part))
      return row.remedy;
  return "correct the program there and run again";
}

} // namespace shardwright
