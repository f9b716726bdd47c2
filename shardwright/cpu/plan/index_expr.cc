//===- index_expr.cc - integer expressions of loop indices ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/plan/index_expr.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace shardwright::cpu {

static int64_t floorDiv(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

int64_t IndexExpr::coefficient(AtomId atom) const {
  for (auto [a, c] : terms)
    if (a == atom)
      return c;
  return 0;
}

bool IndexSpace::AtomLess::operator()(const Atom &a, const Atom &b) const {
  // Opaque atoms that clamp one start to different bounds are different atoms.
  auto clampedTo = [](const Atom &atom) {
    return atom.kind == Atom::Kind::Opaque ? atom.range.hi : 0;
  };
  int64_t aTo = clampedTo(a), bTo = clampedTo(b);
  return std::tie(a.kind, a.number, a.index, a.expr, a.divisor, aTo) <
         std::tie(b.kind, b.number, b.index, b.expr, b.divisor, bTo);
}

AtomId IndexSpace::internAtom(Atom atom) {
  auto [it, inserted] =
      atomIds.try_emplace(atom, static_cast<AtomId>(atoms.size()));
  if (inserted)
    atoms.push_back(std::move(atom));
  return it->second;
}

AtomId IndexSpace::variable(Range range) {
  Atom atom{Atom::Kind::Variable};
  atom.number = static_cast<int32_t>(atoms.size());
  atom.range = range;
  return internAtom(std::move(atom));
}

IndexExpr IndexSpace::opaque(int32_t node, const IndexVector &index,
                             Range range) {
  if (range.lo == range.hi)
    return IndexExpr(range.lo);
  Atom atom{Atom::Kind::Opaque};
  atom.number = node;
  atom.index = intern(index);
  atom.range = range;
  return term(internAtom(std::move(atom)));
}

IndexExpr IndexSpace::term(AtomId atom, int64_t coefficient) const {
  const Range &range = atoms[atom].range;
  if (range.lo == range.hi)
    return IndexExpr(range.lo * coefficient);
  IndexExpr e;
  if (coefficient)
    e.terms.push_back({atom, coefficient});
  return e;
}

IndexExpr IndexSpace::add(const IndexExpr &a, int64_t b) const {
  IndexExpr e = a;
  e.constant += b;
  return e;
}

IndexExpr IndexSpace::add(const IndexExpr &a, const IndexExpr &b) {
  IndexExpr e;
  e.constant = a.constant + b.constant;
  auto i = a.terms.begin(), j = b.terms.begin();
  while (i != a.terms.end() || j != b.terms.end()) {
    if (j == b.terms.end() || (i != a.terms.end() && i->first < j->first)) {
      e.terms.push_back(*i++);
    } else if (i == a.terms.end() || j->first < i->first) {
      e.terms.push_back(*j++);
    } else {
      if (int64_t c = i->second + j->second)
        e.terms.push_back({i->first, c});
      ++i, ++j;
    }
  }
  normalize(e);
  return e;
}

// c * (x div d) * d + c * (x mod d)  ->  c * x
void IndexSpace::normalize(IndexExpr &e) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [atomId, c] : e.terms) {
      const Atom &atom = atoms[atomId];
      if (atom.kind != Atom::Kind::Remainder)
        continue;
      IndexExpr expr = atom.expr;
      int64_t divisor = atom.divisor;
      IndexExpr quotient = divide(expr, divisor);
      if (quotient.terms.size() != 1 || quotient.terms[0].second != 1)
        continue;
      int64_t want = c * divisor;
      if (e.coefficient(quotient.terms[0].first) != want)
        continue;
      AtomId remainderAtom = atomId, quotientAtom = quotient.terms[0].first;
      int64_t coefficient = c;
      llvm::erase_if(e.terms, [&](auto &t) {
        return t.first == remainderAtom || t.first == quotientAtom;
      });
      e.constant -= want * quotient.constant;
      e = add(e, multiply(expr, coefficient));
      changed = true;
      break;
    }
  }
}

