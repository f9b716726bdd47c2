//===- router.js - the state of the page in the location's hash ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  // A route is {view, path, params}; its text is `#view/a/b?key=text`.
  function parse(hash) {
    const text = hash.replace(/^#/, ''), cut = text.indexOf('?');
    const head = cut < 0 ? text : text.slice(0, cut), params = {};
    const decode = (part) => {
      try {
        return decodeURIComponent(part.replace(/\+/g, ' '));
      } catch (error) {
        return part;
      }
    };
    if (cut >= 0)
      for (const pair of text.slice(cut + 1).split('&')) {
        const eq = pair.indexOf('=');
        if (eq > 0) params[decode(pair.slice(0, eq))] = decode(pair.slice(eq + 1));
      }
    const path = head.split('/').map(decode).filter((p) => p);
    return {view: path[0] || 'overview', path: path.slice(1), params};
  }

  function print(view, path = [], params = {}) {
    const query = Object.entries(params)
        .filter(([, text]) => text !== '' && text !== null && text !== undefined)
        .map(([key, text]) => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`)
        .join('&');
    return `#${[view, ...path].map(encodeURIComponent).join('/')}${query ? `?${query}` : ''}`;
  }

  // A page in an `iframe srcdoc` has its parent's base URL: a link to a hash would
  // leave the page. There the routes are kept in memory, with a history of its own.
  const embedded = location.protocol === 'about:' || location.protocol === 'data:';
  const visited = [];
  const listeners = new Set();
  let memory = '#overview';

  const current = () => parse(embedded ? memory : location.hash);

  function go(hash, {replace = false} = {}) {
    if (embedded) {
      if (!replace && hash !== memory) visited.push(memory);
      memory = hash;
    } else if (replace) {
      try {
        history.replaceState(null, '', hash);
      } catch (error) {
        location.replace(hash);  // more calls in a short time than the browser takes
      }
    } else {
      if (hash !== location.hash) location.hash = hash;
      return;  // hashchange calls the listeners
    }
    changed();
  }

  function back() {
    if (embedded) {
      if (visited.length) memory = visited.pop();
      changed();
    } else history.back();
  }

  function changed() {
    for (const listener of listeners) listener(current());
  }
  window.addEventListener('hashchange', changed);

  SW.router = {
    parse, print, current, go, back, embedded,
    canGoBack: () => visited.length > 0,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
})();
