//===- callbacks.cc - functions of the host in programs -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/callbacks.h"

#include "shardwright/frontend/callbacks/callbacks.h"
#include "shardwright/frontend/callbacks/pending_runs.h"
#include "shardwright/frontend/callbacks/print_format.h"

#include <algorithm>
#include <cstdio>

namespace shardwright::frontend {
namespace {

CallbackPtr callbackOf(const detail::FlatCallback &flat) {
  auto made = std::make_shared<HostCallback>();
  made->name = flat.name;
  made->function = flat.function;
  made->owner = flat.identity;
  made->tree = cat("(", pythonTreeText(flat.arguments), ", ",
                   pythonTreeText(flat.named), ")");
  return made;
}

/// The types that the user gives as descriptions of arrays, or as arrays.
Expected<std::vector<Aval>> typesOf(const Tensors &results) {
  if (const Error *error = errorIn(results))
    return *error;
  std::vector<Aval> out;
  for (const Tensor &result : results)
    out.push_back(Aval{canonicalType(result.dtype()), result.shape()});
  return out;
}

/// Outside of a recorded program there is nothing that fails: the error waits
/// for effectsBarrier.
void report(const Status &status) {
  if (status)
    return;
  for (TracePtr trace = currentTrace(); trace; trace = trace->parent)
    if (dynamic_cast<const JaxprTrace *>(trace.get()))
      return;
  recordFailure(status.error());
}

} // namespace

Tensors detail::pureCallback(const FlatCallback &callback,
                             const Tensors &results, const std::string &method,
                             std::optional<Device> device,
                             const Tensors &args) {
  static const auto &allowed =
      *new std::vector<std::string>{"",
                                    "sequential",
                                    "sequential_unrolled",
                                    "expand_dims",
                                    "broadcast_all",
                                    "legacy_vectorized"};
  if (std::find(allowed.begin(), allowed.end(), method) == allowed.end())
    return {Tensor(valueError(
        "vmap_method must be on of the allowed methods ['sequential', "
        "'sequential_unrolled', 'expand_dims', 'broadcast_all', "
        "'legacy_vectorized', None], but got: ",
        method))};
  Expected<std::vector<Aval>> types = typesOf(results);
  if (!types)
    return {Tensor(types.error())};
  return bindPureCallback(callbackOf(callback), *types, method, device, args);
}

Tensors detail::ioCallback(const FlatCallback &callback, const Tensors &results,
                           bool ordered, std::optional<Device> device,
                           const Tensors &args) {
  Expected<std::vector<Aval>> types = typesOf(results);
  if (!types)
    return {Tensor(types.error())};
  return bindIoCallback(callbackOf(callback), *types, ordered, device, args);
}

void detail::debugCallback(const FlatCallback &callback, bool ordered,
                           bool partitioned, const Tensors &args) {
  report(
      bindDebugCallback(callbackOf(callback), {}, ordered, partitioned, args));
}

void detail::debugPrint(const std::string &format,
                        const std::vector<std::string> &names, bool ordered,
                        bool partitioned, const Tensors &args) {
  if (const Error *error = errorIn(args)) {
    failRecording(*error);
    return report(*error);
  }
  Expected<PrintFormat> parsed = PrintFormat::parse(format, names, args);
  if (!parsed) {
    failRecording(parsed.error());
    return report(parsed.error());
  }
  std::string positional = "(", named = "{";
  for (const std::string &name : names)
    if (name.empty())
      positional += "*,";
    else
      named += "'" + name + "':*,";
  bool hasFields = format.find('{') != std::string::npos;
  FlatCallback flat{"debugPrint",
                    [parsed = *parsed, format,
                     hasFields](const Tensors &values) -> Expected<Tensors> {
                      Expected<std::string> text =
                          hasFields ? parsed.render(values)
                                    : Expected<std::string>(format);
                      if (!text)
                        return text.error();
                      // One call for the line, so that lines of devices do not
                      // mix.
                      std::string line = *text + "\n";
                      std::fwrite(line.data(), 1, line.size(), stdout);
                      std::fflush(stdout);
                      return Tensors();
                    },
                    std::make_shared<char>(), positional + ")", named + "}"};
  report(
      bindDebugCallback(callbackOf(flat), format, ordered, partitioned, args));
}

Status effectsBarrier() { return awaitEffects(); }

} // namespace shardwright::frontend
