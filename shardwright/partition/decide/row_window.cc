//===- row_window.cc - rows that a result shard reads ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/decide/row_window.h"

#include "shardwright/mesh/uneven.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <tuple>
#include <vector>

using namespace shardwright;

std::optional<RowWindow> WindowMap::ofShards(int64_t shards) const {
  int64_t outRows = shardSize(outSize, shards);
  RowWindow window;
  if (reversed) {
    window.scale = -outRows;
    window.offset = low + 1 - outRows;
    window.width = outRows;
    return window;
  }
  if (wraps) {
    window.scale = window.width = outRows;
    window.offset = -low;
    window.wraps = true;
    return window;
  }
  if (outRows * stride % dilation != 0)
    return std::nullopt;
  int64_t covered = (outRows - 1) * stride + extent;
  window.scale = outRows * stride / dilation;
  window.offset = llvm::divideCeilSigned(-low, dilation);
  window.lead = window.offset * dilation + low;
  window.width = llvm::divideCeilSigned(covered - window.lead, dilation);
  if (window.width <= 0)
    return std::nullopt;
  window.trail = covered - (window.lead + (window.width - 1) * dilation + 1);
  return window;
}

/// Calls `fn` for each run of rows in one shard's window, in order, including
/// rows of the shard itself.
template <typename Fn>
static void forPieces(const RowWindow &window, int64_t size, int64_t shards,
                      int64_t shard, Fn fn) {
  int64_t part = shardSize(size, shards), start = window.start(shard);
  if (window.wraps) {
    int64_t left = std::min(window.width, size - window.scale * shard), at = 0;
    while (at < left) {
      int64_t row = (start + at) % size, source = row / part;
      int64_t stop = std::min({(source + 1) * part, size, row + left - at});
      fn(RowPiece{source, row - source * part, at, stop - row});
      at += stop - row;
    }
    return;
  }
  int64_t begin = std::max<int64_t>(start, 0);
  int64_t end = std::min(start + window.width, size);
  while (begin < end) {
    int64_t source = begin / part;
    int64_t stop = std::min((source + 1) * part, end);
    fn(RowPiece{source, begin - source * part, begin - start, stop - begin});
    begin = stop;
  }
}

double shardwright::rowsReceived(const RowWindow &window, int64_t size,
                                 int64_t shards) {
  // A sample is enough: all shards but the outer ones have equal windows.
  constexpr int64_t kSample = 64;
  int64_t step = std::max<int64_t>(shards / kSample, 1), counted = 0;
  double rows = 0;
  for (int64_t k = 0; k < shards; k += step, ++counted)
    forPieces(window, size, shards, k, [&](RowPiece piece) {
      rows += piece.source == k ? 0 : double(piece.rows);
    });
  return rows / double(counted);
}

ExchangePlan shardwright::planExchange(const RowWindow &window, int64_t size,
                                       int64_t shards) {
  int64_t part = shardSize(size, shards);
  struct Travel {
    int64_t receiver;
    RowPiece piece;
  };
  ExchangePlan plan;
  plan.own.pieces.resize(shards);
  llvm::SmallVector<Travel> travels;
  // Each sender of a shard needs an exchange of its own; two exchanges, from
  // the left and the right neighbour, are always accepted.
  size_t mostKinds = 2;
  for (int64_t k = 0; k < shards; ++k) {
    int64_t inside = 0;
    size_t before = travels.size();
    forPieces(window, size, shards, k, [&](RowPiece piece) {
      inside += piece.rows;
      if (piece.source == k) {
        plan.own.pieces[k] = piece;
        plan.own.rows = std::max(plan.own.rows, piece.rows);
      } else {
        travels.push_back({k, piece});
      }
    });
    plan.leavesRows |= inside < window.width;
    mostKinds = std::max(mostKinds, travels.size() - before);
  }

  // Group runs with equal offsets at both ends, so that all devices cut and
  // join at fixed places. If that gives too many groups, group any runs that do
  // not overlap at the sender or the receiver.
  auto group = [&](auto mayJoin) {
    plan.exchanges.clear();
    std::vector<std::vector<bool>> sends;
    std::vector<RowPiece> first;
    for (const Travel &travel : travels) {
      size_t e = 0;
      while (e < plan.exchanges.size() &&
             (plan.exchanges[e].pieces[travel.receiver].source >= 0 ||
              sends[e][travel.piece.source] ||
              !mayJoin(first[e], travel.piece)))
        ++e;
      if (e == plan.exchanges.size()) {
        plan.exchanges.emplace_back().pieces.resize(shards);
        sends.emplace_back(shards, false);
        first.push_back(travel.piece);
      }
      RowExchange &exchange = plan.exchanges[e];
      exchange.pieces[travel.receiver] = travel.piece;
      exchange.rows = std::max(exchange.rows, travel.piece.rows);
      sends[e][travel.piece.source] = true;
      if (plan.exchanges.size() > mostKinds)
        return false;
    }
    return true;
  };
  auto alike = [](const RowPiece &a, const RowPiece &b) {
    return a.from == b.from && a.to == b.to && a.rows == b.rows;
  };
  // Longest first: shorter runs then do not lengthen an exchange. With
  // wrap-around at an uneven end, runs must not be lengthened.
  if (window.wraps && size % part != 0) {
    mostKinds = travels.size();
    group(alike);
  } else if (!group(alike)) {
    llvm::sort(travels, [](const Travel &a, const Travel &b) {
      return std::tuple(-a.piece.rows, a.receiver, a.piece.source) <
             std::tuple(-b.piece.rows, b.receiver, b.piece.source);
    });
    mostKinds = travels.size();
    group([](const RowPiece &, const RowPiece &) { return true; });
  }
  // All runs of an exchange get the length of the longest: a run that would
  // exceed its shard starts earlier.
  auto settle = [&](RowExchange &exchange) {
    for (RowPiece &piece : exchange.pieces) {
      if (piece.source < 0)
        continue;
      int64_t early = std::max<int64_t>(piece.from + exchange.rows - part, 0);
      piece.from -= early;
      piece.to -= early;
      piece.rows = exchange.rows;
    }
  };
  settle(plan.own);
  for (RowExchange &exchange : plan.exchanges)
    settle(exchange);
  return plan;
}
