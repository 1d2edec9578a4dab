// Machines: what was found of each, two side by side, and how often equal builds were called changed there.
import {get, type Calibration, type Machine, type Page} from '../api';
import {entries, h, section, table, type Child} from '../dom';
import {go, href} from '../route';
import {code, empty, paged, type PageOf, type View} from '../view';
import {machine_rows, name_of} from './overview';
import {plural, share_text, short, time_text} from '../words';

const named = (machine: Machine): string => `${short(machine.fingerprint)} ${name_of(machine)}`.trim();

function facts(one: Machine, other: Machine | null): HTMLElement {
  const names = [...new Set([...one.facts, ...(other?.facts ?? [])].map((fact) => fact.name))].sort();
  const of = (machine: Machine, name: string) => machine.facts.find((fact) => fact.name === name);
  const differs = (name: string) => other !== null && of(one, name)?.value !== of(other, name)?.value;
  const decisive = (name: string) => of(one, name)?.decisive || (other && of(other, name)?.decisive);
  names.sort((a, b) => Number(differs(b)) - Number(differs(a)) || Number(decisive(b) ?? 0) - Number(decisive(a) ?? 0));
  const columns = [
    {title: 'Fact'},
    {title: short(one.fingerprint)},
    ...(other ? [{title: short(other.fingerprint)}] : []),
    {title: ''},
  ];
  return table(
    'Environment',
    columns,
    names.map((name) => [
      code(name),
      of(one, name)?.value ?? h('span', {class: 'dim'}, 'absent'),
      ...(other ? [of(other, name)?.value ?? h('span', {class: 'dim'}, 'absent')] : []),
      [
        differs(name) &&
          h('b', {class: 'inconclusive'}, h('span', {class: 'mark', 'aria-hidden': 'true'}, '\u2260'), ' differs '),
        decisive(name) && h('span', {class: 'tag'}, 'decisive'),
      ],
    ]),
    {class: 'facts'},
  );
}

function calibrations(all: Calibration[]): Child {
  if (all.length === 0)
    return empty('It was not calibrated.', 'On that machine: ', code('steelyard calibrate ./bench'));
  return table(
    'Calibrations, newest first',
    [
      {title: 'When'},
      {title: 'Program'},
      {title: 'Layout', wide: true},
      {title: 'Rounds', numeric: true, wide: true},
      {title: 'Gates called changed'},
      {title: 'Rows called changed'},
    ],
    all.map((one) => [
      time_text(one.at),
      code(one.program),
      one.layout,
      one.rounds,
      one.failed ? h('span', {class: 'regression'}, one.reason ?? 'failed') : `${one.false_gates} of ${one.gates}`,
      `${one.false_alarms} of ${one.comparisons}`,
    ]),
  );
}

async function one_machine(view: View, fingerprint: string): Promise<Child> {
  const beside = view.params.get('two');
  const [one, other, all] = await Promise.all([
    get<Machine>(`/machines/${encodeURIComponent(fingerprint)}`, {}, view.signal),
    beside ? get<Machine>(`/machines/${encodeURIComponent(beside)}`, {}, view.signal) : null,
    get<Page<Machine>>('/machines', {limit: 200}, view.signal),
  ]);
  view.title(`Machine ${short(one.fingerprint)}`);
  const choice = h(
    'select',
    {change: (() => go('machines', {one: fingerprint, two: choice.value})) as EventListener},
    h('option', {value: ''}, 'no other'),
    all.items
      .filter((machine) => machine.fingerprint !== one.fingerprint)
      .map((machine) =>
        h('option', {value: machine.fingerprint, selected: machine.fingerprint === other?.fingerprint}, named(machine)),
      ),
  );
  const both = [one, ...(other ? [other] : [])];
  return [
    h('p', {}, h('a', {href: href('machines')}, '\u2190 Machines')),
    h('h1', {}, other ? `${named(one)} beside ${named(other)}` : named(one)),
    h('p', {class: 'controls'}, h('label', {}, 'Beside it ', choice)),
    other &&
      (one.facts.some(
        (fact) => fact.decisive && other.facts.find((its) => its.name === fact.name)?.value !== fact.value,
      )
        ? h('p', {class: 'notice'}, 'Runs of these two are not compared: decisive facts differ.')
        : h('p', {class: 'notice'}, 'No decisive fact differs.')),
    both.map((machine) =>
      entries([
        ['machine', code(machine.fingerprint)],
        ['runs', plural(machine.runs, 'run')],
        ['first', time_text(machine.first_at)],
        ['newest', time_text(machine.newest_at)],
        ['noise', machine.noise === null ? 'not known: no comparison of it was kept' : share_text(machine.noise)],
      ]),
    ),
    section('Environment', facts(one, other)),
    both.map((machine) =>
      section(
        other ? `Calibrations of ${short(machine.fingerprint)}` : 'Calibrations',
        calibrations(machine.calibrations),
      ),
    ),
  ];
}

export const machines: PageOf = async (view) => {
  const one = view.params.get('one');
  if (one) return one_machine(view, one);
  view.title('Machines');
  return [
    h('h1', {}, 'Machines'),
    h('p', {class: 'dim'}, 'Runs are compared within one class of machines: those whose decisive facts are the same.'),
    await paged<Machine>(view, '/machines', {project: view.project}, machine_rows, () =>
      empty('No machine is known yet.', 'The first run brings one: ', code('steelyard run -- ./bench')),
    ),
  ];
};
