//===- print_jaxpr.cc - jaxprs as JAX prints them -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/trace/primitive.h"

#include <algorithm>
#include <deque>
#include <set>

namespace shardwright::frontend {
namespace {

/// A document of a Wadler-style printer.
struct Doc {
  enum Kind { Text, Break, Nest, Group, Concat } kind = Concat;
  std::string text; ///< of Text; of Break: what stands for it on one line
  int64_t indent = 0;
  std::vector<Doc> parts;
};
Doc text(std::string s) { return {Doc::Text, std::move(s), 0, {}}; }
Doc brk(std::string flat = " ") { return {Doc::Break, std::move(flat), 0, {}}; }
Doc concat(std::vector<Doc> parts) {
  return {Doc::Concat, "", 0, std::move(parts)};
}
Doc nest(int64_t n, Doc d) { return {Doc::Nest, "", n, {std::move(d)}}; }
Doc group(Doc d) { return {Doc::Group, "", 0, {std::move(d)}}; }

int64_t flatWidth(const Doc &d, int64_t limit) {
  if (d.kind == Doc::Text || d.kind == Doc::Break)
    return static_cast<int64_t>(d.text.size());
  int64_t n = 0;
  for (const Doc &p : d.parts) {
    n += flatWidth(p, limit - n);
    if (n > limit)
      break;
  }
  return n;
}

class Renderer {
public:
  std::string render(const Doc &d) {
    print(d, 0, false);
    return std::move(out);
  }

private:
  static constexpr int64_t kWidth = 80;
  void put(const std::string &s) {
    out += s;
    column += static_cast<int64_t>(s.size());
  }
  void print(const Doc &d, int64_t indent, bool flat) {
    switch (d.kind) {
    case Doc::Text:
      return put(d.text);
    case Doc::Break:
      if (flat)
        return put(d.text);
      out += "\n" + std::string(indent, ' ');
      column = indent;
      return;
    case Doc::Nest:
      indent += d.indent;
      break;
    case Doc::Group:
      flat = flat || flatWidth(d, kWidth - column) <= kWidth - column;
      break;
    case Doc::Concat:
      break;
    }
    for (const Doc &p : d.parts)
      print(p, indent, flat);
  }
  std::string out;
  int64_t column = 0;
};

/// Letters of the number in base 26: a..z, ba, bb, ...
std::string letters(int64_t n) {
  std::string out;
  do
    out.insert(out.begin(), static_cast<char>('a' + n % 26));
  while (n /= 26);
  return out;
}

class JaxprPrinter {
public:
  std::string print(const Jaxpr &jaxpr) {
    count(jaxpr);
    dropUnused(jaxpr);
    std::vector<Doc> docs;
    for (const auto &[inner, name] : hoisted) {
      docs.push_back(concat(
          {text("let " + name + " = "), program(*inner), text(" in\n")}));
    }
    docs.push_back(program(jaxpr));
    std::string out;
    for (const Doc &d : docs)
      out += Renderer().render(d);
    return out;
  }

private:
  using Key = std::pair<const Jaxpr *, int32_t>;

  /// Finds the jaxprs that are printed first, under a name: those that occur
  /// more than once, or are long. A jaxpr in one that occurs twice does so too.
  void count(const Jaxpr &main) {
    std::vector<JaxprPtr> order;
    std::map<const Jaxpr *, int64_t> uses;
    std::map<const Jaxpr *, std::string> nameOfEqn;
    std::deque<JaxprPtr> queue;
    auto addInner = [&](const Jaxpr &jaxpr) {
      for (const Eqn &eqn : jaxpr.eqns) {
        bool isNamed = eqn.primitive->name == "jit";
        Jaxpr::forEachInner(eqn.params, [&](const JaxprPtr &inner) {
          queue.push_back(inner);
          if (isNamed)
            nameOfEqn.try_emplace(inner.get(), eqn.params.text("name"));
        });
      }
    };
    for (addInner(main); !queue.empty(); queue.pop_front()) {
      const JaxprPtr &jaxpr = queue.front();
      int64_t &count = uses[jaxpr.get()];
      if (!count)
        order.push_back(jaxpr);
      count += jaxpr->eqns.size() > 10 ? 2 : 1;
      // Counts beyond 2 say nothing new of the jaxprs in it.
      if (count <= 4)
        addInner(*jaxpr);
    }
    std::map<std::string, int64_t> taken;
    for (const JaxprPtr &jaxpr : order) {
      if (uses[jaxpr.get()] < 2)
        continue;
      auto named = nameOfEqn.find(jaxpr.get());
      std::string name = named == nameOfEqn.end() ? "jaxpr" : named->second;
      size_t first = name.find_first_not_of("<>");
      size_t last = name.find_last_not_of("<>");
      name = first == name.npos ? "" : name.substr(first, last + 1 - first);
      if (int64_t n = taken[name]++) {
        name += cat(n);
        ++taken[name];
      }
      hoisted.emplace_back(jaxpr, name);
    }
  }
  const std::string *hoistedName(const Jaxpr *jaxpr) const {
    for (const auto &[inner, name] : hoisted)
      if (inner.get() == jaxpr)
        return &name;
    return nullptr;
  }

