//===- search.js - the language of the search field ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const IS = {
    replicated: 'replicated', conflicted: 'conflicted', annotated: 'annotated',
    removed: 'removed', gathered: 'gathered', result: 'result',
  };
  const UNITS = {'': 1, b: 1, k: 1 << 10, kib: 1 << 10, kb: 1e3, m: 1 << 20, mib: 1 << 20,
                 mb: 1e6, g: 2 ** 30, gib: 2 ** 30, gb: 1e9, t: 2 ** 40, tib: 2 ** 40, tb: 1e12};

  // Words of a query; quotes join words: `file:"my model.py"`.
  function words(query) {
    return [...query.matchAll(/(?:[^\s"]+|"[^"]*"?)+/g)].map((m) => m[0].replace(/"/g, ''));
  }

  function size(text) {
    const m = /^(>=|<=|>|<|=)?(\d+(?:\.\d+)?)([a-z]*)$/i.exec(text);
    const unit = m && UNITS[m[3].toLowerCase()];
    return unit ? {op: m[1] || '>=', bytes: Number(m[2]) * unit} : null;
  }

  const KEYS = ['is', 'axis', 'size', 'file', 'op', 'type', 'value', 'scope'];

  // Returns {terms, problem}: terms are [key, text]; the key '' is plain text.
  // `problem` says what cannot be understood, and what would be.
  function parse(query, report) {
    const terms = [];
    let problem = '';
    for (const word of words(query)) {
      const m = /^([a-z]+):(.*)$/.exec(word);
      const key = m && KEYS.includes(m[1]) ? m[1] : '';
      const text = key ? m[2] : word;
      if (key && !text) continue;
      if (key === 'is' && !IS[text] && text !== 'sending')
        problem = `is:${text} is no filter: use ${[...Object.keys(IS), 'sending'].join(', ')}`;
      else if (key === 'size' && !size(text))
        problem = `size:${text} is no size: write size:>1MiB`;
      else if (key === 'axis' && !report.axisByName.has(text))
        problem = `the mesh has no axis ${text}: it has ${report.axes.map((a) => a.name).join(', ') || 'none'}`;
      else terms.push([key, key === 'size' ? size(text) : text.toLowerCase(), text]);
    }
    return {terms, problem};
  }

  // Lower-case texts of ops, made at the first search and kept in the report.
  function opText(report, o) {
    const texts = report.searchTexts || (report.searchTexts = new Array(report.opCount));
    if (texts[o] === undefined) {
      const parts = [report.text('ops', 'op', o), report.text('ops', 'name', o),
                     report.place(report.stackOf(o))];
      for (const v of report.resultsOf(o)) parts.push(valueText(report, v));
      texts[o] = parts.join('\n').toLowerCase();
    }
    return texts[o];
  }
  const valueText = (report, v) => [
    report.valueName(v), report.text('values', 'source', v), report.text('values', 'type', v),
    report.text('values', 'sharding', v)].join('\n').toLowerCase();

  function compare(bytes, {op, bytes: limit}) {
    if (op === '>') return bytes > limit;
    if (op === '<') return bytes < limit;
    if (op === '<=') return bytes <= limit;
    if (op === '=') return bytes === limit;
    return bytes >= limit;
  }

  function usesAxis(report, v, name) {
    const sharding = report.sharding(v);
    return sharding !== null &&
        (sharding.dims.some((d) => d.axes.some((a) => a.name === name)) ||
         sharding.unreduced.some((a) => a.name === name));
  }

  // True if the term holds for the op `o` with the values `values`. An argument
  // has no op: o is -1.
  function holds(report, [key, text, exact], o, values) {
    const any = (test) => values.some(test);
    switch (key) {
    case 'is':
      return text === 'sending' ? o >= 0 && report.collectivesOfOp.has(o)
                                : any((v) => report.flag(v, text));
    case 'axis':
      return any((v) => usesAxis(report, v, exact));
    case 'size':
      return any((v) => compare(report.number('values', 'bytes', v) || 0, text));
    case 'file':
      return o >= 0 && report.place(report.stackOf(o)).toLowerCase().includes(text);
    case 'op':
      return o >= 0 && report.text('ops', 'op', o).toLowerCase().includes(text);
    case 'scope':
      return o >= 0 && report.text('ops', 'name', o).toLowerCase().includes(text);
    case 'type':
      return any((v) => report.text('values', 'type', v).toLowerCase().includes(text));
    case 'value':
      return any((v) => valueText(report, v).includes(text));
    default:
      return o >= 0 ? opText(report, o).includes(text)
                    : any((v) => valueText(report, v).includes(text));
    }
  }

  // Sets or removes a word of the query: toggle(q, 'is:replicated').
  function toggle(query, word) {
    const all = words(query);
    const rest = all.filter((w) => w !== word);
    return quoted(rest.length < all.length ? rest : [...all, word]);
  }
  // Replaces the words with `key:`; an empty text removes them.
  function replace(query, key, text) {
    const rest = words(query).filter((w) => !w.startsWith(`${key}:`));
    return quoted(text ? [...rest, `${key}:${text}`] : rest);
  }
  const quoted = (list) => list.map((w) => /\s/.test(w) ? `"${w}"` : w).join(' ');
  const valueOfKey = (query, key) => {
    const word = words(query).find((w) => w.startsWith(`${key}:`));
    return word ? word.slice(key.length + 1) : '';
  };

  SW.search = {parse, holds, toggle, replace, words, valueOfKey};
})();
