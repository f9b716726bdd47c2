//===- app.js - the frame of the page: views, search, themes, keys ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

(() => {
  const {html, AxisTag} = SW;
  const {useEffect, useLayoutEffect, useRef, useState} = preactHooks;

  const VIEWS = [
    ['overview', 'Overview', SW.Overview], ['program', 'Program', SW.Program], ['why', 'Why', SW.Why],
    ['tensor', 'Tensor', SW.Tensor], ['memory', 'Memory', SW.Memory], ['timeline', 'Timeline', SW.Timeline],
    ['diff', 'Diff', SW.Diff],
  ];

  function useRoute() {
    const [route, setRoute] = useState(SW.router.current);
    useEffect(() => SW.router.listen(setRoute), []);
    return route;
  }

  // Light or dark as the system has it, until the user chooses.
  function useTheme() {
    const system = window.matchMedia ? window.matchMedia('(prefers-color-scheme: dark)') : null;
    const [dark, setDark] = useState(system ? system.matches : false), chosen = useRef(false);
    useEffect(() => {
      if (!system) return undefined;
      const change = () => chosen.current || setDark(system.matches);
      system.addEventListener('change', change);
      return () => system.removeEventListener('change', change);
    }, []);
    useLayoutEffect(() => { document.documentElement.dataset.theme = dark ? 'dark' : 'light'; }, [dark]);
    return [dark ? 'dark' : 'light', () => {
      chosen.current = true;
      document.documentElement.dataset.theme = dark ? 'light' : 'dark';  // before views read colours
      setDark(!dark);
    }];
  }

  // Printing needs all rows at once, before the browser lays the page out.
  function usePrinting() {
    const [printing, setPrinting] = useState(false);
    useEffect(() => {
      const set = (on) => () => {
        const later = preact.options.debounceRendering;
        preact.options.debounceRendering = (render) => render();
        setPrinting(on);
        preact.options.debounceRendering = later;
      };
      const before = set(true), after = set(false);
      window.addEventListener('beforeprint', before);
      window.addEventListener('afterprint', after);
      return () => {
        window.removeEventListener('beforeprint', before);
        window.removeEventListener('afterprint', after);
      };
    }, []);
    return printing;
  }

  const typing = (element) => element && (/^(input|select|textarea)$/i.test(element.tagName) && element.type !== 'range');

  function Tabs({views, active}) {
    const keys = (event) => {
      const at = views.findIndex(([name]) => name === active);
      const next = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: views.length - 1}[event.key];
      if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const [name] = views[(next + views.length) % views.length];
      SW.router.go(SW.router.print(name));
      const tab = document.getElementById(`tab-${name}`);
      if (tab) tab.focus();
    };
    return html`<div class="tabs" role="tablist" aria-label="Views" onKeyDown=${keys}>${views.map(([name, title], i) => html`<button role="tab" id=${`tab-${name}`}
      aria-selected=${name === active} aria-controls="view" tabindex=${name === active ? 0 : -1} title=${`Key ${i + 1}`}
      onClick=${() => SW.router.go(SW.router.print(name))}>${title}</button>`)}</div>`;
  }

  function Search({route, field}) {
    const q = route.params.q || '';
    const [text, setText] = useState(q);
    useEffect(() => setText(q), [q]);
    const wait = useRef(0);
    const apply = (value) => SW.router.go(SW.router.print('program', [], {q: value}), {replace: route.view === 'program'});
    const input = (event) => {
      const value = event.target.value;
      setText(value);
      clearTimeout(wait.current);
      wait.current = setTimeout(() => apply(value), 60);
    };
    const keys = (event) => {
      if (event.key === 'Escape') {
        if (text) { setText(''); apply(''); }
        field.current.blur();
        event.stopPropagation();
      } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
        clearTimeout(wait.current);
        apply(text);
        const tree = document.getElementById('tree');
        if (tree) tree.focus();
        event.preventDefault();
      }
    };
    return html`<div class="search" role="search"><input ref=${field} type="search" value=${text} placeholder="Search ops, values, files" aria-label="Search the program"
      spellcheck="false" autocomplete="off" onInput=${input} onKeyDown=${keys} /><kbd aria-hidden="true">/</kbd></div>`;
  }

  function Header({report, route, views, active, theme, switchTheme, help, field}) {
    const {doc} = report;
    return html`<header class="top"><div class="title"><h1 title=${doc.title}>${doc.title || 'Sharding report'}</h1>
        <p class="subtitle"><span class="muted">${SW.format.count(report.mesh.devices)} ${report.mesh.devices === 1 ? 'device' : 'devices'}</span>
          ${report.axes.map((axis) => html`<span class="axis-size"><${AxisTag} report=${report} axis=${{name: axis.name}} full /><span class="muted">${axis.size}</span></span>`)}</p></div>
      <${Search} route=${route} field=${field} />
      <div class="buttons">${SW.router.embedded && html`<button onClick=${SW.router.back} disabled=${!SW.router.canGoBack()}>Back</button>`}
        <button onClick=${switchTheme} title="Key t" aria-label=${theme === 'dark' ? 'Light theme' : 'Dark theme'}>${theme === 'dark' ? '☀' : '☾'}</button>
        <button onClick=${help} title="Key ?" aria-label="Help">?</button></div>
      <${Tabs} views=${views} active=${active} /></header>`;
  }

  function App({report}) {
    const route = useRoute(), [theme, switchTheme] = useTheme(), printing = usePrinting();
    const [helping, setHelping] = useState(false), field = useRef(null), main = useRef(null);
    const views = report.doc.diff ? VIEWS : VIEWS.filter(([name]) => name !== 'diff');
    const found = views.find(([name]) => name === route.view) || views[0], View = found[2];
    useEffect(() => {
      const keys = (event) => {
        if (event.altKey || event.ctrlKey || event.metaKey || typing(event.target) || helping) return;
        const digit = /^[1-9]$/.test(event.key) ? views[event.key - 1] : null;
        if (event.key === '/') field.current.focus();
        else if (event.key === '?') setHelping(true);
        else if (event.key === 't') switchTheme();
        else if (digit) SW.router.go(SW.router.print(digit[0]));
        else return;
        event.preventDefault();
      };
      window.addEventListener('keydown', keys);
      return () => window.removeEventListener('keydown', keys);
    });
    // A link moves the focus to the view that it opened, and the view to its top.
    const place = `${found[0]}/${route.path.join('/')}`, old = useRef(place);
    useLayoutEffect(() => {
      if (old.current === place) return;
      old.current = place;
      main.current.scrollTop = 0;
      if (SW.followed) (document.getElementById('tree') || main.current).focus({preventScroll: true});
      SW.followed = false;
    });
    useEffect(() => { document.title = `${report.doc.title || 'Sharding report'}: ${found[1]}`; }, [found]);
    return html`<${Header} report=${report} route=${route} views=${views} active=${found[0]} theme=${theme} switchTheme=${switchTheme}
        help=${() => setHelping(true)} field=${field} />
      <main id="view" role="tabpanel" aria-labelledby=${`tab-${found[0]}`} tabindex="-1" ref=${main} class=${`view-${found[0]}`}>
        <${View} report=${report} route=${route} printing=${printing} theme=${theme} /></main>
      ${helping && html`<${SW.Help} report=${report} close=${() => setHelping(false)} />`}`;
  }

  function start() {
    const body = document.getElementById('page');
    let raw;
    try {
      raw = JSON.parse(document.getElementById('document').textContent);
      if (raw.format !== 'shardwright report') throw new Error('this is no report document of Shardwright');
      if (raw.version !== 1) throw new Error(`it has version ${raw.version}, and this page shows version 1`);
    } catch (error) {
      body.textContent = `The report cannot be shown: ${error.message}`;
      return;
    }
    body.textContent = '';
    SW.report = new SW.Report(raw);
    preact.render(html`<${App} report=${SW.report} />`, body);
    document.documentElement.dataset.ready = 'yes';
    performance.mark('ready');
  }

  SW.start = start;
  if (typeof document !== 'undefined') start();
})();
