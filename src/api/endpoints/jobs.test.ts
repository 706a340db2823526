import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobAnswerSchema, type JobItem, jobsAnswerSchema } from '../../contract/jobs/job.ts';
import { bulkPropertyAnswerSchema, dryRunAnswerSchema } from '../../contract/jobs/bulk.ts';
import { changesAnswerSchema } from '../../contract/requests/changes.ts';
import { unwrap } from '../../contract/fault.ts';
import type { RequestItem } from '../../contract/requests/item.ts';
import { requestQueryAnswerSchema } from '../../contract/requests/query.ts';
import { newId, until } from '../../ingest/testing/ingest-harness.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { planBulk, sampleStatements } from '../../query/requests/bulk.ts';
import { type ApiRig, changesPath, checked, keyOf, openApiRig, propertyPath, queryPath } from '../testing/api-harness.ts';

const path = '/v1/request/property';
let rig: ApiRig;

beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());

type Properties = Readonly<Record<string, string>>;

/** Requests of a job header of their own, in the order of their arrival. */
async function recorded(job: string, given: readonly Properties[], organizationId: OrganizationId = rig.organizationId): Promise<string[]> {
  const noon = Date.parse('2026-01-15T12:00:00Z');
  const ids = given.map((_, index) => newId(noon + index));
  await rig.insert(
    given.map((properties, index) => ({
      organizationId,
      requestId: ids[index] ?? newId(),
      createdAt: noon + index,
      jobId: job,
      properties: new Map(Object.entries(properties)),
    })),
  );
  return ids;
}

const ofJob = (job: string) => ({ request_response_rmt: { job_id: { equals: job } } });

async function itemsOf(job: string): Promise<readonly RequestItem[]> {
  const body = { filter: ofJob(job), limit: 1000, sort: { created_at: 'asc' } };
  return (await checked(await rig.call('POST', queryPath, { body }), 200, requestQueryAnswerSchema)).data;
}

async function propertiesOf(job: string): Promise<Properties[]> {
  return (await itemsOf(job)).map(({ properties }) => properties);
}

async function historyOf(id: string): Promise<readonly (readonly [name: string, old: unknown, value: unknown])[]> {
  const { data } = await checked(await rig.call('GET', changesPath(id)), 200, changesAnswerSchema);
  return data.map(({ name, old, new: value }) => [name, old, value]);
}

async function jobOf(id: string): Promise<JobItem> {
  return (await checked(await rig.call('GET', `/v1/jobs/${id}`), 200, jobAnswerSchema)).data;
}

async function ended(id: string): Promise<JobItem> {
  await until(async () => (await jobOf(id)).ended_at !== null);
  return jobOf(id);
}

async function ordered(body: object): Promise<JobItem> {
  const { data } = await checked(await rig.call('POST', path, { body: { ...body, dryRun: false } }), 200, bulkPropertyAnswerSchema);
  return data as JobItem;
}

const changed = async (body: object): Promise<JobItem> => ended((await ordered(body)).job_id);

async function undone(id: string): Promise<JobItem> {
  const { data } = await checked(await rig.call('POST', `/v1/jobs/${id}/undo`), 200, jobAnswerSchema);
  return ended(data.job_id);
}

