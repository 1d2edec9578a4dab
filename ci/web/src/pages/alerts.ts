// Alerts and what people say of them.
import {get, post, type Alert} from '../api';
import {button, entries, fill, h, section, type Child} from '../dom';
import {go, href} from '../route';
import {
  alert_change,
  alert_history_link,
  benchmark,
  code,
  commit_link,
  empty,
  machine_link,
  paged,
  project_table,
  type PageOf,
  type View,
} from '../view';
import {metric_text, short, time_text} from '../words';

type Action = 'acknowledge' | 'accept' | 'resolve' | 'reopen' | 'assign';
const kActions: Record<Action, {word: string; meaning: string; of: string[]}> = {
  acknowledge: {
    word: 'Acknowledge',
    meaning: 'Somebody looks at it; the note says who.',
    of: ['open', 'acknowledged', 'reopened'],
  },
  accept: {
    word: 'Accept',
    meaning: 'It stays as it is, and why. It opens again only where more is lost.',
    of: ['open', 'acknowledged', 'reopened'],
  },
  resolve: {word: 'Resolve', meaning: 'It is mended.', of: ['open', 'acknowledged', 'accepted', 'reopened']},
  reopen: {word: 'Reopen', meaning: 'It is not.', of: ['accepted', 'resolved', 'acknowledged']},
  assign: {
    word: 'Assign',
    meaning: 'Whose it is to see to it. Its state stays.',
    of: ['open', 'acknowledged', 'accepted', 'resolved', 'reopened'],
  },
};

const kNotes: Record<Action, string> = {
  acknowledge: 'Who looks at it (may be empty) ',
  accept: 'Reason ',
  resolve: 'What mended it (may be empty) ',
  reopen: 'Why (may be empty) ',
  assign: 'Why (may be empty) ',
};

// One form for every action: what it wants is asked for, the answer replaces the page.
function act_form(view: View, alert: Alert, action: Action, close: () => void): HTMLElement {
  const {word, meaning} = kActions[action];
  const wants_reason = action === 'accept';
  const note = h('textarea', {name: 'note', rows: 2, maxlength: 1000, required: wants_reason});
  const until = h('input', {name: 'until', type: 'date'});
  const to = h('input', {name: 'to', maxlength: 200, value: alert.assignment?.to ?? ''});
  const said = h('p', {role: 'alert'});
  const send = async () => {
    const body: Record<string, string> = {};
    if (note.value.trim()) body.note = note.value.trim();
    if (action === 'accept' && until.value) body.until = until.value;
    if (action === 'assign') body.to = to.value.trim();
    await post<Alert>(`/alerts/${alert.id}/${action}`, body);
    view.again();
  };
  const form = h(
    'form',
    {
      class: 'act',
      'aria-label': `${word} this alert`,
      submit: ((event: Event) => {
        event.preventDefault();
        fill(said, 'Sending \u2026');
        send().catch((error: Error) => fill(said, error.message));
      }) as EventListener,
      keydown: ((event: KeyboardEvent) => {
        if (event.key === 'Escape') close();
      }) as EventListener,
    },
    h('p', {}, meaning),
    action === 'assign' && h('label', {}, 'To (empty: nobody) ', to),
    h('label', {}, kNotes[action], note),
    action === 'accept' && h('label', {}, 'Until (empty: for good) ', until),
    h('p', {}, h('button', {type: 'submit', class: 'main'}, word), ' ', button('Cancel', close)),
    said,
  );
  return form;
}

function actions(view: View, alert: Alert): Child {
  if (!view.session.scopes.includes('report')) {
    return h(
      'p',
      {class: 'dim'},
      'You may read this alert. To acknowledge or accept it, open the address that the service printed when it began, ',
      h('a', {href: href('token')}, 'enter a token'),
      ' with the scope report, or type ',
      code(`steelyard alerts acknowledge ${short(alert.id, 12)}`),
      '.',
    );
  }
  const place = h('div', {});
  const bar = h('p', {class: 'controls'});
  for (const [action, {word, of}] of Object.entries(kActions) as [Action, {word: string; of: string[]}][]) {
    if (!of.includes(alert.state)) continue;
    const opener = button(word, () => {
      const form = act_form(view, alert, action, () => {
        fill(place);
        opener.focus();
      });
      fill(place, form);
      (form.querySelector('input, textarea') as HTMLElement).focus();
    });
    bar.append(opener, ' ');
  }
  return [bar, place];
}

