//===- flags_fuzz.cc - texts of options: meshes, shardings, rules, JSON ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte selects the parser: --mesh, --fail-on, an HloSharding as text
// or as a protocol buffer, a PartitionSpec, the JSON of a machine, a sharding
// rule. A parsed value must print as text that parses to the same value. Two
// more selections measure the nesting of the text before parsing, and make it
// printable.
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/named_conversion.h"
#include "shardwright/mesh/hlo/partition_spec.h"
#include "shardwright/mesh/nesting.h"
#include "shardwright/mesh/printable.h"
#include "shardwright/partition/cost/machine_model.h"
#include "shardwright/rules/rule_string.h"
#include "tools/shardwright/command_line.h"

#include "llvm/Support/JSON.h"
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
  // Compute boxes only for shardings of a small machine.
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

void tryMachine(llvm::StringRef text) {
  auto machine = take(MachineModel::parse(text, "machine"));
  if (machine && !(machine->memoryBytes >= 1))
    finding("a machine without memory", text.str());
}

/// The types come first: a digit for the rank of each operand, `>`, a digit for
/// the rank of each result, and a `;`.
void tryRule(llvm::StringRef text) {
  auto [types, rule] = text.split(';');
  auto shapes = [](llvm::StringRef ranks) {
    std::vector<Shape> list;
    for (char rank : ranks.take_front(8))
      list.push_back(Shape(size_t(uint8_t(rank) % 8), 24));
    return list;
  };
  auto [operands, results] = types.split('>');
  auto parsed = take(parseRuleString(rule, shapes(operands), shapes(results)));
  if (parsed && ruleString(*parsed).empty())
    finding("a rule without text", text.str());
}

void tryNesting(llvm::StringRef text) {
  (void)findMlirNestingExcess(text);
  if (findJsonNestingExcess(text))
    return;
  // The recursive parser must not overflow the stack.
  if (auto value = llvm::json::parse(text); !value)
    llvm::consumeError(value.takeError());
}

void tryPrintable(llvm::StringRef text) {
  std::string shown = printable(text);
  for (char c : shown)
    if ((uint8_t(c) < 0x20 && c != '\t') || c == 0x7f)
      finding("a control character", shown);
  if (!llvm::json::isUTF8(shown))
    finding("text that is not UTF-8", shown);
  if (printable(shown) != shown)
    finding("what is printable is escaped again", shown);
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
  case 'j':
    tryMachine(text);
    return 0;
  case 'r':
    tryRule(text);
    return 0;
  case 'n':
    tryNesting(text);
    return 0;
  case 't':
    tryPrintable(text);
    return 0;
  }
  return -1; // excludes such inputs from the corpus
}