describe('POST /v1/request/property', () => {
  it('tells without `dryRun: false` what it would do, and changes nothing', async () => {
    const [first = '', second = ''] = await recorded('dry run', [{ Team: 'search', Draft: 'x' }, { Team: 'ads' }, { Team: 'ads' }]);
    const body = { filter: ofJob('dry run'), set: { Team: 'ads' }, remove: ['Draft'] };
    const { data } = await checked(await rig.call('POST', path, { body }), 200, dryRunAnswerSchema);
    expect(data).toMatchObject({ total: 3, changing: 1 });
    expect(data.sample.map(({ request_id: id, before, after }) => ({ id, before, after })).slice(1)).toEqual([
      { id: second, before: { Team: 'ads', Draft: null }, after: { Team: 'ads', Draft: null } },
      { id: first, before: { Team: 'search', Draft: 'x' }, after: { Team: 'ads', Draft: null } },
    ]);
    expect(await propertiesOf('dry run')).toEqual([{ Team: 'search', Draft: 'x' }, { Team: 'ads' }, { Team: 'ads' }]);
    expect(await historyOf(first)).toEqual([]);
  });

  it('sets and removes by a job, with one entry in the history for each request and name that changed', async () => {
    const [first = '', second = ''] = await recorded('change', [{ Team: 'search', Draft: 'x', Kept: 'k' }, { Team: 'ads' }]);
    const job = await changed({ filter: ofJob('change'), set: { Team: 'ads' }, remove: ['Draft', 'Absent'] });
    expect(job).toMatchObject({ kind: 'property', state: 'done', total: 2, done: 2, changed: 1, unchanged: 1, error: null });
    expect(job).toMatchObject({ set: { Team: 'ads' }, remove: ['Draft', 'Absent'], filter: ofJob('change'), key_id: 'key-1' });
    expect(await propertiesOf('change')).toEqual([{ Team: 'ads', Kept: 'k' }, { Team: 'ads' }]);
    expect(await historyOf(first)).toEqual([
      ['Draft', 'x', null],
      ['Team', 'search', 'ads'],
    ]);
    expect(await historyOf(second)).toEqual([]);
  });

  it('covers the requests that match when it starts, although its own changes would alter what matches', async () => {
    await recorded('itself', [{ Team: 'a' }, { Team: 'a' }, { Team: 'b' }]);
    const isA = { left: ofJob('itself'), operator: 'and', right: { request_response_rmt: { properties: { Team: { equals: 'a' } } } } };
    expect(await changed({ filter: isA, set: { Team: 'b' } })).toMatchObject({ total: 2, changed: 2 });
    expect(await propertiesOf('itself')).toEqual([{ Team: 'b' }, { Team: 'b' }, { Team: 'b' }]);
  });

  it('treats reserved names as a change of a single request does', async () => {
    await recorded('reserved', [{}]);
    const set = { 'Helicone-Session-Id': 'moved', 'Svc-Session-Path': '/a', __proto__x: 'p' };
    expect(await changed({ filter: ofJob('reserved'), set })).toMatchObject({ changed: 1 });
    expect(await itemsOf('reserved')).toMatchObject([{ session_id: 'moved', session_path: '/a' }]);
    expect(await changed({ filter: ofJob('reserved'), remove: ['Svc-Session-Id'] })).toMatchObject({ changed: 1 });
    expect(await itemsOf('reserved')).toMatchObject([{ session_id: null, session_path: '/a' }]);
  });

  it('takes any name and value that a request can have', async () => {
    const set = JSON.parse('{"__proto__": "p", "key": "it\'s", "value": "a\\u0000b", "日本": "\\\\\\n"}') as Properties;
    await recorded('names', [{ old: '1' }]);
    await changed({ filter: ofJob('names'), set });
    expect(JSON.stringify((await propertiesOf('names'))[0])).toBe(JSON.stringify({ old: '1', ...Object.fromEntries(Object.entries(set)) }));
  });

  it('changes nothing of another organisation', async () => {
    const other = newId();
    await recorded('tenants', [{ Team: 'ours' }]);
    await recorded('tenants', [{ Team: 'theirs' }], other);
    const job = await changed({ filter: ofJob('tenants'), set: { Team: 'new' } });
    expect(job).toMatchObject({ total: 1, changed: 1 });
    const [statement] = sampleStatements(unwrap(planBulk(other, ofJob('tenants'))), ['Team'], 10);
    expect(await rig.run(statement)).toMatchObject([{ old_values: ['theirs'] }]);
    await undone(job.job_id);
    expect(await rig.run(statement)).toMatchObject([{ old_values: ['theirs'] }]);
    expect(await propertiesOf('tenants')).toEqual([{ Team: 'ours' }]);
  });

  it.each([
    [{ set: { a: 'b' } }, 'filter'],
    [{ filter: 'all' }, '$'],
    [{ filter: 'all', set: {} }, '$'],
    [{ filter: 'all', set: { a: 1 } }, 'set.a'],
    [{ filter: 'all', set: { '': 'x' } }, 'set[""]'],
    [{ filter: 'all', set: [] }, 'set'],
    [{ filter: 'all', remove: 'a' }, 'remove'],
    [{ filter: 'all', remove: [1] }, 'remove[0]'],
    [{ filter: 'all', set: { 'Svc-Session-Id': 'a' }, remove: ['Helicone-Session-Id'] }, 'remove[0]'],
    [{ filter: 'all', set: { a: 'b' }, dryRun: 'no' }, 'dryRun'],
    [{ filter: { nonsense: {} }, set: { a: 'b' } }, 'filter.nonsense'],
  ])('refuses %j and names %s', async (body, place) => {
    const response = await rig.call('POST', path, { body });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ details: { path: place } });
  });

  it('needs a key that may change requests; reading jobs needs one that may read', async () => {
    const body = { filter: 'all', set: { a: 'b' } };
    expect((await rig.call('POST', path, { key: keyOf('r'), body })).status).toBe(403);
    expect((await rig.call('GET', '/v1/jobs', { key: keyOf('r') })).status).toBe(200);
    expect((await rig.call('POST', `/v1/jobs/${newId()}/undo`, { key: keyOf('r') })).status).toBe(403);
    expect((await rig.call('GET', '/v1/jobs', { key: keyOf('w') })).status).toBe(403);
  });
});

