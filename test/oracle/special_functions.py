#===- special_functions.py - exact values of CHLO's functions --------------===//
#
# Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""CHLO's functions and StableHLO's complex ones in mpmath, and our accuracy: one table, which
docs/special-functions.md prints and chlo_expansion.py checks."""

import mpmath as mp

INF, NAN = mp.inf, mp.nan


def within(function, low, high):
    return lambda x: function(x) if low <= x <= high else NAN


def infinite_at_one(function):
    return within(lambda x: INF * x if abs(x) == 1 else function(x), -1, 1)


def is_pole(x):
    return x <= 0 and x == mp.floor(x)


def lgamma(x):
    return INF if mp.isinf(x) or is_pole(x) else mp.re(mp.loggamma(x))


def digamma(x):
    return NAN if x == -INF or is_pole(x) else mp.digamma(x)


def bessel_i1e(x):
    if mp.isinf(x):
        return mp.mpf(0)
    a = abs(x)
    if a < 60:
        value = mp.exp(-a) * mp.besseli(1, a)
    else:  # the asymptotic series, whose error is e^-2a
        term = total = mp.mpf(1)
        for k in range(1, 60):
            term *= -(4 - (2 * k - 1) ** 2) / (8 * a * k)
            total += term
        value = total / mp.sqrt(2 * mp.pi * a)
    return mp.sign(x) * value


def erfc(x):
    return mp.mpf(0) if x > 1000 else mp.erfc(x)


def tan(x):
    return NAN if mp.isinf(x) else mp.tan(x)


def sinh(x):
    return x * INF if abs(x) > 1e6 else mp.sinh(x)


def cosh(x):
    return INF if abs(x) > 1e6 else mp.cosh(x)


def zeta(x, q):
    if x > 1 and q <= 0 and q == mp.floor(q):  # a pole, at which both one-sided limits agree for even x
        return INF if x % 2 == 0 else NAN
    if x == 1:
        return INF
    if x < 1 or (q < 0 and x != mp.floor(x)):
        return NAN
    if q < 0:
        steps = int(mp.floor(-q)) + 1
        return mp.fsum((q + k) ** -x for k in range(steps)) + zeta(x, q + steps)
    if mp.isinf(q):
        return mp.mpf(0)
    # Euler-Maclaurin, far enough out for 40 digits.
    n = 30 + int(min(x, 300))
    a = q + n
    total = mp.fsum((q + k) ** -x for k in range(n))
    total += a ** (1 - x) / (x - 1) + a**-x / 2
    rising, power = x, a ** (-x - 1)
    for k in range(1, 25):
        total += mp.bernoulli(2 * k) / mp.factorial(2 * k) * rising * power
        rising *= (x + 2 * k - 1) * (x + 2 * k)
        power /= a * a
    return total


def polygamma(n, x):
    if n < 0 or n != mp.floor(n):
        return NAN
    if n == 0:
        return digamma(x)
    if mp.isinf(x) and x > 0:
        return mp.mpf(0)
    value = zeta(n + 1, x)
    return (-1) ** (int(n) + 1) * (value if mp.isinf(value) else mp.factorial(n) * value)


def reflected_digamma(x):
    """Returns the term that cancels at the zeros of digamma between the negative integers."""
    return max(1, digamma(abs(x))) if x < 0 and not is_pole(x) else 0


def largest_terms(x, q):
    """For q < 0 the terms on both sides of zero cancel."""
    distance = abs(q - mp.nint(q))
    return distance**-x if q < 0 and distance and x > 0 else 0


def largest_terms_of_polygamma(n, x):
    if n < 1:
        return reflected_digamma(x)
    return mp.factorial(n) * largest_terms(n + 1, x)


def reflected_lgamma(x):
    """Returns the term that cancels at the zeros of lgamma between the negative integers."""
    return max(1, lgamma(abs(x))) if x < 0 and not is_pole(x) else 0


# Name -> exact function, ulp of f32, ulp of f64, and for f64 a magnitude: near a zero with
# cancellation, errors are relative to at least this magnitude.
UNARY = {
    "acos": (within(mp.acos, -1, 1), 4, 4, None),
    "acosh": (within(mp.acosh, 1, INF), 4, 4, None),
    "asin": (within(mp.asin, -1, 1), 4, 4, None),
    "asinh": (mp.asinh, 4, 4, None),
    "atan": (mp.atan, 4, 4, None),
    "atanh": (infinite_at_one(mp.atanh), 4, 4, None),
    "bessel_i1e": (bessel_i1e, 1, 8, None),
    "cosh": (cosh, 4, 4, None),
    "digamma": (digamma, 1, 8, reflected_digamma),
    "erf": (mp.erf, 4, 4, None),
    "erf_inv": (infinite_at_one(mp.erfinv), 4, 4, None),
    "erfc": (erfc, 4, 6, None),
    "lgamma": (lgamma, 1, 6, reflected_lgamma),
    "sinh": (sinh, 4, 4, None),
    "square": (lambda x: x * x, 1, 1, None),
    "tan": (tan, 4, 4, None),
}

BINARY = {
    "polygamma": (polygamma, 1, 8, largest_terms_of_polygamma),
    "zeta": (zeta, 1, 6, largest_terms),
}


def log1p(z):
    return mp.log(1 + z)


def logistic(z):
    return 1 / (1 + mp.exp(-z))


def sign(z):
    return z / abs(z) if z != 0 else z


# Name -> exact function, ulp for complex<f32> and complex<f64>; of each part, or (when True)
# of the magnitude of the result, because one part may cancel.
COMPLEX = {
    "chlo.acos": (mp.acos, 2, 6, False),
    "chlo.acosh": (mp.acosh, 2, 6, False),
    "chlo.asin": (mp.asin, 2, 6, False),
    "chlo.asinh": (mp.asinh, 2, 6, False),
    "chlo.atan": (mp.atan, 2, 6, False),
    "chlo.atanh": (mp.atanh, 2, 6, False),
    "chlo.cosh": (mp.cosh, 2, 6, False),
    "chlo.sinh": (mp.sinh, 2, 6, False),
    "chlo.square": (lambda z: z * z, 1, 3, False),
    "chlo.tan": (mp.tan, 2, 8, False),
    "stablehlo.cbrt": (mp.cbrt, 2, 8, True),
    "stablehlo.cosine": (mp.cos, 2, 6, False),
    "stablehlo.exponential": (mp.exp, 2, 8, False),
    "stablehlo.exponential_minus_one": (mp.expm1, 2, 6, True),
    "stablehlo.log": (mp.log, 2, 6, False),
    "stablehlo.log_plus_one": (log1p, 2, 6, False),
    "stablehlo.logistic": (logistic, 2, 10, True),
    "stablehlo.rsqrt": (lambda z: 1 / mp.sqrt(z), 2, 6, False),
    "stablehlo.sign": (sign, 2, 4, False),
    "stablehlo.sine": (mp.sin, 2, 6, False),
    "stablehlo.sqrt": (mp.sqrt, 2, 4, False),
    "stablehlo.tanh": (mp.tanh, 2, 8, False),
}
COMPLEX_BINARY = {
    "stablehlo.divide": (lambda z, w: z / w, 2, 6, True),
    "stablehlo.power": (lambda z, w: mp.exp(w * mp.log(z)), 2, 4, True),
}


def condition(name, *operands):
    """Returns the factor by which a relative error of the operands grows; the bound is multiplied by
    it."""
    if name != "stablehlo.power":
        return 1
    z, w = operands
    return 1 + float(abs(w * mp.log(z)))
