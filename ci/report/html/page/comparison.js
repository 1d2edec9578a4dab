'use strict';
// Sorts, filters and opens the rows that stand in the page already; without it all of them are there, worst first.
// What is shown is kept in the address: #find=PATTERN&metric=NAME&verdict=WORD,...&sort=-COLUMN, or #row-N.
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId('data').textContent);
  const table = byId('all');
  if (!table) {
    document.body.dataset.ready = 'true';
    return;
  }
  const rows = [...table.tBodies].map((body, rank) => {
    const [verdict, metric, baseline, candidate, ratio, detectable, q] = data.rows[rank];
    return {body, rank, name: body.querySelector('th').textContent, toggle: body.querySelector('input'),
      verdict: data.verdicts[verdict], metric: data.metrics[metric], baseline, candidate, detectable, q,
      change: ratio > 0 ? Math.log(ratio) : null};
  });
  const state = {find: '', metric: '', verdict: [], sort: ''};
  let sortedBy = '';
  const mostOpened = 50;

  // Sorting. What has no value comes last, whichever way.
  const collator = new Intl.Collator('en', {numeric: true});
  const fallsFirst = new Set(['change', 'baseline', 'candidate']);
  const ordered = () => {
    if (state.sort === '') return rows;
    const key = state.sort.replace('-', '');
    const sign = state.sort.startsWith('-') ? -1 : 1;
    const compare = (a, b) => (typeof a === 'string' ? collator.compare(a, b) : a - b);
    return [...rows].sort((a, b) => {
      const [x, y] = [a[key], b[key]];
      if (x === null || y === null) return (x === null) - (y === null) || a.rank - b.rank;
      return sign * compare(x, y) || a.rank - b.rank;
    });
  };
  const columns = [...table.tHead.rows[0].cells].filter((cell) => cell.dataset.sort);
  const sortBy = () => {
    for (const cell of columns) {
      const key = state.sort.replace('-', '');
      if (cell.dataset.sort !== key) cell.removeAttribute('aria-sort');
      else cell.setAttribute('aria-sort', state.sort.startsWith('-') ? 'descending' : 'ascending');
    }
    table.append(...ordered().map((row) => row.body));
    sortedBy = state.sort;
  };
  // First the way that is asked for most, then the other, then as the report has them: worst first.
  const nextSort = (key) => {
    const first = fallsFirst.has(key) ? '-' + key : key;
    const second = fallsFirst.has(key) ? key : '-' + key;
    return state.sort === first ? second : state.sort === second ? '' : first;
  };

  // Filtering: '*' any characters, '?' one, as in a policy's pattern, anywhere in the name.
  const matcher = (pattern) => new RegExp(
    pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.'), 'i');
  const filter = () => {
    const expression = matcher(state.find.trim());
    let shown = 0;
    for (const row of rows) {
      const fits = expression.test(row.name) && (state.metric === '' || row.metric === state.metric) &&
        (state.verdict.length === 0 || state.verdict.includes(row.verdict));
      row.body.hidden = !fits;
      if (fits) ++shown;
    }
    const whole = new Intl.NumberFormat('en');
    byId('shown').textContent = `${whole.format(shown)} of ${whole.format(rows.length)} rows`;
    byId('nothing').hidden = shown > 0;
  };

  const remember = () => {
    const parts = new URLSearchParams();
    for (const key of ['find', 'metric', 'sort']) {
      if (state[key] !== '') parts.set(key, state[key]);
    }
    if (state.verdict.length > 0) parts.set('verdict', state.verdict.join(','));
    const text = parts.toString();
    try {
      history.replaceState(null, '', location.pathname + location.search + (text === '' ? '' : '#' + text));
    } catch {
      // A page without an address of its own (a sandboxed frame) shows the same, unremembered.
    }
  };
  const show = () => {
    byId('find').value = state.find;
    byId('metric').value = state.metric;
    for (const box of byId('verdicts').querySelectorAll('input')) box.checked = state.verdict.includes(box.value);
    filter();
    if (sortedBy !== state.sort) sortBy();
  };
  const change = (what) => {
    Object.assign(state, what);
    show();
    remember();
  };
  const reveal = (row) => {
    if (row.body.hidden) Object.assign(state, {find: '', metric: '', verdict: []});
    show();
    row.toggle.checked = true;
    row.body.scrollIntoView({block: 'start'});
    row.toggle.focus({preventScroll: true});
  };
  const recall = () => {
    const fragment = location.hash.slice(1);
    const asked = rows.find((row) => row.body.id === fragment);
    if (asked) {
      reveal(asked);
      return;
    }
    const parts = new URLSearchParams(fragment.includes('=') ? fragment : '');
    const sort = parts.get('sort') || '';
    state.find = parts.get('find') || '';
    state.metric = data.metrics.includes(parts.get('metric')) ? parts.get('metric') : '';
    state.verdict = (parts.get('verdict') || '').split(',').filter((word) => data.verdicts.includes(word));
    state.sort = columns.some((cell) => cell.dataset.sort === sort.replace('-', '')) ? sort : '';
    show();
  };

  // What is there to choose from.
  const element = (name, text) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const count = (key, value) => rows.filter((row) => row[key] === value).length;
  for (const name of data.metrics) {
    const option = element('option', `${name} (${count('metric', name)})`);
    option.value = name;
    byId('metric').append(option);
  }
  for (const word of data.verdicts) {
    if (count('verdict', word) === 0) continue;
    const label = element('label');
    const box = element('input');
    box.type = 'checkbox';
    box.value = word;
    label.append(box, `${word} (${count('verdict', word)})`);
    byId('verdicts').append(label);
  }
  for (const cell of columns) {
    const button = element('button', cell.textContent);
    button.type = 'button';
    button.addEventListener('click', () => change({sort: nextSort(cell.dataset.sort)}));
    cell.replaceChildren(button);
  }

  byId('find').addEventListener('input', () => change({find: byId('find').value}));
  byId('metric').addEventListener('change', () => change({metric: byId('metric').value}));
  byId('verdicts').addEventListener('change', () => {
    change({verdict: [...byId('verdicts').querySelectorAll('input:checked')].map((box) => box.value)});
  });
  byId('controls').addEventListener('submit', (event) => event.preventDefault());
  byId('reset').addEventListener('click', () => change({find: '', metric: '', verdict: [], sort: ''}));
  byId('open').addEventListener('click', () => {
    const visible = ordered().filter((row) => !row.body.hidden).slice(0, mostOpened);
    const open = visible.some((row) => !row.toggle.checked);
    for (const row of visible) row.toggle.checked = open;
  });
  table.addEventListener('click', (event) => {
    const line = event.target.closest('tbody > tr:first-child');
    if (!line || event.target.closest('label, a') || String(getSelection()) !== '') return;
    const toggle = line.querySelector('input');
    toggle.checked = !toggle.checked;
  });
  table.addEventListener('keydown', (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step || !event.target.matches('.v input')) return;
    const visible = ordered().filter((row) => !row.body.hidden);
    const next = visible[visible.findIndex((row) => row.toggle === event.target) + step];
    if (!next) return;
    event.preventDefault();
    next.toggle.focus();
  });
  document.addEventListener('keydown', (event) => {
    const inField = event.target === byId('find');
    if (event.key === '/' && !inField && !event.target.matches('select')) {
      event.preventDefault();
      byId('find').focus();
    } else if (event.key === 'Escape' && inField) {
      change({find: ''});
    }
  });
  addEventListener('hashchange', recall);

  byId('controls').hidden = false;
  recall();
  document.body.dataset.ready = 'true';
})();
