// Search as you type: a field with a list of what was found, walked with the arrow keys.
import {get, type Found} from './api';
import {fill, h} from './dom';
import {href} from './route';
import {benchmark_text, short} from './words';

const kWait = 120,
  kFewest = 2;

function href_of(found: Found): string {
  const {id} = found;
  switch (found.kind) {
    case 'benchmark':
      return href('series', {project: found.project, benchmark: id});
    case 'commit':
      return href('commit', {sha: id, project: found.project});
    case 'run':
      return href('run', {id});
    case 'branch':
      return href('runs', {branch: id, project: found.project});
    case 'machine':
      return href('machines', {one: id});
    case 'project':
      return href('overview', {project: id});
    default:
      return href('overview');
  }
}

// Ids as everywhere on the page: the first digits.
const shown_text = (found: Found): string =>
  ['commit', 'run', 'machine'].includes(found.kind) ? short(found.text) : benchmark_text(found.text);

export function search_field(project: () => string): {root: HTMLElement; input: HTMLInputElement} {
  const list = h('ul', {id: 'found', role: 'listbox', hidden: true, 'aria-label': 'Found'});
  const said = h('p', {class: 'sr', role: 'status'});
  let chosen = -1,
    timer = 0,
    asked: AbortController | null = null;
  const input = h('input', {
    type: 'search',
    id: 'search',
    placeholder: 'Search ( / )',
    'aria-label': 'Search benchmarks, commits, runs, branches, machines',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'found',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    maxlength: 200,
  });
  const close = () => {
    list.hidden = true;
    chosen = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const open = (items: HTMLElement[], words: string) => {
    fill(list, items.length ? items : h('li', {class: 'dim', role: 'option', 'aria-disabled': 'true'}, words));
    fill(said, words);
    list.hidden = false;
    chosen = -1;
    input.setAttribute('aria-expanded', 'true');
  };
  const choose = (i: number) => {
    const options = [...list.querySelectorAll<HTMLElement>('[role=option]:not([aria-disabled])')];
    if (options.length === 0) return;
    chosen = (i + options.length) % options.length;
    options.forEach((option, k) => option.setAttribute('aria-selected', String(k === chosen)));
    options[chosen].scrollIntoView({block: 'nearest'});
    input.setAttribute('aria-activedescendant', options[chosen].id);
  };
  const follow = (address: string) => {
    close();
    input.value = '';
    location.hash = address;
  };
  const ask = async (text: string) => {
    asked?.abort();
    asked = new AbortController();
    const {items} = await get<{items: Found[]}>('/search', {q: text, project: project(), limit: 20}, asked.signal);
    open(
      items.map((found, i) =>
        h(
          'li',
          {
            role: 'option',
            id: `found_${i}`,
            'aria-selected': 'false',
            'data-href': href_of(found),
            click: () => follow(href_of(found)),
          },
          h('span', {class: 'tag'}, found.kind),
          ' ',
          h('code', {}, shown_text(found)),
          found.detail && h('span', {class: 'dim'}, ` ${found.detail}`),
        ),
      ),
      items.length ? `${items.length} found` : 'Nothing is called that, and no id begins so. Try fewer letters.',
    );
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    const text = input.value.trim();
    if (text.length < kFewest) return close();
    timer = window.setTimeout(
      () =>
        ask(text).catch((error: Error) => {
          if (error.name !== 'AbortError') open([], error.message);
        }),
      kWait,
    );
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      input.value = '';
      close();
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
    }
    if (event.key === 'Enter') {
      const option = list.querySelectorAll<HTMLElement>('[role=option]:not([aria-disabled])')[Math.max(chosen, 0)];
      if (option?.dataset.href && !list.hidden) follow(option.dataset.href);
    }
  });
  const root = h('div', {class: 'search', role: 'search'}, input, list, said);
  document.addEventListener('click', (event) => {
    if (!root.contains(event.target as Node)) close();
  });
  return {root, input};
}