async function one_alert(view: View, id: string): Promise<Child> {
  const alert = await get<Alert>(`/alerts/${encodeURIComponent(id)}`, {}, view.signal);
  view.title(`Alert ${short(alert.id)}`);
  const looks = [...alert.life].reverse().find((step) => step.transition === 'acknowledged' && step.note);
  return [
    h('p', {}, h('a', {href: href('alerts')}, '\u2190 Alerts')),
    h('h1', {}, benchmark(alert.benchmark), ` ${metric_text(alert.metric)} ${alert_change(alert)}`),
    entries([
      ['state', h('b', {class: 'state'}, alert.state)],
      ['who looks', alert.state === 'acknowledged' && looks?.note],
      [
        'assigned to',
        alert.assignment && [
          h('b', {}, alert.assignment.to),
          ' ',
          time_text(alert.assignment.at),
          ` by ${alert.assignment.by}`,
          alert.assignment.note && h('p', {class: 'note'}, alert.assignment.note),
        ],
      ],
      ['project', alert.project],
      ['branch', alert.branch],
      ['commit', commit_link(alert.commit, alert.project)],
      [
        'accepted',
        alert.accepted_commit && [
          commit_link(alert.accepted_commit, alert.project),
          alert.accepted_until && ` until ${alert.accepted_until}`,
        ],
      ],
      ['machine', machine_link(alert.fingerprint)],
      [
        'see',
        [
          alert_history_link(alert, 'its history'),
          alert.comparison && [
            ' \u00b7 ',
            h('a', {href: href('comparison', {id: alert.comparison})}, 'the comparison that found it'),
          ],
        ],
      ],
    ]),
    actions(view, alert),
    section(
      'Its life',
      h(
        'ol',
        {class: 'life'},
        alert.life.map((step) =>
          h(
            'li',
            {},
            h('b', {}, step.transition),
            ' ',
            time_text(step.at),
            ' by ',
            step.by.startsWith('comparison:')
              ? h('a', {href: href('comparison', {id: step.by.slice(11)})}, `comparison ${short(step.by.slice(11))}`)
              : step.by,
            step.commit && [', commit ', commit_link(step.commit, alert.project)],
            step.note && h('p', {class: 'note'}, step.note),
          ),
        ),
      ),
    ),
  ];
}

export const alerts: PageOf = async (view) => {
  const id = view.params.get('id');
  if (id) return one_alert(view, id);
  view.title('Alerts');
  const state = view.params.get('state') ?? '';
  const choice = h(
    'select',
    {name: 'state', change: (() => go('alerts', {state: choice.value})) as EventListener},
    ['', 'open', 'acknowledged', 'accepted', 'reopened', 'resolved', 'all'].map((value) =>
      h('option', {value, selected: value === state}, value || 'not resolved'),
    ),
  );
  return [
    h('h1', {}, 'Alerts'),
    h('p', {class: 'controls'}, h('label', {}, 'State ', choice)),
    await paged<Alert>(
      view,
      '/alerts',
      {project: view.project, state},
      (items) =>
        project_table(
          'Alerts, newest change first',
          [
            {title: 'Benchmark'},
            {title: 'Metric'},
            {title: 'Change', numeric: true},
            {title: 'State'},
            {title: 'Assigned to', wide: true},
            {title: 'Since', wide: true},
            {title: 'Branch', wide: true},
            {title: 'Machine', wide: true},
            {title: 'Commit', wide: true},
          ],
          items,
          (alert) => [
            h('a', {href: href('alerts', {id: alert.id})}, benchmark(alert.benchmark)),
            metric_text(alert.metric),
            h('span', {class: alert.verdict}, h('span', {class: 'c'}, alert_change(alert))),
            h('span', {class: 'state'}, alert.state),
            alert.assignment?.to ?? '',
            time_text(alert.life[alert.life.length - 1]?.at),
            alert.branch ?? '',
            machine_link(alert.fingerprint),
            commit_link(alert.commit, alert.project),
          ],
        ),
      () =>
        empty(
          state && state !== 'all' ? `No alert is ${state}.` : 'Nothing needs you here.',
          state === 'all'
            ? 'A gate that finds a regression opens one.'
            : h('a', {href: href('alerts', {state: 'all'})}, 'Show resolved ones too'),
        ),
    ),
  ];
};
