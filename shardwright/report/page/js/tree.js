//===- tree.js - the tree of scopes, ops and values ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  // Regions with fewer ops, such as the sum of a reduction, are closed at first.
  const SMALL = 3;

  // Nodes in columns; the index of a node is its name in routes. Children are in
  // program order. Kinds: 'arguments', 'function', 'scope', 'op', 'value'.
  class Tree {
    constructor(report) {
      this.report = report;
      this.kind = [];
      this.label = [];
      this.parent = [];
      this.depth = [];
      this.children = [];
      this.op = [];
      this.value = [];
      this.roots = [];
      this.nodeOfOp = new Array(report.opCount).fill(-1);
      this.nodeOfValue = new Map();
      this.addArguments();
      this.addOps();
      this.addTotals();
    }

    add(kind, label, parent, op, value) {
      const n = this.kind.length;
      this.kind.push(kind);
      this.label.push(label);
      this.parent.push(parent);
      this.depth.push(parent < 0 ? 0 : this.depth[parent] + 1);
      this.children.push(null);
      this.op.push(op);
      this.value.push(value);
      if (parent < 0) this.roots.push(n);
      else if (this.children[parent]) this.children[parent].push(n);
      else this.children[parent] = [n];
      return n;
    }

    addArguments() {
      const report = this.report;
      let root = -1;
      for (let v = 0; v < report.valueCount; ++v) {
        if (!(report.doc.values.argument && report.doc.values.argument[v] >= 0)) continue;
        if (root < 0) root = this.add('arguments', 'arguments', -1, -1, -1);
        this.nodeOfValue.set(v, this.add('value', report.valueLabel(v), root, -1, v));
      }
    }

    // Ops lie in the scopes of their names: under their function, or under the
    // op whose region holds them. A scope that is left and entered again is one
    // node, at the place of its first op.
    addOps() {
      const report = this.report, functions = new Map(), scopes = new Map();
      const pathOf = new Array(report.opCount);
      for (let o = 0; o < report.opCount; ++o) {
        const parentOp = report.doc.ops.parent ? report.doc.ops.parent[o] : -1;
        let at, skip = 0;
        const name = report.text('ops', 'name', o), path = SW.splitName(name).scopes;
        pathOf[o] = SW.scopes(name);
        if (parentOp >= 0 && parentOp < o) {
          at = this.nodeOfOp[parentOp];
          skip = commonPrefix(pathOf[parentOp], path);
        } else {
          const outer = report.text('ops', 'function', o);
          if (!functions.has(outer))
            functions.set(outer, this.add('function', outer || 'main', -1, -1, -1));
          at = functions.get(outer);
        }
        for (let i = skip; i < path.length; ++i) {
          const key = `${at}/${path[i]}`;
          let scope = scopes.get(key);
          if (scope === undefined)
            scopes.set(key, scope = this.add('scope', path[i], at, -1, -1));
          at = scope;
        }
        this.addOp(o, at);
      }
    }

    addOp(o, at) {
      const results = this.report.resultsOf(o);
      const n = this.add('op', this.report.opLabel(o), at, o, results.length === 1 ? results[0] : -1);
      this.nodeOfOp[o] = n;
      if (results.length === 1) this.nodeOfValue.set(results[0], n);
      else
        results.forEach((v, i) => {
          const label = `result ${i}`;
          this.nodeOfValue.set(v, this.add('value', label, n, o, v));
        });
    }

    // Ops and sent bytes in each node, its own and its children's.
    addTotals() {
      const count = this.kind.length, report = this.report;
      this.ops = new Array(count).fill(0);
      this.sent = new Array(count).fill(0);
      this.seconds = new Array(count).fill(0);
      for (let n = count - 1; n >= 0; --n) {
        if (this.kind[n] === 'op') {
          this.ops[n] += 1;
          this.sent[n] += report.sentBy(this.op[n]);
          // Ops with regions have the seconds of what is in them.
          if (!this.seconds[n]) this.seconds[n] = report.number('ops', 'seconds', this.op[n]) || 0;
        }
        const p = this.parent[n];
        if (p >= 0) {
          this.ops[p] += this.ops[n];
          this.sent[p] += this.sent[n];
          this.seconds[p] += this.seconds[n];
        }
      }
    }

    // The nodes that are open at first: level by level as long as at most `limit`
    // rows show, the first function before the arguments and the other functions.
    // The first function always opens, and a node that alone is in another does.
    opened(limit) {
      const open = new Set(), first = this.roots.find((n) => this.kind[n] === 'function');
      const queue = [first, ...this.roots.filter((n) => n !== first)];
      let rows = this.roots.length;
      for (let k = 0; k < queue.length; ++k) {
        const n = queue[k], children = this.children[n];
        if (n === undefined || !children || this.kind[n] === 'op' && this.ops[n] <= SMALL) continue;
        if (n !== first && children.length > 1 && rows + children.length > limit) continue;
        open.add(n);
        rows += children.length;
        for (const c of children) if (this.children[c]) queue.push(c);
      }
      return open;
    }

    // Visible nodes in order. `shown` (or null for all) limits them.
    rows(open, shown) {
      const out = [], stack = [...this.roots].reverse();
      while (stack.length) {
        const n = stack.pop();
        if (shown && !shown.has(n)) continue;
        out.push(n);
        const children = this.children[n];
        if (!children || !open.has(n)) continue;
        for (let i = children.length - 1; i >= 0; --i) stack.push(children[i]);
      }
      return out;
    }

    // The nodes that match the terms: {hits, shown}; shown has their ancestors,
    // too. An op matches with all its results; then these show under it.
    filter(terms) {
      const report = this.report, hits = new Set(), shown = new Set();
      const mark = (n) => {
        hits.add(n);
        for (let p = n; p >= 0 && !shown.has(p); p = this.parent[p]) shown.add(p);
      };
      for (let n = 0; n < this.kind.length; ++n) {
        const kind = this.kind[n];
        if (kind === 'op') {
          const o = this.op[n], values = report.resultsOf(o);
          if (!terms.every((t) => SW.search.holds(report, t, o, values))) continue;
          mark(n);
          if (values.length !== 1) for (const c of this.children[n] || []) if (this.kind[c] === 'value') shown.add(c);
        } else if (kind === 'value' && this.op[n] < 0) {
          if (terms.every((t) => SW.search.holds(report, t, -1, [this.value[n]]))) mark(n);
        }
      }
      return {hits, shown};
    }

    ancestors(n) {
      const list = [];
      for (let p = this.parent[n]; p >= 0; p = this.parent[p]) list.push(p);
      return list;
    }
  }

  function commonPrefix(a, b) {
    let n = 0;
    while (n < a.length && n < b.length && a[n] === b[n]) ++n;
    return n;
  }

  SW.Tree = Tree;
})();
