//===- diff.js - the view of the differences to a second program ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html, Table} = SW;
  const f = SW.format;

  const title = (key) => key.replace(/_/g, ' ').replace(/^./, (c) => c.toUpperCase());
  const isObject = (x) => x !== null && typeof x === 'object' && !Array.isArray(x);

  // A scalar of the object; keys say what the number is.
  function Scalar({report, name, value}) {
    if (value === null || value === undefined) return html`<${SW.NotKnown} />`;
    if (typeof value === 'number') {
      const text = /bytes|peak|memory|sent/.test(name) ? f.bytes(value) : /seconds|time/.test(name) ? f.seconds(value)
          : Number.isInteger(value) ? f.count(value) : String(Number(value.toPrecision(4)));
      return html`<span class="number">${text}</span>`;
    }
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    return html`<${SW.Rich} report=${report} text=${String(value)} />`;
  }

  // Lists of objects are tables, objects are lists of facts.
  function Any({report, name, value}) {
    if (Array.isArray(value)) {
      if (!value.length) return html`<p class="empty">No difference.</p>`;
      if (!value.every(isObject)) return html`<ul class="plain-list">${value.map((x) => html`<li><${Any} report=${report} name=${name} value=${x} /></li>`)}</ul>`;
      const keys = [...new Set(value.flatMap(Object.keys))];
      return html`<${SW.More} rows=${value} first=${50} noun="rows" render=${(rows) => html`<${Table} rows=${rows} columns=${keys.map((key) => ({
        head: title(key), class: 'wrap', number: value.every((row) => typeof row[key] === 'number' || row[key] === null || row[key] === undefined),
        cell: (row) => row[key] === undefined ? '' : html`<${Any} report=${report} name=${key} value=${row[key]} />`}))} />`} />`;
    }
    if (isObject(value)) return html`<${SW.Facts} rows=${Object.entries(value).map(([key, x]) => [title(key), html`<${Any} report=${report} name=${isNaN(key) ? `${name} ${key}` : name} value=${x} />`])} />`;
    return html`<${Scalar} report=${report} name=${name} value=${value} />`;
  }

  function Diff({report}) {
    const diff = report.doc.diff;
    if (!diff) return html`<div class="page"><div class="empty-state"><p>There is no second program: give --against.</p></div></div>`;
    return html`<div class="page diff">${Object.entries(diff).filter(([key]) => key !== 'format' && key !== 'version').map(([key, value]) => html`<section>
      <h3>${title(key)}</h3><${Any} report=${report} name=${key} value=${value} /></section>`)}</div>`;
  }

  SW.Diff = Diff;
})();
