//===- custom_partitioners.cc - calls that clients partition --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/custom_partitioners.h"

#include "shardwright/mesh/hlo/proto_wire.h"
#include "shardwright/pjrt/ffi_types.h"
#include "shardwright/pjrt/status.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <mutex>

using namespace shardwright;
using namespace shardwright::pjrt;

namespace {
struct Partitioners {
  std::mutex mutex;
  llvm::StringMap<JAX_CustomCallPartitioner_Callbacks *> byTarget;
};
} // namespace

static Partitioners &partitioners() {
  static auto *partitioners = new Partitioners();
  return *partitioners;
}

void pjrt::registerCustomPartitioner(
    llvm::StringRef target, JAX_CustomCallPartitioner_Callbacks *callbacks) {
  Partitioners &p = partitioners();
  std::lock_guard lock(p.mutex);
  // A compilation may be calling the one before: it is not destroyed.
  p.byTarget[target] = callbacks;
}

JAX_CustomCallPartitioner_Callbacks *
pjrt::findCustomPartitioner(llvm::StringRef target) {
  Partitioners &p = partitioners();
  std::lock_guard lock(p.mutex);
  return p.byTarget.lookup(target);
}

/// xla.ShapeProto, row-major.
static std::string shapeProto(const PartitionedValue &value) {
  size_t rank = value.shape.size();
  llvm::SmallVector<int64_t> minorToMajor, isDynamic(rank, 0);
  for (size_t d = rank; d-- > 0;)
    minorToMajor.push_back(d);
  ProtoWriter layout;
  layout.packed(1, minorToMajor);
  layout.varint(16, 1); // elements to which the end is padded
  ProtoWriter shape;
  shape.varint(2, ffiType(value.type).value_or(0));
  shape.packed(3, value.shape);
  shape.message(5, layout.take());
  shape.packed(6, isDynamic);
  return shape.take();
}

/// The results as the callbacks take them: several are a tuple.
static PartitionedValue tupleOf(llvm::ArrayRef<PartitionedValue> values,
                                std::string &shape) {
  PartitionedValue all = values.size() == 1 ? values[0] : PartitionedValue();
  if (values.size() == 1) {
    shape = shapeProto(all);
    return all;
  }
  constexpr int tupleType = 13;
  ProtoWriter tuple;
  tuple.varint(2, tupleType);
  std::vector<HloSharding> shardings;
  for (const PartitionedValue &value : values) {
    tuple.message(4, shapeProto(value));
    shardings.push_back(value.sharding);
  }
  shape = tuple.take();
  all.sharding = HloSharding::tuple(std::move(shardings));
  return all;
}

static llvm::StringRef text(const JAX_CustomCallPartitioner_string &given) {
  return {given.data, given.size};
}

llvm::Expected<PartitionedCall>
pjrt::partitionCall(JAX_CustomCallPartitioner_Callbacks *callbacks,
                    llvm::StringRef config,
                    llvm::ArrayRef<PartitionedValue> operands,
                    llvm::ArrayRef<PartitionedValue> results) {
  std::deque<std::string> kept;
  auto keep = [&](std::string bytes) {
    const std::string &at = kept.emplace_back(std::move(bytes));
    return JAX_CustomCallPartitioner_string{at.data(), at.size()};
  };
  std::vector<JAX_CustomCallPartitioner_aval> avals;
  for (const PartitionedValue &operand : operands)
    avals.push_back(
        {keep(shapeProto(operand)), true, keep(operand.sharding.toProto())});
  std::string resultShape;
  PartitionedValue result = tupleOf(results, resultShape);
  std::vector<JAX_CustomCallPartitioner_string> wanted(operands.size());

  JAX_CustomCallPartitioner_Partition_Args args = {};
  args.num_args = operands.size();
  args.op_args = avals.data();
  args.op_result = {keep(resultShape), true, keep(result.sharding.toProto())};
  args.backend_config = keep(config.str());
  args.args_sharding = wanted.data();
  callbacks->partition(callbacks, &args);
  auto cleanUp = llvm::scope_exit([&] {
    if (args.header.cleanup_fn)
      args.header.cleanup_fn(args.header.data);
  });
  if (args.header.has_error)
    return llvm::createStringError(
        textWithCode(args.header.code, text(args.header.error_msg)));
  auto invalidAnswer = [&](const llvm::Twine &why) {
    return llvm::createStringError("INTERNAL: custom_partitioner: " + why);
  };
  PartitionedCall call;
  call.module = text(args.mlir_module).str();
  if (!args.args_sharding && !operands.empty())
    return invalidAnswer("it returned no shardings of operands");
  for (size_t i = 0; i < operands.size(); ++i) {
    auto sharding = HloSharding::fromProto(text(args.args_sharding[i]));
    if (!sharding)
      return invalidAnswer(llvm::toString(sharding.takeError()));
    call.operands.push_back(std::move(*sharding));
  }
  auto sharding = HloSharding::fromProto(text(args.result_sharding));
  if (!sharding)
    return invalidAnswer(llvm::toString(sharding.takeError()));
  if (sharding->isTuple())
    call.results.assign(sharding->elements().begin(),
                        sharding->elements().end());
  else
    call.results.assign(results.size(), *sharding);
  if (call.results.size() != results.size())
    return invalidAnswer("Shardings returned from partitioning: lengths must "
                         "match: " +
                         llvm::Twine(call.results.size()) + " vs " +
                         llvm::Twine(results.size()));
  return call;
}
