//===- machine_model.cc - speed of devices and links ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/machine_model.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <tuple>

using namespace llvm;

namespace shardwright {

double MachineModel::shareOfColumns(double columns) const {
  if (columns == 0)
    return 1;
  return std::ceil(columns / contractionColumns) * contractionColumns / columns;
}

double MachineModel::flopsOf(StringRef elementType) const {
  auto known = [&](StringRef type) -> const double * {
    auto it = flopsPerSecond.find(type.str());
    return it == flopsPerSecond.end() ? nullptr : &it->second;
  };
  if (const double *own = known(elementType))
    return *own;
  // f8E4M3FN -> f8; bf16, f8 -> f; ui8 -> i8 -> i
  StringRef type = elementType;
  type.consume_front("u");
  StringRef letters = type.starts_with("i") ? "i" : "f";
  StringRef digits = type.drop_while([](char c) { return !isDigit(c); });
  digits = digits.take_while([](char c) { return isDigit(c); });
  if (!type.starts_with("bf") && !digits.empty())
    if (const double *width = known((letters + digits).str()))
      return *width;
  if (const double *family = known(letters))
    return *family;
  return defaultFlopsPerSecond;
}

double MachineModel::memorySeconds(double bytes) const {
  if (cacheBytes == 0 || cacheBytesPerSecond <= memoryBytesPerSecond)
    return bytes / memoryBytesPerSecond;
  return std::min(bytes, cacheBytes) / cacheBytesPerSecond +
         std::max(0.0, bytes - cacheBytes) / memoryBytesPerSecond;
}

const LinkModel &MachineModel::linkOf(StringRef axis) const {
  auto it = links.find(axis.str());
  return it == links.end() ? link : it->second;
}

LinkModel MachineModel::linkOver(ArrayRef<StringRef> axes) const {
  if (axes.empty())
    return link;
  LinkModel weakest = linkOf(axes.front());
  for (StringRef axis : axes.drop_front())
    weakest = weakest.with(linkOf(axis));
  return weakest;
}

/// Hoisted values of loops may take this fraction (1 / n) of the memory.
static constexpr double kHeldPart = 16;

bool CostModel::operator==(const CostModel &other) const {
  auto weights = [](const CostModel &costs) {
    return std::tuple(costs.alpha, costs.repeated, costs.heldBytes, costs.touch,
                      costs.flop);
  };
  if (!machine || !other.machine)
    return machine == other.machine && weights(*this) == weights(other);
  return weights(*this) == weights(other) && *machine == *other.machine;
}

CostModel MachineModel::costs() const {
  CostModel costs;
  costs.machine = std::make_shared<MachineModel>(*this);
  costs.repeated = 0;
  costs.heldBytes = memoryBytes / kHeldPart;
  return costs;
}

JoinLimits MachineModel::joinLimits() const {
  // Packing reads and writes each byte, and so does unpacking.
  constexpr double kPackingTouches = 4;
  // Once a latency is 0.3 % of a reduction, waiting for the other operands
  // costs more than the latency that joining saves.
  constexpr double kLeastShare = 0.003;
  JoinLimits limits;
  limits.packed = link.latencySeconds *
                  std::max(memoryBytesPerSecond, cacheBytesPerSecond) /
                  kPackingTouches;
  limits.scattered = limits.packed;
  // Each result is also transposed to the dimension that it gathers along.
  limits.gathered = limits.packed / 2;
  limits.reduced =
      link.latencySeconds * link.totalBytesPerSecond() / kLeastShare;
  return limits;
}

std::string MachineModel::json() const {
  auto linkOf = [&](const LinkModel &link) {
    json::Object object{{"bytes_per_second", link.bytesPerSecond},
                        {"latency_seconds", link.latencySeconds},
                        {"directions", link.directions}};
    // A link of one axis may differ from the others.
    if (link.isShared || this->link.isShared)
      object["shared_memory"] = link.isShared;
    return object;
  };
  json::Object flops{{"default", defaultFlopsPerSecond}}, axes;
  for (const auto &[element, rate] : flopsPerSecond)
    flops[element] = rate;
  for (const auto &[axis, own] : links)
    axes[axis] = linkOf(own);
  json::Object memory{{"bytes", memoryBytes},
                      {"bytes_per_second", memoryBytesPerSecond}};
  // Absent keys are not the same as zeros.
  auto setIfGiven = [](json::Object &object, StringRef key, double value) {
    if (value)
      object[key] = value;
  };
  setIfGiven(memory, "cache_bytes", cacheBytes);
  setIfGiven(memory, "cache_bytes_per_second", cacheBytesPerSecond);
  json::Object machine{{"name", name},
                       {"flops_per_second", std::move(flops)},
                       {"memory", std::move(memory)},
                       {"link", linkOf(link)},
                       {"operation_seconds", operationSeconds},
                       {"step_seconds", stepSeconds}};
  setIfGiven(machine, "elementwise_flops_per_second",
             elementwiseFlopsPerSecond);
  setIfGiven(machine, "contraction_seconds", contractionSeconds);
  if (contractionColumns != 1)
    machine["contraction_columns"] = contractionColumns;
  if (!axes.empty())
    machine["links"] = std::move(axes);
  if (!levels.empty()) {
    json::Array list;
    for (const LevelModel &level : levels)
      list.push_back(json::Object{{"name", level.name},
                                  {"size", level.size},
                                  {"link", linkOf(level.link)}});
    machine["levels"] = std::move(list);
  }
  if (processes) {
    json::Object between{{"bytes_per_second", processes->bytesPerSecond},
                         {"latency_seconds", processes->latencySeconds}};
    setIfGiven(between, "message_seconds", processes->messageSeconds);
    setIfGiven(between, "cached_bytes_per_second",
               processes->cachedBytesPerSecond);
    if (processes->inlineBytes != ProcessesModel().inlineBytes)
      between["inline_bytes"] = processes->inlineBytes;
    json::Object object{{"devices_per_process", processes->devicesPerProcess},
                        {"link", std::move(between)}};
    if (processes->perHost > 1)
      object["per_host"] = processes->perHost;
    if (processes->coresPerHost)
      object["cores_per_host"] = processes->coresPerHost;
    machine["processes"] = std::move(object);
  }
  return formatv("{0:2}\n", json::Value(std::move(machine))).str();
}

} // namespace shardwright
