//===- translator.h - emits the ops of HLO instructions ---------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the translations of opcodes share: the values of the computation that is
// being translated, ops with the instruction's location and attributes, regions
// and functions for called computations, and errors. A value of tuple shape is
// the list of its leaves. The MLIR verifier checks the ops afterwards; before
// that, a translation checks only what it needs to build them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_TRANSLATOR_H
#define SHARDWRIGHT_INTEROP_HLO_TRANSLATOR_H

#include "shardwright/interop/hlo/hlo_module.h"
#include "shardwright/interop/hlo/locations.h"
#include "shardwright/interop/hlo/message_specs.h"
#include "shardwright/mesh/hlo/hlo_sharding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

namespace shardwright::hlo {

class Translator {
public:
  /// Errors are reported at `file`.
  Translator(const Module &module, mlir::Location file);

  /// Emits one diagnostic on failure.
  mlir::OwningOpRef<mlir::ModuleOp> run();

  //===--------------------------------------------------------------------===//
  // For the translations of opcodes
  //===--------------------------------------------------------------------===//

  mlir::LogicalResult fail(const Instruction &instruction,
                           const llvm::Twine &message);
  /// Fails unless the instruction has this many operands.
  mlir::LogicalResult needOperands(const Instruction &instruction,
                                   size_t count);
  /// Fails unless it calls this many computations.
  mlir::LogicalResult needCalled(const Instruction &instruction, size_t count);

  /// The leaves of an operand; null for leaves that have no value in StableHLO
  /// (the context of an asynchronous op).
  llvm::ArrayRef<mlir::Value> leaves(const Instruction &instruction,
                                     size_t operand) const;
  const Shape &operandShape(const Instruction &instruction,
                            size_t operand) const;
  /// The leaves of all operands from the given one; fails if one has no value.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  values(const Instruction &instruction, size_t firstOperand = 0);
  /// An operand that is an array or a token.
  mlir::FailureOr<mlir::Value> value(const Instruction &instruction,
                                     size_t operand);

  /// The only dimension of the instruction; fails if it has another number or
  /// is negative.
  mlir::FailureOr<int64_t> onlyDimension(const Instruction &instruction);

  /// Sets the leaves of the instruction; fails if their types are not those of
  /// its shape.
  mlir::LogicalResult set(const Instruction &instruction,
                          llvm::ArrayRef<mlir::Value> leaves);
  /// Likewise without a check: leaves may be null.
  void setUnchecked(const Instruction &instruction,
                    llvm::ArrayRef<mlir::Value> leaves);
  /// Sets the operand as value, with a constraint if the instruction has a
  /// sharding.
  mlir::LogicalResult setAlias(const Instruction &instruction,
                               llvm::ArrayRef<mlir::Value> leaves);

  using Attributes = llvm::SmallVector<mlir::NamedAttribute>;
  using Regions = llvm::SmallVector<std::unique_ptr<mlir::Region>, 2>;

  /// Emits an op for a part of the instruction.
  mlir::Operation *create(const Instruction &instruction, llvm::StringRef op,
                          mlir::TypeRange results, mlir::ValueRange operands,
                          Attributes attributes = {}, Regions regions = {});
  /// Emits the op for the instruction: the results have the types of its shape
  /// and become its value, and it gets the instruction's sharding and frontend
  /// attributes.
  mlir::LogicalResult emit(const Instruction &instruction, llvm::StringRef op,
                           mlir::ValueRange operands,
                           Attributes attributes = {}, Regions regions = {});
  /// The sharding and frontend attributes of the instruction.
  mlir::LogicalResult decorate(const Instruction &instruction,
                               mlir::Operation *op);

  /// A region with the body of a called computation. Its block has an argument
  /// for each leaf of the parameters.
  mlir::FailureOr<std::unique_ptr<mlir::Region>>
  region(const Instruction &instruction, size_t called);
  /// The leaves of the root of a called computation, whose instructions are
  /// emitted here.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  inlineCalled(const Instruction &instruction, size_t called,
               llvm::ArrayRef<mlir::Value> arguments);
  /// The function of a called computation.
  mlir::FlatSymbolRefAttr function(const Instruction &instruction,
                                   size_t called) const;
  const Computation &calledComputation(const Instruction &instruction,
                                       size_t called) const;
  const DeviceCounts &deviceCounts() const { return module.counts; }
  /// The module's table of backend configurations.
  llvm::ArrayRef<llvm::StringRef> payloads() const { return module.payloads; }

  mlir::NamedAttribute attribute(llvm::StringRef name, mlir::Attribute value);
  /// Attributes of the instruction's fields, by the name of the attribute.
  mlir::NamedAttribute array(llvm::StringRef name,
                             llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute boolean(llvm::StringRef name, bool value);
  /// Rows of equal size.
  mlir::NamedAttribute matrix(llvm::StringRef name,
                              llvm::ArrayRef<int64_t> values, int64_t columns);

  mlir::MLIRContext *context;
  mlir::OpBuilder builder;

private:
  /// The values of one computation.
  struct Frame {
    const Computation *computation = nullptr;
    std::vector<llvm::SmallVector<mlir::Value, 1>> values;
  };

  mlir::LogicalResult failAt(const Computation &computation,
                             const Instruction &instruction,
                             const llvm::Twine &message);
  /// Emits the instructions of a computation, whose parameters have these
  /// leaves, and returns those of the root.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  body(const Computation &computation, llvm::ArrayRef<mlir::Value> arguments);
  mlir::LogicalResult findFunctions();
  mlir::LogicalResult emitFunction(size_t computation);
  /// The attributes of each argument: one list is set at once, because each
  /// change of an argument's attributes copies those of all.
  using ArgumentAttributes = std::vector<mlir::NamedAttrList>;
  mlir::LogicalResult describeParameters(const Computation &computation,
                                         ArgumentAttributes &attributes);
  mlir::LogicalResult describeResults(const Computation &computation,
                                      mlir::func::FuncOp function);
  mlir::LogicalResult describeAliases(ArgumentAttributes &attributes);
  void describeModule();
  mlir::LogicalResult checkEmitted();
  mlir::LogicalResult verifyResult();
  /// The `mhlo.sharding` of each leaf; empty if the instruction has none.
  mlir::FailureOr<llvm::SmallVector<mlir::StringAttr>>
  leafShardings(const Computation &computation, const Instruction &instruction);
  mlir::FailureOr<const HloSharding *> sharding(const Computation &computation,
                                                const Instruction &instruction);
  mlir::DictionaryAttr frontendAttributes(const ProtoMessage &fields,
                                          int field);

  const Module &module;
  mlir::Location file;
  Locations locations;
  mlir::OwningOpRef<mlir::ModuleOp> result;
  Frame *frame = nullptr;
  /// Names of the functions of computations; empty where none is needed.
  std::vector<std::string> functionNames;
  /// The instructions of ops, for errors of the verifier.
  llvm::DenseMap<mlir::Operation *,
                 std::pair<const Computation *, const Instruction *>>
      origins;
  llvm::DenseMap<llvm::StringRef, std::unique_ptr<HloSharding>> shardings;
  bool hasFailed = false;
  /// The module has meshes of sdy in its frontend attributes.
  bool hasSdyShardings = false;
  int depth = 0;
  int64_t emitted = 0;
};

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_TRANSLATOR_H