  std::string nameOf(const Jaxpr &jaxpr, int32_t var) {
    auto [entry, isNew] = names.try_emplace(Key{&jaxpr, var});
    if (isNew)
      entry->second = freshName();
    return entry->second;
  }
  /// The next letters that are no name of a program.
  std::string freshName() {
    while (true) {
      std::string name = letters(next++);
      if (std::none_of(hoisted.begin(), hoisted.end(),
                       [&](const auto &one) { return one.second == name; }))
        return name;
    }
  }
  std::string typed(const Jaxpr &jaxpr, int32_t var) {
    return cat(nameOf(jaxpr, var), ":", jaxpr.types[var].str());
  }
  std::string atomText(const Jaxpr &jaxpr, const Atom &atom) {
    if (atom.isVar())
      return nameOf(jaxpr, atom.var);
    Expected<std::shared_ptr<const void>> data = asArray(atom.literal)->host();
    std::string value =
        data.ok() ? elementText(data->get(), atom.literal.dtype(), 0) : "?";
    return cat(value, ":", atom.literal.aval().str());
  }
  /// Words with breaks of which each is decided alone.
  static Doc looseList(const std::vector<std::string> &words,
                       const std::string &separator) {
    std::vector<Doc> parts;
    for (size_t i = 0; i < words.size(); ++i) {
      if (i) {
        parts.push_back(text(separator));
        parts.push_back(group(brk()));
      }
      parts.push_back(text(words[i]));
    }
    return nest(2, concat(std::move(parts)));
  }

  /// Names the results of the main program's equations that nothing uses `_`.
  void dropUnused(const Jaxpr &jaxpr) {
    std::vector<bool> used = usedVariables(jaxpr);
    for (const Eqn &eqn : jaxpr.eqns)
      for (int32_t var : eqn.outs)
        if (!used[var])
          names[Key{&jaxpr, var}] = "_";
  }

  Doc program(const Jaxpr &jaxpr) {
    std::vector<std::string> consts, ins;
    for (int32_t var : jaxpr.constVars)
      consts.push_back(typed(jaxpr, var));
    for (int32_t var : jaxpr.ins)
      ins.push_back(typed(jaxpr, var));
    std::vector<Doc> eqns;
    for (const Eqn &eqn : jaxpr.eqns) {
      if (!eqns.empty())
        eqns.push_back(brk("; "));
      eqns.push_back(equation(jaxpr, eqn));
    }
    std::vector<std::string> outs;
    for (const Atom &atom : jaxpr.outs)
      outs.push_back(atomText(jaxpr, atom));
    return group(concat(
        {nest(2, concat({text("{ lambda "), looseList(consts, ""), text("; "),
                         looseList(ins, ""), text(". let"),
                         nest(2, concat({brk(), concat(std::move(eqns))})),
                         brk(), text("in ("), looseList(outs, ","),
                         text(outs.size() == 1 ? ",)" : ")")})),
         text(" }")}));
  }

  /// The programs of a custom_linear_solve: texts of their own.
  static std::string linearSolveText(const std::vector<JaxprPtr> &jaxprs) {
    constexpr const char *names[] = {"matvec", "vecmat", "solve",
                                     "transpose_solve"};
    std::string out;
    for (size_t i = 0; i < jaxprs.size() && i < 4; ++i)
      out += cat(i ? ", " : "", names[i], "=",
                 jaxprs[i] ? printJaxpr(*jaxprs[i]) : "None");
    return "_LinearSolveTuple(" + out + ")";
  }

