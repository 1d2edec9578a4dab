// The made-up service answers as ci/service/openapi.json says that a service does, so that what the page is tested
// against is what it meets.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import test from 'node:test';
import {fileURLToPath} from 'node:url';
import {listen, make_service} from './made_up_service.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const description = JSON.parse(readFileSync(join(root, 'ci/service/openapi.json'), 'utf8'));

const type_of = (value) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;

// Why the value is not of the schema; empty where it is. Of what a description uses: types, members, enumerations.
function faults(value, schema, place) {
  if (schema.$ref) {
    const named = schema.$ref.replace('#/', '').split('/');
    return faults(
      value,
      named.reduce((at, name) => at[name], description),
      place,
    );
  }
  const choice = schema.oneOf ?? schema.anyOf;
  if (choice)
    return choice.some((one) => faults(value, one, place).length === 0) ? [] : [`${place}: none of its forms`];
  const types = schema.type === undefined ? null : [schema.type].flat();
  const type = type_of(value);
  if (types && !types.includes(type) && !(type === 'integer' && types.includes('number'))) {
    return [`${place}: ${type}, wanted ${types.join(' or ')}`];
  }
  if (schema.enum && !schema.enum.includes(value)) return [`${place}: "${value}" is not in the list`];
  if (schema.pattern && typeof value === 'string' && !new RegExp(schema.pattern).test(value)) {
    return [`${place}: "${value}" is not ${schema.pattern}`];
  }
  if (type === 'array')
    return value.flatMap((one, i) => (i < 50 ? faults(one, schema.items ?? {}, `${place}[${i}]`) : []));
  if (type !== 'object') return [];
  const known = schema.properties ?? {};
  return [
    ...(schema.required ?? []).filter((name) => !(name in value)).map((name) => `${place}: has no ${name}`),
    ...Object.entries(value).flatMap(([name, one]) =>
      known[name]
        ? faults(one, known[name], `${place}.${name}`)
        : schema.additionalProperties === false
          ? [`${place}: has ${name}`]
          : [],
    ),
  ];
}

test('what is not of a schema is found', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: {a: {type: ['integer', 'null']}},
    additionalProperties: false,
  };
  assert.deepEqual(faults({a: 1}, schema, ''), []);
  assert.equal(faults({a: 'x'}, schema, '').length, 1);
  assert.equal(faults({b: 1}, schema, '').length, 2);
});

test('the made-up service answers as the description says', async () => {
  const service = make_service();
  const base = await listen(service);
  const {ids} = service;
  const key = 'project=textkit&branch=main&benchmark=BM_tokenize%2F1024&metric=real_time';
  const asked = {
    '/api/v1/session': '',
    '/api/v1/projects': '',
    '/api/v1/runs': '',
    '/api/v1/runs/{id}': '',
    '/api/v1/series': '',
    '/api/v1/points': `?${key}&columns=at,value,low,high,run,commit,place,off_branch`,
    '/api/v1/changes': `?${key}`,
    '/api/v1/compare': `?baseline=${ids.baseline}&candidate=${ids.run}&explain=BM_tokenize`,
    '/api/v1/comparisons': '',
    '/api/v1/comparisons/{id}': '',
    '/api/v1/flame': `?baseline=${ids.baseline}&candidate=${ids.run}&benchmark=BM_tokenize%2F1024`,
    '/api/v1/alerts': '?state=all',
    '/api/v1/alerts/{id}': '',
    '/api/v1/targets': '',
    '/api/v1/machines': '',
    '/api/v1/machines/{fingerprint}': '',
    '/api/v1/commits/{sha}': '',
    '/api/v1/bisects': '',
    '/api/v1/bisects/{id}': '',
    '/api/v1/search': '?q=tokenize',
  };
  const id_of = {
    runs: ids.run,
    comparisons: ids.comparison,
    alerts: ids.alert,
    machines: ids.machine,
    commits: ids.commit,
    bisects: ids.bisect,
  };
  const found = [];
  for (const [path, query] of Object.entries(asked)) {
    const operation = description.paths[path]?.get;
    if (!operation) {
      found.push(`${path}: the description has no such address`);
      continue;
    }
    const known = (operation.parameters ?? []).map((one) => one.name ?? one.$ref.split('/').pop());
    for (const name of new URLSearchParams(query).keys()) {
      if (!known.includes(name)) found.push(`${path}: takes no ${name}`);
    }
    const response = await fetch(base + path.replace(/\{\w+\}/, id_of[path.split('/')[3]]) + query);
    assert.equal(response.status, 200, path);
    const {schema} = operation.responses['200'].content['application/json'];
    found.push(...faults(await response.json(), schema, path));
  }
  service.server.closeAllConnections();
  service.server.close();
  assert.deepEqual(found, []);
});
