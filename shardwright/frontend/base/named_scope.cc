//===- named_scope.cc - names of operations -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/named_scope.h"

#include <utility>
#include <vector>

namespace shardwright::frontend {
namespace {
thread_local NameStack current;

NameStack pushed(NameStack outer, std::string name, bool isTransform,
                 std::source_location where = {}) {
  return std::make_shared<const NameEntry>(
      NameEntry{std::move(outer), std::move(name), isTransform, where});
}
} // namespace

NamedScope::NamedScope(std::string name, std::source_location where)
    : old(current) {
  current = pushed(current, std::move(name), /*isTransform=*/false, where);
}
NamedScope::~NamedScope() { current = std::move(old); }

const NameStack &detail::currentNames() { return current; }

detail::ScopedNames::ScopedNames(NameStack names)
    : old(std::exchange(current, std::move(names))) {}
detail::ScopedNames::~ScopedNames() { current = std::move(old); }

NameStack detail::namesWithin(const char *transform) {
  return pushed(current, transform, /*isTransform=*/true);
}

NameStack detail::namesWithin(const NameStack &inner) {
  if (!current || !inner)
    return inner ? inner : current;
  std::vector<const NameEntry *> entries;
  for (const NameEntry *e = inner.get(); e; e = e->outer.get())
    entries.push_back(e);
  NameStack out = current;
  for (size_t i = entries.size(); i-- > 0;)
    out = pushed(out, entries[i]->name, entries[i]->isTransform,
                 entries[i]->where);
  return out;
}

std::string detail::nameText(const NameStack &names) {
  std::vector<const NameEntry *> entries;
  for (const NameEntry *e = names.get(); e; e = e->outer.get())
    entries.push_back(e);
  std::string out;
  std::vector<const NameEntry *> transforms;
  auto add = [&](std::string name) {
    for (size_t i = transforms.size(); i-- > 0;)
      name = transforms[i]->name + "(" + name + ")";
    transforms.clear();
    out += (out.empty() ? "" : "/") + name;
  };
  for (size_t i = entries.size(); i-- > 0;)
    if (entries[i]->isTransform)
      transforms.push_back(entries[i]);
    else
      add(entries[i]->name);
  if (!transforms.empty())
    add("");
  return out;
}

std::source_location detail::placeOf(const NameStack &names) {
  for (const NameEntry *e = names.get(); e; e = e->outer.get())
    if (!e->isTransform)
      return e->where;
  return {};
}

} // namespace shardwright::frontend