IndexExpr IndexSpace::multiply(const IndexExpr &a, int64_t factor) const {
  if (factor == 0)
    return IndexExpr(0);
  IndexExpr e = a;
  e.constant *= factor;
  for (auto &t : e.terms)
    t.second *= factor;
  return e;
}

Range IndexSpace::range(const IndexExpr &a) const {
  Range r{a.constant, a.constant};
  for (auto [atomId, c] : a.terms) {
    const Range &ar = atoms[atomId].range;
    r.lo += c > 0 ? c * ar.lo : c * ar.hi;
    r.hi += c > 0 ? c * ar.hi : c * ar.lo;
  }
  return r;
}

// Writes rest = g * high + low with 0 <= low < g, for some g that divides the
// divisor. Quotient and remainder then depend on `high` only.
bool IndexSpace::splitBelow(const IndexExpr &rest, int64_t divisor, int64_t &g,
                            IndexExpr &high, IndexExpr &low) const {
  for (auto [candidateAtom, candidate] : rest.terms) {
    g = std::abs(candidate);
    if (g <= 1 || g >= divisor || divisor % g)
      continue;
    high = low = IndexExpr();
    high.constant = floorDiv(rest.constant, g);
    low.constant = rest.constant - high.constant * g;
    for (auto [atomId, c] : rest.terms) {
      if (c % g == 0)
        high.terms.push_back({atomId, c / g});
      else
        low.terms.push_back({atomId, c});
    }
    Range r = range(low);
    if (r.lo >= 0 && r.hi < g)
      return true;
  }
  return false;
}

IndexExpr IndexSpace::divide(const IndexExpr &a, int64_t divisor) {
  if (divisor == 1)
    return a;
  // a = divisor * quotient + rest; rest holds the terms that the divisor does
  // not divide.
  IndexExpr quotient, rest;
  quotient.constant = floorDiv(a.constant, divisor);
  rest.constant = a.constant - quotient.constant * divisor;
  int64_t common = 0;
  for (auto [atomId, c] : a.terms) {
    if (c % divisor == 0) {
      quotient.terms.push_back({atomId, c / divisor});
    } else {
      rest.terms.push_back({atomId, c});
      common = std::gcd(common, c);
    }
  }
  Range r = range(rest);
  int64_t lo = floorDiv(r.lo, divisor), hi = floorDiv(r.hi, divisor);
  if (lo == hi)
    return add(quotient, lo);
  // floor((g * x + k) / d) = floor((x + floor(k / g)) / (d / g)) if g divides
  // d.
  common = std::gcd(common, divisor);
  if (common > 1) {
    IndexExpr reduced;
    reduced.constant = floorDiv(rest.constant, common);
    for (auto [atomId, c] : rest.terms)
      reduced.terms.push_back({atomId, c / common});
    return add(quotient, divide(reduced, divisor / common));
  }
  int64_t g;
  IndexExpr high, low;
  if (splitBelow(rest, divisor, g, high, low))
    return add(quotient, divide(high, divisor / g));
  if (rest.constant == 0 && rest.terms.size() == 1 &&
      rest.terms[0].second == 1) {
    const Atom &atom = atoms[rest.terms[0].first];
    if (atom.kind == Atom::Kind::Quotient) {
      IndexExpr inner = atom.expr;
      int64_t innerDivisor = atom.divisor;
      return add(quotient, divide(inner, innerDivisor * divisor));
    }
  }
  Atom atom{Atom::Kind::Quotient};
  atom.expr = rest;
  atom.divisor = divisor;
  atom.range = {lo, hi};
  return add(quotient, term(internAtom(std::move(atom))));
}

