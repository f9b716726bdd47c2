//===- program.js - the view of the program as a tree ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html, to, Link, Bytes} = SW;
  const {useState, useEffect, useLayoutEffect, useMemo, useRef} = preactHooks;
  const f = SW.format;
  const ROW = 26;          // pixels of a row, as in the style
  const MARGIN = 12;       // rows that are made above and below the visible ones
  const OPENED_ROWS = 300;  // rows that are open at the start
  const PRINTED_ROWS = 400;
  const FUNCTION = /^@[^:]+:/;  // of a value's name; rows stand under their function

  const treeOf = (report) => report.tree || (report.tree = new SW.Tree(report));

  // The node that a route selects: by value, op or node; -1 if none.
  function selected(tree, params) {
    const number = (key) => /^\d+$/.test(params[key] || '') ? +params[key] : -1;
    const v = number('v'), o = number('op'), n = number('n');
    if (v >= 0) return tree.nodeOfValue.has(v) ? tree.nodeOfValue.get(v) : -1;
    if (o >= 0) return o < tree.nodeOfOp.length ? tree.nodeOfOp[o] : -1;
    return n >= 0 && n < tree.kind.length ? n : -1;
  }

  function routeOf(tree, n, q) {
    const params = {q};
    if (tree.value[n] >= 0) params.v = tree.value[n];
    else if (tree.op[n] >= 0) params.op = tree.op[n];
    else params.n = n;
    return SW.router.print('program', [], params);
  }

  function Row({tree, n, top, index, count, open, current, hit, onToggle, onSelect}) {
    const {report} = tree, kind = tree.kind[n], o = tree.op[n], v = tree.value[n];
    const children = tree.children[n], sent = tree.sent[n];
    const group = kind === 'scope' || kind === 'function' || kind === 'arguments';
    const times = kind === 'op' && children ? report.number('ops', 'times', o) : null;
    return html`<div class=${`row kind-${kind} ${current ? 'current' : ''} ${hit ? 'hit' : ''} ${v >= 0 && report.flag(v, 'removed') ? 'removed' : ''}`} role="row" id=${`node-${n}`}
        aria-level=${tree.depth[n] + 1} aria-rowindex=${index + 1} aria-selected=${current}
        aria-expanded=${children ? open : undefined} style=${{top: `${top}px`}} onClick=${() => onSelect(n)}
        onDblClick=${() => children && onToggle(n)}>
      <div class="cell name" role="gridcell" style=${{paddingLeft: `${4 + Math.min(tree.depth[n], 12) * 14}px`}}>
        ${children ? html`<button class="twist" tabindex="-1" aria-hidden="true" onClick=${(e) => { e.stopPropagation(); onToggle(n); }}>${open ? '▾' : '▸'}</button>`
                   : html`<span class="twist"></span>`}
        ${v >= 0 && kind === 'op' && html`<span class="code result" title=${report.valueName(v)}>${report.valueName(v).replace(FUNCTION, '')}</span>`}
        <span class=${`label ${kind === 'value' ? 'code' : ''}`} title=${o >= 0 ? report.text('ops', 'name', o) : tree.label[n]}>${tree.label[n]}</span>
        ${kind === 'op' && report.opName(o) !== tree.label[n] && html`<span class="muted op-name">${report.opName(o)}</span>`}
        ${kind === 'arguments' && html`<span class="muted count">${f.count(children.length)}</span>`}
        ${(kind === 'scope' || kind === 'function') && html`<span class="muted count">${f.count(tree.ops[n])} ${tree.ops[n] === 1 ? 'op' : 'ops'}</span>`}
        ${kind === 'op' && children && tree.ops[n] > 1 && html`<span class="muted count">${f.count(tree.ops[n] - 1)} ${tree.ops[n] === 2 ? 'op' : 'ops'} inside${
          times !== null && times > 1 ? `, ${f.count(times)} times` : ''}</span>`}
        ${v >= 0 && html`<${SW.Flags} report=${report} v=${v} />`}
      </div>
      <div class="cell type" role="gridcell">${v >= 0 && html`<${SW.ValueShape} report=${report} v=${v} />`}</div>
      <div class="cell local code" role="gridcell">${v >= 0 && report.text('values', 'local', v) !== report.text('values', 'type', v)
        ? report.text('values', 'local', v) : ''}</div>
      <div class="cell bytes number" role="gridcell">${v >= 0 && html`<${Bytes} n=${report.number('values', 'local_bytes', v)} />`}</div>
      <div class=${`cell sent number ${group ? 'muted' : ''}`} role="gridcell">${sent > 0 ? html`<${Bytes} n=${sent} />` : ''}</div>
      <div class="cell source code" role="gridcell">${kind === 'op' && html`<${SW.Place} report=${report} stack=${report.stackOf(o)} />`}</div>
    </div>`;
  }

  const HEADS = [['name', 'Scope, op, value'], ['type', 'Type and axes'], ['local', 'On a device'],
                 ['bytes', 'Bytes'], ['sent', 'Sent'], ['source', 'Source']];

  // Keys of the tree, as in the ARIA practices of a tree grid.
  function move(event, tree, rows, at, isOpen, toggle, page) {
    const n = rows[at];
    switch (event.key) {
    case 'ArrowDown': return at + 1;
    case 'ArrowUp': return Math.max(0, at - 1);
    case 'PageDown': return at + page;
    case 'PageUp': return Math.max(0, at - page);
    case 'Home': return 0;
    case 'End': return rows.length - 1;
    case 'ArrowRight':
      if (n !== undefined && tree.children[n]) {
        if (isOpen(n)) return at + 1;
        toggle(n);
      }
      return at;
    case 'ArrowLeft':
      if (n !== undefined && tree.children[n] && isOpen(n)) toggle(n);
      else if (n !== undefined && tree.parent[n] >= 0) return rows.indexOf(tree.parent[n]);
      return at;
    }
    return null;
  }

  function useWindow(box, printing) {
    const [state, setState] = useState({top: 0, height: 600});
    useLayoutEffect(() => {
      const element = box.current;
      if (!element) return undefined;
      const read = () => setState((old) => {
        const next = {top: element.scrollTop, height: element.clientHeight};
        return next.top === old.top && next.height === old.height ? old : next;
      });
      read();
      element.addEventListener('scroll', read, {passive: true});
      const observer = new ResizeObserver(read);
      observer.observe(element);
      return () => {
        element.removeEventListener('scroll', read);
        observer.disconnect();
      };
    }, [printing]);
    return state;
  }

  function TreeGrid({tree, rows, current, isOpen, hits, toggle, select, printing, openPage}) {
    const box = useRef(null);
    const {top, height} = useWindow(box, printing);
    const at = rows.indexOf(current);
    useLayoutEffect(() => {
      const element = box.current;
      if (at < 0 || !element) return;
      const y = at * ROW;
      const room = element.clientHeight - ROW;  // the head covers one row
      if (y < element.scrollTop) element.scrollTop = y;
      else if (y + ROW > element.scrollTop + room) {
        // Rows that come from afar stand in the middle.
        const far = y > element.scrollTop + 2 * room;
        element.scrollTop = far ? y - room / 2 : y + ROW - room;
      }
    }, [current, rows]);
    const keys = (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === 'Enter' && current >= 0) {
        openPage(current);
        event.preventDefault();
        return;
      }
      const next = move(event, tree, rows, at, isOpen, toggle, Math.max(1, Math.floor(height / ROW) - 1));
      if (next === null) return;
      event.preventDefault();
      const target = rows[Math.min(next, rows.length - 1)];
      if (target !== undefined && target !== current) select(target);
    };
    const first = printing ? 0 : Math.max(0, Math.floor(top / ROW) - MARGIN);
    const last = printing ? Math.min(rows.length, PRINTED_ROWS) : Math.min(rows.length, Math.ceil((top + height) / ROW) + MARGIN);
    const visible = rows.slice(first, last);
    return html`<div class="tree-frame" role="treegrid" aria-label="Program" aria-rowcount=${rows.length} aria-multiselectable="false"
        tabindex="0" id="tree" onKeyDown=${keys} aria-activedescendant=${at >= first && at < last ? `node-${current}` : undefined}>
      <div class="tree-rows" ref=${box}><div class="row head" role="row">${HEADS.map(([name, text]) => html`<div class=${`cell ${name}`} role="columnheader">${text}</div>`)}</div>
        <div role="rowgroup" class="tree-space" style=${{height: `${(printing ? last : rows.length) * ROW}px`}}>
        ${visible.map((n, i) => html`<${Row} key=${n} tree=${tree} n=${n} index=${first + i} top=${(first + i) * ROW} count=${rows.length}
          open=${isOpen(n)} current=${n === current} hit=${hits !== null && hits.has(n)} onToggle=${toggle} onSelect=${select} />`)}
      </div></div>
      ${printing && rows.length > last && html`<p class="note">${f.count(rows.length - last)} more rows are not printed: search for fewer.</p>`}
    </div>`;
  }

  const IS_FILTERS = [['is:replicated', 'replicated'], ['is:conflicted', 'conflict'], ['is:annotated', 'annotated'], ['is:sending', 'sends']];
  const SIZES = ['', '>=1KiB', '>=1MiB', '>=100MiB', '>=1GiB'];

  function filesOf(report) {
    if (report.files) return report.files;
    const files = new Set();
    for (let stack = 0; stack < report.doc.stacks.length; ++stack) {
      const frame = report.userFrame(stack);
      if (frame && frame.file) files.add(frame.file);
    }
    return report.files = [...files].sort();
  }

  function Filters({report, q, setQuery}) {
    const has = SW.search.words(q);
    const choose = (key, choices, label, text) => html`<label class="choose">${label}
      <select value=${SW.search.valueOfKey(q, key)} onChange=${(e) => setQuery(SW.search.replace(q, key, e.target.value))}>
        ${choices.map((c) => html`<option value=${c}>${c ? text(c) : 'any'}</option>`)}</select></label>`;
    const own = (key, choices) => {  // a value that was typed is a choice, too
      const typed = SW.search.valueOfKey(q, key);
      return typed && !choices.includes(typed) ? [...choices, typed] : choices;
    };
    return html`<div class="filters" role="group" aria-label="Filters">
      ${IS_FILTERS.map(([word, text]) => html`<button class="chip" aria-pressed=${has.includes(word)}
        onClick=${() => setQuery(SW.search.toggle(q, word))}>${text}</button>`)}
      ${choose('axis', own('axis', ['', ...report.axes.map((a) => a.name)]), 'axis', (a) => a)}
      ${choose('size', own('size', SIZES), 'size', (s) => s.replace('>=', '≥ ').replace(/(\d)([A-Z])/, '$1 $2'))}
      ${choose('file', own('file', ['', ...filesOf(report)]), 'file', (name) => name.slice(name.lastIndexOf('/') + 1))}
    </div>`;
  }

  // What is selected, beside the tree.
  function Details({tree, n}) {
    const {report} = tree;
    if (n < 0)
      return html`<div class="empty-state"><p>Select a row to see its sharding and why it has it.</p>
        <p class="muted">Keys: <kbd>↑</kbd> <kbd>↓</kbd> move, <kbd>→</kbd> <kbd>←</kbd> open and close, <kbd>Enter</kbd> all reasons.</p></div>`;
    const o = tree.op[n], v = tree.value[n];
    if (v >= 0) return html`<${SW.ValueDetails} report=${report} v=${v} compact />`;
    if (o >= 0) return html`<${SW.OpDetails} report=${report} o=${o} />`;
    return html`<div><h3>${tree.label[n]}</h3><dl class="facts"><dt>Kind</dt><dd>${tree.kind[n]}</dd>
      ${tree.kind[n] !== 'arguments' && html`<dt>Ops</dt><dd>${f.count(tree.ops[n])}</dd>
      <dt>Sent</dt><dd><${Bytes} n=${tree.sent[n]} /> by each device</dd>
      ${tree.seconds[n] > 0 && html`<dt>Predicted</dt><dd>${f.seconds(tree.seconds[n])} of computing</dd>`}`}
      ${tree.kind[n] === 'arguments' && html`<dt>Arguments</dt><dd>${f.count(tree.children[n].length)}</dd>`}</dl></div>`;
  }

  function Program({report, route, printing}) {
    const tree = treeOf(report), q = route.params.q || '';
    const current = selected(tree, route.params);
    const [open, setOpen] = useState(() => tree.opened(OPENED_ROWS));
    const [closed, setClosed] = useState(new Set());  // of the nodes that a search opens
    const {terms, problem} = useMemo(() => SW.search.parse(q, report), [q]);
    const found = useMemo(() => terms.length ? tree.filter(terms) : null, [terms]);
    useEffect(() => setClosed(new Set()), [found]);
    // A selected row is visible: its ancestors open.
    const opened = useMemo(() => {
      const hidden = current >= 0 ? tree.ancestors(current).filter((n) => !open.has(n)) : [];
      return hidden.length && !(found && !found.shown.has(current)) ? new Set([...open, ...hidden]) : open;
    }, [open, current]);
    const isOpen = (n) => found ? !closed.has(n) && (tree.children[n] || []).some((c) => found.shown.has(c)) : opened.has(n);
    const rows = useMemo(() => found ? tree.rows({has: isOpen}, found.shown) : tree.rows(opened, null), [opened, found, closed]);
    const toggled = (set, n) => {
      const next = new Set(set);
      if (!next.delete(n)) next.add(n);
      return next;
    };
    const select = (n) => SW.router.go(routeOf(tree, n, q), {replace: true});
    const toggle = (n) => {
      if (found) setClosed((old) => toggled(old, n));
      else {
        if (isOpen(n) && tree.ancestors(current).includes(n)) select(n);
        setOpen(toggled(opened, n));
      }
    };
    const setQuery = (query) => SW.router.go(SW.router.print('program', [], Object.assign({}, route.params, {q: query})), {replace: true});
    const openPage = (n) => tree.value[n] >= 0 ? SW.router.go(to.value(tree.value[n])) : tree.children[n] && toggle(n);
    const matches = found ? found.hits.size : 0;
    return html`<div class="program"><div class="program-bar"><${Filters} report=${report} q=${q} setQuery=${setQuery} />
        <p class="matches" role="status">${problem ? html`<span class="problem">${problem}</span>` : found
          ? html`${f.count(matches)} ${matches === 1 ? 'row matches' : 'rows match'} <button class="plain" onClick=${() => setQuery('')}>Clear</button>`
          : `${f.count(report.opCount)} ${report.opCount === 1 ? 'op' : 'ops'}`}</p></div>
      <div class="split-view"><div class="tree-pane">${rows.length
          ? html`<${TreeGrid} tree=${tree} rows=${rows} current=${current} isOpen=${isOpen} hits=${found && found.hits} toggle=${toggle}
              select=${select} printing=${printing} openPage=${openPage} />`
          : html`<div class="empty-state">${found ? html`<p>Nothing matches <q>${q}</q>.</p>
              <p><button onClick=${() => setQuery('')}>Clear the search</button></p>` : html`<p>The program is empty: it has no ops and no arguments.</p>`}</div>`}</div>
        ${tree.kind.length > 0 && html`<aside class="details" aria-label="Selection"><${Details} tree=${tree} n=${current} /></aside>`}</div></div>`;
  }

  SW.Program = Program;
  SW.treeOf = treeOf;
})();
