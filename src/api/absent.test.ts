import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidOfHex } from '../model/ids.ts';
import { GatelogError } from '../model/errors.ts';
import type { RunStatement } from '../store/read/run-statement.ts';
import { idAt, noon } from '../query/testing/query-harness.ts';
import { type ApiRig, openApiRig } from './testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

type CallFor = (id: string) => readonly [method: string, path: string, body?: unknown];

const calls: readonly (readonly [string, CallFor])[] = [
  ['itself', (id) => ['GET', `/v1/request/${id}`]],
  ['its beginning', (id) => ['GET', `/v1/request/${id}/beginning`]],
  ['its changes', (id) => ['GET', `/v1/request/${id}/changes`]],
  ['its cost', (id) => ['GET', `/v1/request/${id}/cost`]],
  ['an asset', (id) => ['POST', `/v1/request/${id}/assets/a`]],
  ['among several', (id) => ['POST', '/v1/request/query-ids', { requestIds: [id] }]],
];
const withTime = idAt(noon, 77);
const withoutTime = uuidOfHex('f47ac10b58cc4372a5670e02b2c3d477');

/** An identifier with a time at which the record did not arrive, as callers choose them. */
const elsewhere = idAt(noon - 86_400_000, 78);

/** The code of a problem, or the data of an answer. */
async function codeOf(response: Response): Promise<unknown> {
  const { code, data } = (await response.json()) as { readonly code?: string; readonly data?: unknown };
  return code ?? data;
}

/** Two for its row; the bodies of one whose identifier contains its time are read beside the first. */
function statementsFor(name: string, id: string): number {
  return name === 'itself' && id !== withoutTime ? 3 : 2;
}

/** Of several requests an answer leaves out those that are not there. */
function refusalOf(path: string, code: string): readonly [status: number, shown: unknown] {
  return path.endsWith('/query-ids') ? [200, []] : [404, code];
}

/** The rig's store with a count of the statements. */
function counting(): { readonly run: RunStatement; readonly count: () => number } {
  let statements = 0;
  const run: RunStatement = (statement, signal, options) => {
    statements += 1;
    return rig.run(statement, signal, options);
  };
  return { run, count: () => statements };
}

test.each(calls.flatMap(([name, callFor]) => [withTime, withoutTime].map((id) => [name, id, callFor] as const)))(
  'a request that is not on record takes two statements for its row: %s, %s',
  async (name, id, callFor) => {
    const { run, count } = counting();
    const [method, path, body] = callFor(id);
    const response = await rig.call(method, path, { api: rig.withPorts({ run }), body });
    expect([response.status, await codeOf(response)]).toEqual(refusalOf(path, 'not_found'));
    expect(response.headers.get('svc-hint')).toBeNull();
    expect(count()).toBe(statementsFor(name, id));
  },
);

test.each(calls)('and one on its way to the store as well: %s', async (name, callFor) => {
  const { run, count } = counting();
  const [method, path, body] = callFor(rig.inFlight);
  const response = await rig.call(method, path, { api: rig.withPorts({ run }), body });
  expect(response.headers.get('svc-hint')).toContain('on its way to the store');
  expect([response.status, await codeOf(response)]).toEqual(refusalOf(path, 'request_in_flight'));
  expect(count()).toBe(statementsFor(name, rig.inFlight));
});

test.each(calls.filter(([name]) => name !== 'an asset'))(
  'what is stored is found wherever it is, whether or not it is known what is on its way: %s',
  async (_, callFor) => {
    await rig.insert([{ requestId: elsewhere }]);
    const [method, path, body] = callFor(elsewhere);
    const api = rig.withPorts({ inFlightOf: () => Promise.reject(new GatelogError('service_busy', 'The spool is long.')) });
    expect([(await rig.call(method, path, { api, body })).status]).toEqual([200]);
    const [otherMethod, otherPath, otherBody] = callFor(withTime);
    expect((await rig.call(otherMethod, otherPath, { api, body: otherBody })).status).toBe(503);
  },
);