  Doc param(const std::string &name, const Param &value) {
    if (const auto *one = std::get_if<JaxprPtr>(&value)) {
      if (*one)
        if (const std::string *shared = hoistedName(one->get()))
          return text(name + "=" + *shared);
      return concat({text(name + "="), *one ? program(**one) : text("None")});
    }
    if (const auto *several = std::get_if<std::vector<JaxprPtr>>(&value)) {
      if (name == "jaxprs")
        return text(name + "=" + linearSolveText(*several));
      std::vector<Doc> parts{brk("")};
      for (const JaxprPtr &j : *several) {
        if (parts.size() > 1)
          parts.push_back(brk());
        const std::string *shared = hoistedName(j.get());
        parts.push_back(shared ? text(*shared) : program(*j));
      }
      return group(concat({text(name + "=("), nest(2, concat(std::move(parts))),
                           brk(""), text(")")}));
    }
    return text(name + "=" + paramText(value));
  }

  /// Gives variables of the body of a call the names of those of the call.
  void suggestNames(const Jaxpr &body, const std::vector<int32_t> &vars,
                    const Jaxpr &outer, const std::vector<int32_t> &likes) {
    std::set<int32_t> used;
    for (size_t i = 0; i < vars.size() && vars.size() == likes.size(); ++i) {
      Key key{&body, vars[i]};
      if (vars[i] >= 0 && likes[i] >= 0 && !used.count(likes[i]) &&
          !names.count(key)) {
        used.insert(likes[i]);
        names[key] = nameOf(outer, likes[i]);
      }
    }
  }
  void shareNames(const Jaxpr &outer, const Eqn &eqn, const Jaxpr &body) {
    std::vector<int32_t> operands, results;
    for (const Atom &atom : eqn.ins)
      operands.push_back(atom.var);
    for (const Atom &atom : body.outs)
      results.push_back(atom.var);
    suggestNames(body, body.ins, outer, operands);
    suggestNames(body, results, outer, eqn.outs);
  }

  Doc equation(const Jaxpr &jaxpr, const Eqn &eqn) {
    const Primitive &p = *eqn.primitive;
    if (p.name == "jit") {
      const JaxprPtr &body = eqn.params.jaxpr("jaxpr");
      if (!hoistedName(body.get()))
        shareNames(jaxpr, eqn, *body);
    }
    std::vector<std::string> outs, ins;
    for (int32_t var : eqn.outs)
      outs.push_back(typed(jaxpr, var));
    std::vector<Doc> parts;
    Doc lhs = looseList(outs, "");
    std::vector<Doc> pairs;
    auto add = [&](const std::string &name, const Param &value) {
      if (!pairs.empty())
        pairs.push_back(brk());
      pairs.push_back(param(name, value));
    };
    auto hidden = [&](const std::string &name, const Param &value) {
      auto in = [&](const std::vector<std::string> &list) {
        return std::find(list.begin(), list.end(), name) != list.end();
      };
      if (in(p.hidden))
        return true;
      const Ints *ints = std::get_if<Ints>(&value);
      const int64_t *number = std::get_if<int64_t>(&value);
      return in(p.hiddenIfNone) &&
             (std::holds_alternative<std::monostate>(value) ||
              (ints && ints->empty()) || (number && !*number));
    };
    bool isNameFirst = p.name == "jit" || p.name == "custom_jvp_call" ||
                       p.name == "custom_vjp_call";
    if (isNameFirst)
      add("name", *eqn.params.find("name"));
    for (const auto &[name, value] : eqn.params)
      if (!hidden(name, value) && !(name == "name" && isNameFirst))
        add(name, value);
    for (const Atom &atom : eqn.ins)
      ins.push_back(atomText(jaxpr, atom));
    if (p.print)
      return text(p.print({eqn, outs, ins}));
    if (!outs.empty()) {
      parts.push_back(std::move(lhs));
      parts.push_back(text(" = "));
    }
    parts.push_back(text(p.name));
    if (!pairs.empty())
      parts.push_back(group(concat(
          {nest(2, concat({text("["), brk(""), concat(std::move(pairs))})),
           brk(""), text("]")})));
    parts.push_back(text(" "));
    parts.push_back(looseList(ins, ""));
    return concat(std::move(parts));
  }

  std::map<Key, std::string> names;
  std::vector<std::pair<JaxprPtr, std::string>> hoisted;
  int64_t next = 0;
};

} // namespace

std::string printJaxpr(const Jaxpr &jaxpr) {
  return JaxprPrinter().print(jaxpr);
}

} // namespace shardwright::frontend
