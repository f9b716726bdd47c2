//===- translations.h - the translations of opcodes -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of the table in opcodes.cc. Each emits the ops of one instruction.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_TRANSLATIONS_H
#define SHARDWRIGHT_INTEROP_HLO_TRANSLATIONS_H

#include "shardwright/interop/hlo/translator.h"

namespace shardwright::hlo {

/// Declares `LogicalResult NAME(Translator &, const Instruction &)` for each.
#define SHARDWRIGHT_HLO_TRANSLATIONS(DECLARE)                                  \
  /* elementwise */                                                            \
  DECLARE(sameOp)                                                              \
  DECLARE(withAccuracy)                                                        \
  DECLARE(compare)                                                             \
  DECLARE(reducePrecision)                                                     \
  DECLARE(copy)                                                                \
  /* shapes */                                                                 \
  DECLARE(constant)                                                            \
  DECLARE(iota)                                                                \
  DECLARE(broadcast)                                                           \
  DECLARE(transpose)                                                           \
  DECLARE(reverse)                                                             \
  DECLARE(slice)                                                               \
  DECLARE(pad)                                                                 \
  DECLARE(concatenate)                                                         \
  DECLARE(dynamicSlice)                                                        \
  DECLARE(dynamicUpdateSlice)                                                  \
  DECLARE(gather)                                                              \
  DECLARE(dimensionSize)                                                       \
  DECLARE(dynamicReshape)                                                      \
  DECLARE(bitcast)                                                             \
  DECLARE(tuple)                                                               \
  DECLARE(getTupleElement)                                                     \
  /* contractions, linear algebra, random numbers */                           \
  DECLARE(dot)                                                                 \
  DECLARE(raggedDot)                                                           \
  DECLARE(convolution)                                                         \
  DECLARE(fft)                                                                 \
  DECLARE(cholesky)                                                            \
  DECLARE(triangularSolve)                                                     \
  DECLARE(batchNorm)                                                           \
  DECLARE(rng)                                                                 \
  DECLARE(rngBitGenerator)                                                     \
  DECLARE(topK)                                                                \
  /* ops with regions */                                                       \
  DECLARE(reduce)                                                              \
  DECLARE(reduceWindow)                                                        \
  DECLARE(selectAndScatter)                                                    \
  DECLARE(map)                                                                 \
  DECLARE(sort)                                                                \
  DECLARE(scatter)                                                             \
  DECLARE(scan)                                                                \
  /* control flow and calls */                                                 \
  DECLARE(whileLoop)                                                           \
  DECLARE(conditional)                                                         \
  DECLARE(call)                                                                \
  DECLARE(fusion)                                                              \
  DECLARE(customCall)                                                          \
  DECLARE(afterAll)                                                            \
  DECLARE(addDependency)                                                       \
  /* collectives */                                                            \
  DECLARE(allGather)                                                           \
  DECLARE(allReduce)                                                           \
  DECLARE(reduceScatter)                                                       \
  DECLARE(allToAll)                                                            \
  DECLARE(collectivePermute)                                                   \
  DECLARE(collectiveBroadcast)                                                 \
  /* asynchronous ops and host transfers */                                    \
  DECLARE(allGatherStart)                                                      \
  DECLARE(collectivePermuteStart)                                              \
  DECLARE(secondElement)                                                       \
  DECLARE(copyStart)                                                           \
  DECLARE(copyDone)                                                            \
  DECLARE(asyncStart)                                                          \
  DECLARE(asyncDone)                                                           \
  DECLARE(send)                                                                \
  DECLARE(sendDone)                                                            \
  DECLARE(recv)                                                                \
  DECLARE(recvDone)                                                            \
  DECLARE(infeed)                                                              \
  DECLARE(outfeed)

#define SHARDWRIGHT_HLO_DECLARE(NAME)                                          \
  llvm::LogicalResult NAME(Translator &t, const Instruction &instruction);
SHARDWRIGHT_HLO_TRANSLATIONS(SHARDWRIGHT_HLO_DECLARE)
#undef SHARDWRIGHT_HLO_DECLARE
#undef SHARDWRIGHT_HLO_TRANSLATIONS

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_TRANSLATIONS_H