describe('POST /v1/jobs/{id}/undo', () => {
  it('restores what the job changed, and leaves alone what was changed since', async () => {
    const [, second = '', third = ''] = await recorded('undo', [{ Team: 'a', Draft: 'x' }, { Team: 'a' }, { Team: 'a' }, { Team: 'z' }]);
    const { job_id: id } = await changed({ filter: ofJob('undo'), set: { Team: 'z', New: 'n' }, remove: ['Draft'] });
    await rig.call('PUT', propertyPath(second), { body: { Team: 'mine' } });
    // The same value again is a change too.
    await rig.call('PUT', propertyPath(third), { body: { Team: 'z', New: 'n' } });
    const undo = await undone(id);
    expect(undo).toMatchObject({ kind: 'undo', undoes: id, state: 'done', total: 4, changed: 2, changed_since: 2 });
    expect(await propertiesOf('undo')).toEqual([{ Team: 'a', Draft: 'x' }, { Team: 'mine' }, { Team: 'z', New: 'n' }, { Team: 'z' }]);
    expect(await jobOf(id)).toMatchObject({ undone_by: undo.job_id });
    expect((await undone(id)).job_id).toBe(undo.job_id);
  });

  it('undoes several jobs from the last one back, and an undo as well', async () => {
    await recorded('several', [{ Team: 'a' }]);
    const first = await changed({ filter: ofJob('several'), set: { Team: 'b' } });
    const second = await changed({ filter: ofJob('several'), set: { Team: 'c' } });
    await undone(second.job_id);
    expect(await propertiesOf('several')).toEqual([{ Team: 'b' }]);
    const undo = await undone(first.job_id);
    expect(await propertiesOf('several')).toEqual([{ Team: 'a' }]);
    await undone(undo.job_id);
    expect(await propertiesOf('several')).toEqual([{ Team: 'b' }]);
  });

  it('is 404 for a job of another organisation, and 422 for one that never started', async () => {
    expect((await rig.call('POST', `/v1/jobs/${newId()}/undo`)).status).toBe(404);
    expect((await rig.call('GET', '/v1/jobs/no-uuid')).status).toBe(404);
  });
});

const searched = async (): Promise<unknown> =>
  ((await (await rig.call('POST', '/v1/property/Searched/search', { body: { searchTerm: '' } })).json()) as { data: unknown }).data;

it('is seen by the search of values, and so is its undo', async () => {
  await recorded('searched', [{ Searched: 'before' }]);
  expect(await searched()).toEqual(['before']);
  const job = await changed({ filter: ofJob('searched'), set: { Searched: 'after' } });
  expect(await searched()).toEqual(['after']);
  await undone(job.job_id);
  expect(await searched()).toEqual(['before']);
});

it('lists jobs, newest first', async () => {
  const one = await changed({ filter: ofJob('nobody'), set: { a: 'b' } });
  const two = await changed({ filter: ofJob('nobody'), set: { a: 'b' } });
  expect(one).toMatchObject({ state: 'done', total: 0, done: 0 });
  const { data } = await checked(await rig.call('GET', '/v1/jobs?limit=2'), 200, jobsAnswerSchema);
  expect(data.map(({ job_id: id }) => id)).toEqual([two.job_id, one.job_id]);
  expect((await checked(await rig.call('GET', '/v1/jobs?limit=1&offset=1'), 200, jobsAnswerSchema)).data).toEqual([one]);
});

it('keeps a cancelled job cancelled', async () => {
  const job = await changed({ filter: ofJob('nobody'), set: { a: 'b' } });
  const { data } = await checked(await rig.call('POST', `/v1/jobs/${job.job_id}/cancel`), 200, jobAnswerSchema);
  expect(data.state).toBe('done');
  expect((await rig.call('POST', `/v1/jobs/${newId()}/cancel`)).status).toBe(404);
});
