//===- custom_partitioners.cc - calls that clients partition --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/calls/custom_partitioners.h"

#include "shardwright/mesh/hlo/proto_wire.h"
#include "shardwright/pjrt/base/status.h"
#include "shardwright/pjrt/base/shape_proto.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
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
  // Not destroyed: a compilation may be calling the previous callbacks.
  p.byTarget[target] = callbacks;
}

JAX_CustomCallPartitioner_Callbacks *
pjrt::findCustomPartitioner(llvm::StringRef target) {
  Partitioners &p = partitioners();
  std::lock_guard lock(p.mutex);
  return p.byTarget.lookup(target);
}

/// The results in the form that the callbacks take: several become a tuple.
static PartitionedValue tupleOf(llvm::ArrayRef<PartitionedValue> values,
                                std::string &shape) {
  PartitionedValue all = values.size() == 1 ? values[0] : PartitionedValue();
  if (values.size() == 1) {
    shape = shapeProto(all.type, all.shape);
    return all;
  }
  constexpr int tupleType = 13;
  ProtoWriter tuple;
  tuple.varint(2, tupleType);
  std::vector<HloSharding> shardings;
  for (const PartitionedValue &value : values) {
    tuple.message(4, shapeProto(value.type, value.shape));
    shardings.push_back(value.sharding);
  }
  shape = tuple.take();
  all.sharding = HloSharding::tuple(std::move(shardings));
  return all;
}

static llvm::StringRef text(const JAX_CustomCallPartitioner_string &given) {
  return {given.data, given.size};
}

namespace {
/// Strings that live as long as one query.
class Kept {
public:
  JAX_CustomCallPartitioner_string operator()(std::string bytes) {
    const std::string &at = texts.emplace_back(std::move(bytes));
    return {at.data(), at.size()};
  }
  JAX_CustomCallPartitioner_string sharding(const HloSharding &sharding) {
    return (*this)(sharding.toProto());
  }
  /// The arguments of a query about a call with these operands.
  template <typename Args>
  Args about(llvm::StringRef config,
             llvm::ArrayRef<PartitionedValue> operands) {
    for (const PartitionedValue &value : operands)
      avals.push_back({(*this)(shapeProto(value.type, value.shape)), true,
                       sharding(value.sharding)});
    Args args = {};
    args.num_args = avals.size();
    args.op_args = avals.data();
    args.backend_config = (*this)(config.str());
    return args;
  }

private:
  std::deque<std::string> texts;
  std::vector<JAX_CustomCallPartitioner_aval> avals;
};
} // namespace

static llvm::Error invalidAnswer(const llvm::Twine &why) {
  return llvm::createStringError("INTERNAL: custom_partitioner: " + why);
}

/// Calls the client, and copies its answer before the client frees it.
template <typename Args>
static llvm::Error ask(JAX_CustomCallPartitioner_Callbacks *callbacks,
                       void (*function)(JAX_CustomCallPartitioner_Callbacks *,
                                        Args *),
                       Args &args, llvm::function_ref<llvm::Error()> read) {
  function(callbacks, &args);
  auto cleanUp = llvm::scope_exit([&] {
    if (args.header.cleanup_fn)
      args.header.cleanup_fn(args.header.data);
  });
  if (args.header.has_error)
    return llvm::createStringError(
        textWithCode(args.header.code, text(args.header.error_msg)));
  return read();
}

static llvm::Error readSharding(const JAX_CustomCallPartitioner_string &given,
                                HloSharding &sharding) {
  auto read = HloSharding::fromProto(text(given));
  if (!read)
    return invalidAnswer(llvm::toString(read.takeError()));
  sharding = std::move(*read);
  return llvm::Error::success();
}

/// Reads the shardings of `count` results: one each, or one tuple sharding.
static llvm::Error readShardings(const JAX_CustomCallPartitioner_string &given,
                                 size_t count,
                                 std::vector<HloSharding> &shardings) {
  HloSharding sharding;
  if (llvm::Error e = readSharding(given, sharding))
    return e;
  if (sharding.isTuple())
    shardings.assign(sharding.elements().begin(), sharding.elements().end());
  else
    shardings.assign(count, sharding);
  if (shardings.size() != count)
    return invalidAnswer("Shardings returned from partitioning: lengths must "
                         "match: " +
                         llvm::Twine(shardings.size()) + " vs " +
                         llvm::Twine(count));
  return llvm::Error::success();
}

llvm::Expected<PartitionedCall>
pjrt::partitionCall(JAX_CustomCallPartitioner_Callbacks *callbacks,
                    llvm::StringRef config,
                    llvm::ArrayRef<PartitionedValue> operands,
                    llvm::ArrayRef<PartitionedValue> results) {
  Kept keep;
  auto args =
      keep.about<JAX_CustomCallPartitioner_Partition_Args>(config, operands);
  std::string resultShape;
  PartitionedValue result = tupleOf(results, resultShape);
  args.op_result = {keep(resultShape), true, keep.sharding(result.sharding)};
  std::vector<JAX_CustomCallPartitioner_string> wanted(operands.size());
  args.args_sharding = wanted.data();
  PartitionedCall call;
  auto read = [&]() -> llvm::Error {
    call.module = text(args.mlir_module).str();
    if (!args.args_sharding && !operands.empty())
      return invalidAnswer("it returned no shardings of operands");
    call.operands.resize(operands.size());
    for (auto [i, sharding] : llvm::enumerate(call.operands))
      if (llvm::Error e = readSharding(args.args_sharding[i], sharding))
        return e;
    return readShardings(args.result_sharding, results.size(), call.results);
  };
  if (llvm::Error e = ask(callbacks, callbacks->partition, args, read))
    return std::move(e);
  return call;
}

llvm::Expected<std::optional<std::vector<HloSharding>>>
pjrt::inferShardings(JAX_CustomCallPartitioner_Callbacks *callbacks,
                     llvm::StringRef config,
                     llvm::ArrayRef<PartitionedValue> operands,
                     llvm::ArrayRef<PartitionedValue> results) {
  Kept keep;
  auto args =
      keep.about<JAX_CustomCallPartitioner_InferShardingFromOperands_Args>(
          config, operands);
  std::string resultShape;
  tupleOf(results, resultShape);
  args.result_shape = keep(resultShape);
  std::optional<std::vector<HloSharding>> inferred;
  auto read = [&]() -> llvm::Error {
    if (!args.has_result_sharding)
      return llvm::Error::success();
    return readShardings(args.result_sharding, results.size(),
                         inferred.emplace());
  };
  if (llvm::Error e = ask(callbacks, callbacks->infer_sharding, args, read))
    return std::move(e);
  return inferred;
}

llvm::Expected<std::vector<HloSharding>>
pjrt::propagateUserShardings(JAX_CustomCallPartitioner_Callbacks *callbacks,
                             llvm::StringRef config,
                             llvm::ArrayRef<PartitionedValue> results) {
  Kept keep;
  std::string resultShape;
  PartitionedValue result = tupleOf(results, resultShape);
  JAX_CustomCallPartitioner_PropagateUserSharding_Args args = {};
  args.backend_config = keep(config.str());
  args.result_shape = keep(resultShape);
  args.result_sharding = keep.sharding(result.sharding);
  std::vector<HloSharding> shardings;
  auto read = [&] {
    return readShardings(args.result_sharding, results.size(), shardings);
  };
  if (llvm::Error e =
          ask(callbacks, callbacks->propagate_user_sharding, args, read))
    return std::move(e);
  return shardings;
}
