//===- effects.h - what an observer sees of a program -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_EFFECTS_H
#define SHARDWRIGHT_FRONTEND_TRACE_EFFECTS_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardwright::frontend {

/// What an equation does beside computing its results. Equations with an effect
/// are not removed, and those with the same ordered effect happen in the order
/// of the program, also from one program to the next. JAX: jax.core.Effect.
/// State: it reads or writes references of its operands, or signals or waits
/// for semaphores; equations with it stay in the order of the program without
/// tokens.
enum class Effect : uint8_t { Debug, OrderedDebug, IO, OrderedIO, Ffi, State };

/// Those of a program that runs, in the order of its tokens.
constexpr std::array<Effect, 5> kEffects = {Effect::Debug, Effect::OrderedDebug,
                                            Effect::IO, Effect::OrderedIO,
                                            Effect::Ffi};

constexpr bool isOrdered(Effect effect) {
  return effect == Effect::OrderedDebug || effect == Effect::OrderedIO;
}
constexpr std::string_view str(Effect effect) {
  constexpr std::string_view names[] = {"Debug",     "OrderedDebug", "IO",
                                        "OrderedIO", "FfiEffect()",  "State"};
  return names[static_cast<int>(effect)];
}

/// A set of effects.
class EffectSet {
public:
  EffectSet() = default;
  EffectSet(Effect effect) { add(effect); }
  void add(Effect effect) { bits |= bitOf(effect); }
  void add(EffectSet more) { bits |= more.bits; }
  bool has(Effect effect) const { return bits & bitOf(effect); }
  bool empty() const { return bits == 0; }
  std::vector<Effect> list() const {
    std::vector<Effect> out;
    for (Effect effect : kEffects)
      if (has(effect))
        out.push_back(effect);
    return out;
  }
  /// Those that order equations.
  EffectSet ordered() const {
    EffectSet out;
    for (Effect effect : kEffects)
      if (has(effect) && isOrdered(effect))
        out.add(effect);
    return out;
  }
  /// `{Debug, OrderedIO}`.
  std::string str() const {
    std::string out = "{";
    for (Effect effect : list()) {
      out += out.size() > 1 ? ", " : "";
      out += frontend::str(effect);
    }
    return out + "}";
  }
  friend bool operator==(EffectSet, EffectSet) = default;

private:
  static constexpr uint8_t bitOf(Effect effect) {
    return static_cast<uint8_t>(1u << static_cast<int>(effect));
  }
  uint8_t bits = 0;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_EFFECTS_H
