//===- help.js - the keys, and the meaning of the marks ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html} = SW;
  const {useEffect, useRef} = preactHooks;

  const KEYS = [
    ['/', 'search'], ['1 … 7', 'views'], ['?', 'this help'], ['Esc', 'close, or leave the search'],
    ['↑ ↓', 'rows of the program'], ['→ ←', 'open and close a row, or go to its parent'],
    ['Home End PgUp PgDn', 'move far'], ['Enter', 'all reasons of a row'],
    ['+ − 0', 'zoom the timeline'], ['t', 'light or dark'],
  ];
  const SEARCHES = [
    ['attention', 'texts of ops, scopes, values, types, shardings, places'],
    ['is:replicated', 'also is:conflicted, is:annotated, is:gathered, is:result, is:removed, is:sending'],
    ['axis:model', 'values that are sharded along an axis'], ['size:>1MiB', 'values by their size on all devices'],
    ['file:model.py', 'also op:, scope:, type:, value:'],
  ];

  // A dialog that keeps the focus in itself, by the browser's `dialog`.
  function Help({report, close}) {
    const dialog = useRef(null);
    useEffect(() => {
      const element = dialog.current;
      if (element.showModal && !element.open) element.showModal();
      return () => element.close && element.open && element.close();
    }, []);
    return html`<dialog ref=${dialog} class="help" aria-labelledby="help-title" onClose=${close}
        onClick=${(e) => e.target === dialog.current && close()}><div class="help-body">
      <header><h2 id="help-title">Help</h2><button onClick=${close} aria-label="Close">×</button></header>
      <div class="help-columns"><section><h3>Keys</h3><dl>${KEYS.map(([key, text]) => html`<dt>${key.split(' ').map((k) =>
        k === '…' ? ' to ' : html`<kbd>${k}</kbd> `)}</dt><dd>${text}</dd>`)}</dl></section>
      <section><h3>Search</h3><dl>${SEARCHES.map(([word, text]) => html`<dt><code>${word}</code></dt><dd>${text}</dd>`)}</dl>
        <p class="note">Words that are joined by quotes count as one. All words must match.</p></section>
      <section><h3>Marks</h3><dl>${Object.entries(SW.FLAG_TEXTS).map(([name, [text, meaning]]) => html`<dt><span class=${`flag flag-${name}`}>${text}</span></dt><dd>${meaning}</dd>`)}
        ${report.axes.slice(0, 1).map((axis) => html`<dt class="code"><span class="shape"><span class="dim">8<${SW.AxisTag} report=${report} axis=${{name: axis.name}} /></span></span></dt>
          <dd>A dimension of size 8 that is sharded along ${axis.name}. Each axis has a letter and a colour.</dd>`)}
        <dt class="code">Σ</dt><dd>Partial sums: the sum over these axes' devices is the value.</dd></dl></section></div>
      <p class="note">Made by ${report.doc.made_by || 'Shardwright'}. The address of the page has the view, the selection and the search: it can be shared.</p></div></dialog>`;
  }

  SW.Help = Help;
})();
