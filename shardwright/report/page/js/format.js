//===- format.js - numbers as text ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

'use strict';

// All files of the page share one namespace, SW. They are joined in the order
// of page/CMakeLists.txt.
var SW = {};

(() => {
  const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

  // Three significant digits, without an exponent and without trailing zeros.
  function digits(x) {
    const places = x >= 100 ? 0 : x >= 10 ? 1 : 2;
    return String(Number(x.toFixed(places)));
  }

  // Texts of a number, or null where the number is not known. Callers show
  // SW.NotKnown for null, never a zero.
  const known = (x) => typeof x === 'number' && Number.isFinite(x);

  // `1.5 MiB`.
  function bytes(n) {
    if (!known(n)) return null;
    const sign = n < 0 ? '\u2212' : '';
    let x = Math.abs(n), unit = 0;
    while (x >= 1023.5 && unit < UNITS.length - 1) {
      x /= 1024;
      ++unit;
    }
    return `${sign}${unit ? digits(x) : x} ${UNITS[unit]}`;
  }

  // `1.25 s`, `12.3 ms`, `4.5 µs`, `30 ns`.
  function seconds(x) {
    if (!known(x)) return null;
    const sign = x < 0 ? '\u2212' : '', a = Math.abs(x);
    if (a === 0) return '0 s';
    if (a >= 1) return `${sign}${digits(a)} s`;
    if (a >= 1e-3) return `${sign}${digits(a * 1e3)} ms`;
    if (a >= 1e-6) return `${sign}${digits(a * 1e6)} µs`;
    return `${sign}${digits(a * 1e9)} ns`;
  }

  // `1,234,567`.
  function count(n) {
    if (!known(n)) return null;
    return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  }

  // `1.23 G`, for counts of operations and elements.
  function large(n) {
    if (!known(n)) return null;
    const steps = ['', ' k', ' M', ' G', ' T', ' P', ' E'];
    let x = n, step = 0;
    while (x >= 999.5 && step < steps.length - 1) {
      x /= 1000;
      ++step;
    }
    return digits(x) + steps[step];
  }

  // `12 %`. A share that is not zero is never shown as zero.
  function percent(part, all) {
    if (!known(part) || !known(all) || all <= 0) return null;
    const p = 100 * part / all;
    if (p > 0 && p < 0.1) return '< 0.1 %';
    return `${p >= 10 ? Math.round(p) : Number(p.toFixed(1))} %`;
  }

  SW.format = {bytes, seconds, count, large, percent, known};
})();
