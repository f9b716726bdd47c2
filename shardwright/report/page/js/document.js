//===- document.js - the report document, with lookups ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const FLAGS = {replicated: 1, conflicted: 2, removed: 4, annotated: 8, gathered: 16, result: 32};
  const LARGE = 1 << 20;  // bytes from which on a replicated value is marked in lists

  // Splits JAX's op name at the slashes that are not in parentheses:
  // `jit(f)/transpose(jvp(a/b))/dot_general`.
  function scopes(name) {
    const parts = [];
    let depth = 0, start = 0;
    for (let i = 0; i < name.length; ++i) {
      const c = name.charCodeAt(i);
      if (c === 40) ++depth;
      else if (c === 41) --depth;
      else if (c === 47 && depth <= 0) {
        parts.push(name.slice(start, i));
        start = i + 1;
      }
    }
    parts.push(name.slice(start));
    return parts.filter((p) => p);
  }

  // {scopes, op} of a name. `jit(f)` alone is a scope: JAX names constants so.
  function splitName(name) {
    const parts = scopes(name);
    if (parts.length === 1 && parts[0].endsWith(')')) return {scopes: parts, op: ''};
    return {op: parts.pop() || '', scopes: parts};
  }

  // Characters that would hide or turn the text around them, as their codes.
  const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
  const shown = (text) => text.replace(UNSEEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

  // All texts of a JSON value by `shown`, in place. Tables of numbers have none.
  function clean(x) {
    if (typeof x === 'string') return shown(x);
    if (Array.isArray(x)) {
      for (let i = 0; i < x.length; ++i) {
        if (typeof x[i] === 'number') continue;
        x[i] = clean(x[i]);
      }
    } else if (x !== null && typeof x === 'object') {
      for (const key of Object.keys(x)) if (!(key in TABLES)) x[key] = clean(x[key]);
    }
    return x;
  }

  const TABLES = {ops: 'op', values: 'name', arrivals: 'value', annotations: 'value'};

  // A document with all tables, so that views need not test for absent ones.
  function complete(raw) {
    const doc = Object.assign({
      title: '', made_by: '', statistics: {}, machine: null, parameters: null,
      flops: null, strings: [''], frames: [], stacks: [], user_frame: [], stops: [],
      collectives: [], whole: [], reshards: [], what_if: [], memory: null,
      timeline: null, diff: null, needs: [], notes: [], options: null,
    }, clean(raw));
    doc.mesh = doc.mesh || {name: '', axes: [], devices: 1, device_ids: null};
    for (const list of ['stops', 'collectives', 'needs', 'notes', 'whole', 'reshards', 'what_if'])
      doc[list] = doc[list] || [];
    for (const [table, column] of Object.entries(TABLES))
      doc[table] = doc[table] && doc[table][column] ? doc[table] : {[column]: []};
    return doc;
  }

  // Lookups on the document of the page. Ops, values and collectives are named
  // by their indices, as in the document.
  class Report {
    constructor(raw) {
      const doc = this.doc = complete(raw);
      this.strings = doc.strings;
      this.axes = doc.mesh.axes.map((axis, i) => Object.assign({index: i}, axis));
      this.mesh = Object.assign({}, doc.mesh, {axes: this.axes});
      this.axisByName = new Map(this.axes.map((a) => [a.name, a]));
      this.setLetters();
      this.opCount = doc.ops.op.length;
      this.valueCount = doc.values.name.length;
      this.shardings = new Map();
      this.collectivesOfOp = new Map();
      this.collectivesOfValue = new Map();
      doc.collectives.forEach((c, i) => {
        push(this.collectivesOfOp, c.op, i);
        push(this.collectivesOfValue, c.value, i);
      });
      this.notesOfValue = new Map();
      for (const [v, text] of doc.notes) push(this.notesOfValue, v, text);
      this.wholeValues = new Set(doc.whole.map((w) => w.value));
      this.reshardsOfValue = new Map();
      doc.reshards.forEach((r, i) => push(this.reshardsOfValue, r.value, i));
    }

    // One letter for each axis, so that axes differ without colour: the first
    // letter of the name that no axis before it has, else a digit.
    setLetters() {
      const taken = new Set();
      for (const axis of this.axes) {
        const choices = [...axis.name.toUpperCase()].filter((c) => /[A-Z0-9]/.test(c))
            .concat([...'123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ']);
        axis.letter = choices.find((c) => !taken.has(c)) || '*';
        taken.add(axis.letter);
      }
    }

    s(i) { return i >= 0 && i < this.strings.length ? this.strings[i] : ''; }

    // A text of a column, '' if there is none.
    text(table, column, i) {
      const c = this.doc[table][column];
      return c && i >= 0 ? this.s(c[i]) : '';
    }
    number(table, column, i) {
      const c = this.doc[table][column];
      return c && i >= 0 && typeof c[i] === 'number' ? c[i] : null;
    }
    list(table, column, i) {
      const c = this.doc[table][column];
      return c && i >= 0 && c[i] || [];
    }

    // `dot_general`, without the dialect.
    opName(o) {
      const name = this.text('ops', 'op', o);
      return name.slice(name.indexOf('.') + 1);
    }
    // JAX's name of the op without its scopes, otherwise the dialect's.
    opLabel(o) {
      return splitName(this.text('ops', 'name', o)).op || this.opName(o) || `op ${o}`;
    }

    valueName(v) { return this.text('values', 'name', v) || `value ${v}`; }
    // The source's name of an argument, otherwise the name in the module.
    valueLabel(v) { return this.text('values', 'source', v) || this.valueName(v); }

    flag(v, name) { return ((this.number('values', 'flags', v) || 0) & FLAGS[name]) !== 0; }
    // The flags to mark in lists. Most scalars and small values are replicated, so
  // that only the largest are marked.
  marks(v) {
    return this.flags(v).filter((f) => f !== 'replicated' || this.wholeValues.has(v) ||
        (this.number('values', 'bytes', v) || 0) >= LARGE);
  }
  flags(v) { return Object.keys(FLAGS).filter((f) => this.flag(v, f)); }

    // The parsed sharding of a text; texts repeat, so results are kept.
    parsed(text) {
      let found = this.shardings.get(text);
      if (found === undefined)
        this.shardings.set(text, found = text ? SW.sharding.parse(text) : null);
      return found;
    }
    sharding(v) { return this.parsed(this.text('values', 'sharding', v)); }
    type(v) { return SW.sharding.parseType(this.text('values', 'type', v)); }

    frame(i) {
      const f = this.doc.frames[i];
      return f && {file: this.s(f[0]), line: f[1], column: f[2], function: this.s(f[3])};
    }
    // The frame to show for a stack: the user's, else the innermost. user_frame
    // has positions in the stack.
    userFrame(stack) {
      if (!(stack >= 0)) return null;
      const user = this.doc.user_frame[stack], frames = this.doc.stacks[stack] || [];
      return this.frame(frames[user >= 0 ? user : 0]) || null;
    }
    stackOf(o) { return o >= 0 && this.doc.ops.stack ? this.doc.ops.stack[o] : -1; }
    stackFrames(stack) {
      return (this.doc.stacks[stack] || []).map((i) => this.frame(i)).filter(Boolean);
    }
    // `file.py:12`, '' if unknown. The folder is left out if `short`.
    place(stack, short) {
      const f = this.userFrame(stack);
      if (!f || !f.file) return '';
      const file = short ? f.file.slice(f.file.lastIndexOf('/') + 1) : f.file;
      return f.line > 0 ? `${file}:${f.line}` : file;
    }

    resultsOf(o) { return this.list('ops', 'results', o); }
    operandsOf(o) { return this.list('ops', 'operands', o); }
    opOf(v) {
      const c = this.doc.values.op;
      return c ? c[v] : -1;
    }

    // Ops that read a value. The index is made at the first call.
    usersOf(v) {
      if (!this.users) {
        this.users = new Map();
        for (let o = 0; o < this.opCount; ++o)
          for (const operand of new Set(this.operandsOf(o))) push(this.users, operand, o);
      }
      return this.users.get(v) || [];
    }

    // The value of a name as it stands in texts (`%55`, `@f:%12`, an argument's
    // name of the source), or -1.
    valueByName(name) {
      if (!this.names) {
        this.names = new Map();
        for (let v = this.valueCount - 1; v >= 0; --v) {
          const source = this.text('values', 'source', v);
          if (source) this.names.set(source, v);
        }
        for (let v = this.valueCount - 1; v >= 0; --v)
          this.names.set(this.valueName(v), v);
      }
      const v = this.names.get(name);
      return v === undefined ? -1 : v;
    }

    // Bytes that the collectives of an op send from each device in one step.
    sentBy(o) {
      return (this.collectivesOfOp.get(o) || [])
          .reduce((sum, i) => sum + (this.doc.collectives[i].bytes_sent_per_device || 0), 0);
    }

    // A row of `needs` with its texts. `cost` of a way is in seconds if the
    // decision was made in seconds, otherwise in bytes.
    need(i) {
      const n = this.doc.needs[i];
      if (!n) return null;
      const s = (x) => this.s(x);
      return {
        op: s(n.op), where: s(n.where), why: s(n.why), value: s(n.value), has: s(n.has), needs: s(n.needs), more_ways: n.more_ways,
        tensors: n.tensors.map(([role, value, type, propagated, computed]) =>
            ({role: s(role), value: s(value), type: s(type), propagated: s(propagated), computed: s(computed)})),
        origins: n.origins.map(([axis, value, dim, from, where]) =>
            ({axis: s(axis), value: s(value), dim, from: s(from), where: s(where)})),
        ways: n.ways.map(([how, cost, inSeconds, taken]) => ({how: s(how), cost, inSeconds: inSeconds === 1, taken: taken === 1})),
        routes: n.routes.map(([how, bytes]) => ({how: s(how), cost: bytes, inSeconds: false, taken: false})),
      };
    }
    needsOf(collective) { return (collective.needs || []).map((i) => this.need(i)).filter(Boolean); }

    // All steps of the reasons from an arrival to its origin. A cycle in a
    // damaged document ends the list.
    chain(a) {
      const steps = [], seen = new Set();
      while (a >= 0 && a < this.doc.arrivals.value.length && !seen.has(a)) {
        seen.add(a);
        steps.push(a);
        const next = this.number('arrivals', 'next', a);
        a = next === null ? -1 : next;
      }
      return steps;
    }
  }

  function push(map, key, item) {
    if (key === undefined || key === null || key < 0) return;
    const list = map.get(key);
    if (list) list.push(item);
    else map.set(key, [item]);
  }

  SW.Report = Report;
  SW.scopes = scopes;
  SW.splitName = splitName;
  SW.FLAGS = FLAGS;
})();
