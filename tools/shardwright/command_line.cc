//===- command_line.cc - values of options --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command_line.h"
#include "one_diagnostic.h"
#include "terminal.h"

#include "shardwright/mesh/printable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shardwright {

Expected<SmallVector<MeshAxis, 4>> parseMeshSizes(StringRef text) {
  SmallVector<MeshAxis, 4> axes;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [name, size] = part.split('=');
    int64_t value = 0;
    if (name.trim().empty() || size.trim().getAsInteger(10, value) || value < 1)
      return createStringError("--mesh: expected AXIS=SIZE with a size of 1 or "
                               "more, as in x=4,y=2, found '" +
                               part.str() + "'");
    for (const MeshAxis &axis : axes)
      if (axis.name == name.trim())
        return createStringError("--mesh: axis '" + name.trim().str() +
                                 "' is given twice");
    axes.push_back({name.trim().str(), value});
  }
  if (Mesh::numDevicesOverflows(axes))
    return createStringError("--mesh: the product of the axis sizes overflows");
  return axes;
}

Expected<SmallVector<int64_t, 4>> parseShape(StringRef text) {
  SmallVector<int64_t, 4> shape;
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  int64_t elements = 1;
  for (StringRef part : parts) {
    int64_t size;
    if (part.trim().getAsInteger(10, size) || size < 0)
      return createStringError("--shape: expected sizes as in 8x16, found '" +
                               text.str() + "'");
    if (MulOverflow(elements, std::max<int64_t>(size, 1), elements))
      return createStringError("--shape: the number of elements overflows");
    shape.push_back(size);
  }
  return shape;
}

/// Parses `64MiB` to a number of bytes.
static Expected<double> parseSize(StringRef option, StringRef text) {
  StringRef digits =
      text.take_while([](char c) { return isDigit(c) || c == '.'; });
  StringRef unit = text.drop_front(digits.size()).trim();
  static const std::pair<StringRef, double> units[] = {
      {"", 1},         {"B", 1},        {"KiB", 0x1p10}, {"MiB", 0x1p20},
      {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"KB", 1e3},     {"MB", 1e6},
      {"GB", 1e9},     {"TB", 1e12}};
  double scale = 0, bytes = 0;
  for (auto [name, factor] : units)
    if (name == unit)
      scale = factor;
  if (digits.empty() || digits.getAsDouble(bytes) || scale == 0)
    return createStringError(option.str() +
                             ": expected a size as in 64MiB, found '" +
                             text.str() + "'");
  return bytes * scale;
}

Expected<Budget> parseBudget(StringRef text) {
  auto [what, amount] = text.split('>');
  Budget budget{Budget::What::Sent, 0, text.str()};
  if (what == "replicate")
    budget.what = Budget::What::Replicate;
  else if (what == "peak")
    budget.what = Budget::What::Peak;
  else if (what != "sent")
    return createStringError("--fail-on: expected replicate>SIZE, sent>SIZE or "
                             "peak>SIZE, found '" +
                             text.str() + "'");
  Expected<double> bytes = parseSize("--fail-on", amount);
  if (!bytes)
    return bytes.takeError();
  budget.bytes = *bytes;
  return budget;
}

Expected<int64_t> parseBytes(StringRef text) {
  Expected<double> bytes = parseSize("--warn-replicated", text);
  if (!bytes)
    return bytes.takeError();
  return int64_t(std::min(*bytes, 0x1p62));
}

raw_ostream &out() {
  static PrintableStream stream(outs());
  return stream;
}
raw_ostream &err() {
  static PrintableStream stream(errs());
  return stream;
}

bool readMachine(const std::string &path,
                 std::optional<MachineModel> &machine) {
  if (path.empty())
    return true;
  Expected<MachineModel> model = MachineModel::read(path);
  if (!model) {
    badInput("--machine: " + toString(model.takeError()),
             "docs/machines.md lists the keys of a machine and their units");
    return false;
  }
  machine = std::move(*model);
  return true;
}

int badInput(const Twine &text, StringRef remedy) {
  std::string message = text.str();
  // The usual remedy is about the input, which does not help here.
  if (StringRef(message).contains("not enough memory"))
    remedy = remedyFor(message);
  printKind("error");
  err() << message << "\n";
  if (!remedy.empty()) {
    printKind("remedy");
    err() << remedy << "\n";
  }
  return exitBadInput;
}

} // namespace shardwright
