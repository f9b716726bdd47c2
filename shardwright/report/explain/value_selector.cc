//===- value_selector.cc - select values by name --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/value_selector.h"

#include "shardwright/mesh/did_you_mean.h"
#include "shardwright/report/location_text.h"

using namespace mlir;

namespace shardwright {

/// True if `file` names `path`, or its last components.
static bool namesFile(StringRef file, StringRef path) {
  if (!path.consume_back(file))
    return false;
  return file.empty() || path.empty() || path.ends_with("/") ||
         file.starts_with("/");
}

bool ValueSelector::fail(const Twine &text, StringRef remedy) {
  problem = {text.str(), remedy.str()};
  return false;
}

bool ValueSelector::unknown(StringRef what, StringRef text) {
  std::vector<StringRef> names;
  for (const UserValue &v : user.all())
    if (v.function == main.getSymName()) {
      names.push_back(v.name);
      if (!v.sourceName.empty())
        names.push_back(v.sourceName);
    }
  for (const std::string &name : user.resultNames)
    names.push_back(name);
  return fail("the program has no " + what + " '" + text + "'" +
                  didYouMean(text, names),
              "name a value as the module does, %12, or an argument or "
              "result as the source does");
}

bool ValueSelector::value(StringRef text, AskedValues &asked) {
  StringRef function = main.getSymName(), name = text;
  if (text.starts_with("@")) {
    std::tie(function, name) = text.drop_front().split(':');
    if (name.empty())
      return fail(prefix + "value: expected @function:%value, found '" + text +
                  "'");
  }
  size_t before = asked.values.size();
  for (auto [id, v] : llvm::enumerate(user.all()))
    if (v.function == function &&
        (v.name == name || (v.argument >= 0 && v.sourceName == name)))
      asked.values.push_back(id);
  // All results of an op by their common name.
  if (asked.values.size() == before)
    for (auto [id, v] : llvm::enumerate(user.all()))
      if (v.function == function && StringRef(v.name).split('#').first == name)
        asked.values.push_back(id);
  if (asked.values.size() > before)
    return true;
  name = text;
  if (name.consume_front("arg") && findNumber(name, asked))
    return true;
  return findResult(text, asked) || unknown("value", text);
}

bool ValueSelector::argument(StringRef text, AskedValues &asked) {
  return findArgument(text, asked) || unknown("argument", text);
}

bool ValueSelector::result(StringRef text, AskedValues &asked) {
  return findResult(text, asked) || unknown("result", text);
}

bool ValueSelector::line(StringRef text, AskedValues &asked) {
  auto [file, number] = text.rsplit(':');
  if (number.empty())
    std::swap(file, number);
  unsigned line = 0;
  if (number.getAsInteger(10, line) || line == 0)
    return fail(prefix + "line: expected a line number or file.py:12, found '" +
                text + "'");
  size_t before = asked.values.size();
  auto isThere = [&, file = file](const SourceFrame &frame) {
    return frame.line == line && namesFile(file, frame.file);
  };
  // What the user wrote on the line; else what functions compute that it calls
  // or that are called there.
  std::vector<int32_t> through;
  for (auto [id, v] : llvm::enumerate(user.all())) {
    std::vector<SourceFrame> frames = framesOf(v.location);
    const SourceFrame *written = userFrame(frames);
    if (written && isThere(*written))
      asked.values.push_back(id);
    else if (llvm::any_of(frames, isThere))
      through.push_back(id);
  }
  if (asked.values.size() == before)
    llvm::append_range(asked.values, through);
  if (asked.values.size() == before &&
      (file.empty() || namesFile(file, module)))
    for (auto [id, v] : llvm::enumerate(user.all()))
      if (v.line == line)
        asked.values.push_back(id);
  if (asked.values.size() > before)
    return true;
  return fail(prefix + "line: nothing in the program comes from line " + text,
              "name a line that computes something; without " + prefix.str() +
                  "line all arguments and results are explained");
}

bool ValueSelector::findNumber(StringRef text, AskedValues &asked) {
  int32_t number = 0;
  if (text.getAsInteger(10, number))
    return false;
  for (auto [id, v] : llvm::enumerate(user.all()))
    if (v.argument >= 0 && v.argument == number) {
      asked.values.push_back(id);
      return true;
    }
  return false;
}

bool ValueSelector::findArgument(StringRef text, AskedValues &asked) {
  for (auto [id, v] : llvm::enumerate(user.all()))
    if (v.argument >= 0 && (v.sourceName == text || v.name == text)) {
      asked.values.push_back(id);
      return true;
    }
  text.consume_front("arg");
  return findNumber(text, asked);
}

bool ValueSelector::findResult(StringRef text, AskedValues &asked) {
  unsigned n = main.getNumResults();
  for (unsigned i = 0; i < n; ++i)
    if (user.resultName(i) == text) {
      asked.results.push_back(i);
      return true;
    }
  if (!text.consume_front("result"))
    text.consume_front("out");
  unsigned number = 0;
  if (text.getAsInteger(10, number) || number >= n)
    return false;
  asked.results.push_back(number);
  return true;
}

} // namespace shardwright
