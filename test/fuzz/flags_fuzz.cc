//===- flags_fuzz.cc - meshes, budgets and shardings as strings -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte picks the reader: --mesh, --fail-on, an HloSharding as text or
// as a protocol buffer, a PartitionSpec. What is read prints as text that reads
// the same.
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/named_conversion.h"
#include "shardwright/mesh/hlo/partition_spec.h"
#include "tools/shardwright/command_line.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace shardwright;

namespace {

[[noreturn]] void finding(llvm::StringRef what, const std::string &text) {
  llvm::errs() << "FINDING: " << what << ": " << text << "\n";
  abort();
}

template <typename T> std::optional<T> take(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  if (llvm::toString(value.takeError()).empty())
    finding("an error without a text", "");
  return std::nullopt;
}

void tryMesh(llvm::StringRef text) {
  auto axes = take(parseMeshSizes(text));
  if (!axes)
    return;
  Mesh mesh{*axes};
  if (mesh.numAxes() > 0)
    for (int32_t axis = 0; axis < mesh.numAxes(); ++axis)
      (void)mesh.str(mesh.fullAxis(axis));
}

void trySharding(const std::optional<HloSharding> &sharding) {
  if (!sharding)
    return;
  std::string text = sharding->str();
  auto again = take(HloSharding::parse(text));
  if (!again || again->str() != text)
    finding("an HloSharding does not read as it prints", text);
  if (!take(HloSharding::fromProto(sharding->toProto())))
    finding("an HloSharding does not read as it is written", text);
  llvm::consumeError(sharding->validate({8, 6}, 8));
  // Only what fits a small machine is asked for its boxes.
  if (sharding->isTuple() || sharding->numDevices() > 4096)
    return;
  MeshInference inference;
  inference.add(*sharding);
  take(inference.infer(8));
}

void trySpec(llvm::StringRef text) {
  auto spec = take(PartitionSpec::parse(text));
  if (!spec)
    return;
  auto again = take(PartitionSpec::parse(spec->str()));
  if (!again || !(*again == *spec))
    finding("a PartitionSpec does not read as it prints", spec->str());
  static const Mesh mesh{{{"x", 4}, {"y", 2}}};
  take(resolve(*spec, mesh, int64_t(spec->entries.size())));
  take(toTiled(*spec, mesh, int64_t(spec->entries.size())));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (text.empty())
    return -1;
  char kind = text.front();
  text = text.drop_front();
  switch (kind) {
  case 'm':
    tryMesh(text);
    return 0;
  case 'b':
    take(parseBudget(text));
    return 0;
  case 'h':
    trySharding(take(HloSharding::parse(text)));
    return 0;
  case 'p':
    trySharding(take(HloSharding::fromProto(text)));
    return 0;
  case 's':
    trySpec(text);
    return 0;
  }
  return -1; // keeps such inputs out of the corpus
}
