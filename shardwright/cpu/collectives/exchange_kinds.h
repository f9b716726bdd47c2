//===- exchange_kinds.h - exchanges by kind of collective -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to exchange.cc: constructors of the kinds of exchanges. Null if
// there is not enough memory.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_COLLECTIVES_EXCHANGE_KINDS_H
#define SHARDWRIGHT_CPU_COLLECTIVES_EXCHANGE_KINDS_H

#include "shardwright/cpu/collectives/exchange.h"

namespace shardwright::cpu {

template <typename Kind>
std::unique_ptr<Exchange> makeExchange(const ExchangeOperands &given) {
  auto exchange = std::make_unique<Kind>(given);
  if (!exchange->prepare())
    return nullptr;
  return exchange;
}

std::unique_ptr<Exchange> makeAllReduceExchange(const ExchangeOperands &given);
std::unique_ptr<Exchange>
makeReduceScatterExchange(const ExchangeOperands &given);
std::unique_ptr<Exchange> makeAllGatherExchange(const ExchangeOperands &given);
std::unique_ptr<Exchange> makeAllToAllExchange(const ExchangeOperands &given);
std::unique_ptr<Exchange> makeBroadcastExchange(const ExchangeOperands &given);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_COLLECTIVES_EXCHANGE_KINDS_H