IndexExpr IndexSpace::remainder(const IndexExpr &a, int64_t divisor) {
  if (divisor == 1)
    return IndexExpr(0);
  IndexExpr rest;
  rest.constant = a.constant - floorDiv(a.constant, divisor) * divisor;
  int64_t common = 0;
  for (auto [atomId, c] : a.terms)
    if (c % divisor != 0) {
      // Keep the coefficients: reducing them would widen the ranges.
      rest.terms.push_back({atomId, c});
      common = std::gcd(common, c);
    }
  Range r = range(rest);
  if (int64_t q = floorDiv(r.lo, divisor); q == floorDiv(r.hi, divisor))
    return add(rest, -q * divisor);
  common = std::gcd(common, divisor);
  if (common > 1) {
    IndexExpr reduced;
    reduced.constant = floorDiv(rest.constant, common);
    int64_t low = rest.constant - reduced.constant * common;
    for (auto [atomId, c] : rest.terms)
      reduced.terms.push_back({atomId, c / common});
    return add(multiply(remainder(reduced, divisor / common), common), low);
  }
  int64_t g;
  IndexExpr high, low;
  if (splitBelow(rest, divisor, g, high, low))
    return add(multiply(remainder(high, divisor / g), g), low);
  if (rest.constant == 0 && rest.terms.size() == 1 &&
      rest.terms[0].second == 1) {
    const Atom &atom = atoms[rest.terms[0].first];
    if (atom.kind == Atom::Kind::Remainder && atom.divisor % divisor == 0) {
      IndexExpr inner = atom.expr;
      return remainder(inner, divisor);
    }
  }
  Atom atom{Atom::Kind::Remainder};
  atom.expr = rest;
  atom.divisor = divisor;
  atom.range = {0, divisor - 1};
  return term(internAtom(std::move(atom)));
}

int32_t IndexSpace::intern(const IndexVector &index) {
  auto [it, inserted] =
      indexIds.try_emplace(index, static_cast<int32_t>(indices.size()));
  if (inserted)
    indices.push_back(&it->first);
  return it->second;
}

IndexExpr IndexSpace::linearize(llvm::ArrayRef<IndexExpr> index,
                                llvm::ArrayRef<int64_t> strides) {
  IndexExpr sum;
  for (size_t i = 0; i < index.size(); ++i)
    sum = add(sum, multiply(index[i], strides[i]));
  return sum;
}

IndexVector IndexSpace::delinearize(const IndexExpr &linear,
                                    llvm::ArrayRef<int64_t> shape) {
  IndexVector index(shape.size());
  int64_t stride = 1;
  for (int i = static_cast<int>(shape.size()) - 1; i >= 0; --i) {
    if (shape[i] != 1) {
      IndexExpr e = divide(linear, stride);
      // The first dimension larger than 1 needs no remainder.
      bool first = true;
      for (int j = 0; j < i; ++j)
        first &= shape[j] == 1;
      index[i] = first ? e : remainder(e, std::max<int64_t>(shape[i], 1));
    }
    // Arrays without elements are planned for but never indexed.
    stride *= std::max<int64_t>(shape[i], 1);
  }
  return index;
}

bool IndexSpace::dependsOn(const IndexExpr &a, AtomId variable) const {
  for (auto [atomId, c] : a.terms) {
    if (atomId == variable)
      return true;
    const Atom &atom = atoms[atomId];
    if (atom.kind == Atom::Kind::Opaque) {
      for (const IndexExpr &e : interned(atom.index))
        if (dependsOn(e, variable))
          return true;
    } else if (atom.kind != Atom::Kind::Variable) {
      if (dependsOn(atom.expr, variable))
        return true;
    }
  }
  return false;
}

bool IndexSpace::dependsNonlinearlyOn(const IndexExpr &a,
                                      AtomId variable) const {
  for (auto [atomId, c] : a.terms)
    if (atomId != variable && dependsOn(term(atomId), variable))
      return true;
  return false;
}

} // namespace shardwright::cpu
