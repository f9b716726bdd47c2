#!/usr/bin/env python3
#===- fit_special_functions.py - fit the polynomials of chlo's functions ---===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Fits the polynomials of chlo's error and Bessel functions.

Writes shardwright/interop/chlo/special_function_tables.h. Needs mpmath. Every table is the
Chebyshev interpolant of the function at 60 digits, given as coefficients of u^0, u^1, ...
with u in [-1, 1]; the number of terms is the smallest that reaches the required error.
"""
import sys

import mpmath as mp

mp.mp.dps = 60


def chebyshev(f, a, b, n):
    nodes = [mp.cos(mp.pi * (k + mp.mpf(1) / 2) / n) for k in range(n)]
    values = [f((b - a) / 2 * x + (b + a) / 2) for x in nodes]
    return [
        mp.mpf(2) / n * sum(
            y * mp.cos(mp.pi * j * (k + mp.mpf(1) / 2) / n) for k, y in enumerate(values))
        for j in range(n)
    ]


def monomials(c):
    """Converts Chebyshev coefficients to those of powers of u."""
    t = [[mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]]
    while len(t) < len(c):
        row = [mp.mpf(0)] + [2 * v for v in t[-1]]
        for j, v in enumerate(t[-2]):
            row[j] -= v
        t.append(row)
    out = [mp.mpf(0)] * len(c)
    for i, ci in enumerate(c):
        for j, v in enumerate(t[i]):
            out[j] += (ci / 2 if i == 0 else ci) * v
    return out


def fit(f, a, b, tolerance):
    a, b = mp.mpf(a), mp.mpf(b)
    for n in range(4, 40):
        poly = monomials(chebyshev(f, a, b, n))
        worst = mp.mpf(0)
        for i in range(129):
            x = a + (b - a) * i / 128
            u = (2 * x - a - b) / (b - a)
            worst = max(worst, abs(mp.polyval(poly[::-1], u) / f(x) - 1))
        if worst < tolerance:
            return poly, worst
    raise SystemExit("no fit")


def erf_over_x(s):
    return mp.erf(mp.sqrt(s)) / mp.sqrt(s) if s > 0 else 2 / mp.sqrt(mp.pi)


ERFC_A = 3
ERFC_FIRST = mp.mpf("0.5")


def scaled_erfc(t):
    """(1 + 2x) exp(x^2) erfc(x) as a function of t = (x - A) / (x + A)."""
    x = ERFC_A * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def erf_inv_over_x(w):
    """erf_inv(x) / x as a function of w = -log(1 - x^2)."""
    if w == 0:
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    guess = mp.erfinv(x)
    return guess / x


def i1e_over_x(x):
    return mp.exp(-x) * mp.besseli(1, x) / x if x > 0 else mp.mpf(1) / 2


def i1e_times_sqrt(r):
    """sqrt(x) exp(-x) I1(x) as a function of r = 1 / x."""
    if r == 0:
        return 1 / mp.sqrt(2 * mp.pi)
    x = 1 / r
    return mp.sqrt(x) * mp.exp(-x) * mp.besseli(1, x)


def lgamma_over_t(t):
    """lgamma(2 + t) / t."""
    return mp.loggamma(2 + t) / t if t != 0 else 1 - mp.euler


DIGAMMA_ROOT = mp.findroot(mp.digamma, mp.mpf("1.4616321449683623412626595423257"))


def digamma_over_distance(x):
    """digamma(x) over the distance of x to the positive root of digamma."""
    d = x - DIGAMMA_ROOT
    return mp.digamma(x) / d if abs(d) > mp.mpf(10) ** -40 else mp.psi(1, x)


def main():
    out = []

    def table(name, about, f, a, b, tolerance):
        poly, worst = fit(f, a, b, tolerance)
        a, b = mp.mpf(a), mp.mpf(b)
        scale, offset = 2 / (b - a), -(a + b) / (b - a)
        out.append(f"// {about}; relative error {mp.nstr(worst, 2)}.")
        out.append(f"inline constexpr double k{name}[] = {{")
        for c in poly:
            out.append(f"    {float(c)!r},")
        out.append("};")
        out.append(f"inline constexpr double k{name}Scale = {float(scale)!r}, "
                   f"k{name}Offset = {float(offset)!r};")
        out.append("")
        print(name, len(poly), mp.nstr(worst, 2), file=sys.stderr)

    for bits, eps, last in (("F32", mp.mpf(1e-8), mp.mpf("10.7")),
                            ("F64", mp.mpf(4e-17), mp.mpf("27.5"))):
        table(f"Erf{bits}", "erf(x) / x over x^2 in [0, 1]", erf_over_x, 0, 1, eps)
        lo, hi = (ERFC_FIRST - ERFC_A) / (ERFC_FIRST + ERFC_A), (last - ERFC_A) / (last + ERFC_A)
        table(f"Erfc{bits}",
              f"(1 + 2x) exp(x^2) erfc(x) over (x - A) / (x + A), x in [0.5, {mp.nstr(last, 4)}]",
              scaled_erfc, lo, hi, eps)
    table("ErfInvF32Small", "erf_inv(x) / x over w = -log(1 - x^2) in [0, 5]", erf_inv_over_x,
          0, 5, mp.mpf(1e-8))
    table("ErfInvF32Large", "erf_inv(x) / x over sqrt(w), w in [5, 17]",
          lambda s: erf_inv_over_x(s * s), mp.sqrt(5), mp.sqrt(17), mp.mpf(1e-8))
    table("ErfInvF64Small", "erf_inv(x) / x over w in [0, 6.25]", erf_inv_over_x, 0, 6.25,
          mp.mpf(5e-17))
    table("ErfInvF64Middle", "erf_inv(x) / x over sqrt(w), w in [6.25, 16]",
          lambda s: erf_inv_over_x(s * s), 2.5, 4, mp.mpf(5e-17))
    table("ErfInvF64Large", "erf_inv(x) / x over sqrt(w), w in [16, 37]",
          lambda s: erf_inv_over_x(s * s), 4, mp.sqrt(37), mp.mpf(5e-17))
    table("I1eSmall", "exp(-x) I1(x) / x over x in [0, 8]", i1e_over_x, 0, 8, mp.mpf(1e-16))
    table("I1eLarge", "sqrt(x) exp(-x) I1(x) over 1 / x, x >= 8", i1e_times_sqrt, 0,
          mp.mpf(1) / 8, mp.mpf(1e-16))

    table("LgammaNear2", "lgamma(2 + t) / t over t in [-1/2, 1/2]", lgamma_over_t, -0.5, 0.5,
          mp.mpf(2e-17))
    table("DigammaNearRoot", "digamma(x) / (x - root) over x in [1, 2]", digamma_over_distance, 1,
          2, mp.mpf(2e-17))
    root = float(DIGAMMA_ROOT)
    out.append("// The positive root of digamma, in two parts.")
    out.append(f"inline constexpr double kDigammaRoot = {root!r}, "
               f"kDigammaRootLow = {float(DIGAMMA_ROOT - mp.mpf(root))!r};")
    out.append("")
    out.append("// n! for n = 0 ... 170, the last that is finite.")
    out.append("inline constexpr double kFactorials[] = {")
    out.extend(f"    {float(mp.factorial(n))!r}," for n in range(171))
    out.append("};")
    out.append("")

    print("//===- special_function_tables.h - polynomials of special functions ----*- C++ -*-===//")
    print("//")
    print("// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.")
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print("//")
    print("//===--------------------------------------------------------------------------===//")
    print("//")
    print("// Written by scripts/fit_special_functions.py. Coefficients of u^0, u^1, ... with")
    print("// u = Scale * argument + Offset in [-1, 1].")
    print("")
    print("#ifndef SHARDWRIGHT_INTEROP_CHLO_SPECIAL_FUNCTION_TABLES_H")
    print("#define SHARDWRIGHT_INTEROP_CHLO_SPECIAL_FUNCTION_TABLES_H")
    print("")
    print("namespace shardwright::chlo_expansion {")
    print("")
    print("// clang-format off")
    print(f"inline constexpr double kErfcA = {float(ERFC_A)!r};")
    print("\n".join(out))
    print("// clang-format on")
    print("} // namespace shardwright::chlo_expansion")
    print("")
    print("#endif // SHARDWRIGHT_INTEROP_CHLO_SPECIAL_FUNCTION_TABLES_H")


if __name__ == "__main__":
    main()
