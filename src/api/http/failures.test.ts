import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemSchema } from '../../contract/problem.ts';
import { GatelogError } from '../../model/errors.ts';
import { type ApiRig, changesPath, checked, feedbackPath, openApiRig, propertyPath, queryPath, scorePath } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

const place = `${process.cwd()}/store.ts:12`;
const cause = new Error(`Code: 62. DB::Exception: SELECT secret FROM requests at ${place}`);
const leaks = /SELECT|FROM|Exception|chdb|node_modules|\.ts:\d+|secret/i;

/** The path as it is declared. What callers write into it is not for the log. */
const declared = (path: string): string => path.replace(rig.stored, '{id}').replace(/\/x$/, '/{name}');

/** An API whose inside fails at every call. */
function brokenBy(error: Error): Hono {
  const fail = (): never => {
    throw error;
  };
  return rig.withPorts({ run: fail, changeRequest: fail, declareProperty: fail });
}

describe('5xx', () => {
  test.each([
    [
      '503',
      new GatelogError('store_unavailable', 'The store cannot be reached. Try again in a moment.', { cause }),
      503,
      'store_unavailable',
    ],
    ['504', new GatelogError('query_timeout', 'The query took longer than its time limit.', { cause }), 504, 'query_timeout'],
    ['500 of ours', new GatelogError('internal', 'The store could not run this query.', { cause }), 500, 'internal'],
    ['500 of nobody', cause, 500, 'internal'],
  ])('%s, at every endpoint, with nothing of the inside; the log has it', async (_, error, status, code) => {
    const broken = brokenBy(error);
    for (const [method, path, body] of [
      ['POST', queryPath, { filter: {} }],
      ['GET', `/v1/request/${rig.stored}`, undefined],
      ['PUT', propertyPath(rig.stored), { a: 'b' }],
      ['POST', scorePath(rig.stored), { scores: { a: 1 } }],
      ['POST', feedbackPath(rig.stored), { rating: true }],
      ['GET', changesPath(rig.stored), undefined],
      ['PUT', '/v1/property/x', undefined],
    ] as const) {
      rig.observations.length = 0;
      const response = await rig.call(method, path, { api: broken, body });
      const problem = await checked(response, status, problemSchema);
      expect(problem.code).toBe(code);
      expect(JSON.stringify([problem, ...response.headers])).not.toMatch(leaks);
      expect(JSON.stringify(problem)).not.toContain(process.cwd());
      expect(response.headers.get('retry-after')).toBe(status === 503 ? '2' : null);
      expect(rig.observations).toMatchObject([
        { kind: 'api_failed', endpoint: `${method} ${declared(path)}`, reason: expect.stringContaining('secret') as string },
      ]);
    }
  });

  test('of the words of the engine, which may quote what is stored, the log has the code alone', async () => {
    rig.observations.length = 0;
    const engine = Object.assign(new Error("Syntax error near 'secret'"), { code: '62', type: 'SYNTAX_ERROR' });
    const failing = brokenBy(new GatelogError('internal', 'The store could not run this query.', { cause: engine }));
    await rig.call('GET', `/v1/request/${rig.stored}`, { api: failing });
    const reason = 'The store could not run this query. (engine error 62)';
    expect(rig.observations).toEqual([{ kind: 'api_failed', endpoint: 'GET /v1/request/{id}', reason }]);
  });

  test('of a caller who has left is no failure of the service', async () => {
    rig.observations.length = 0;
    const response = await rig.call('GET', `/v1/request/${rig.stored}`, { api: brokenBy(cause), signal: AbortSignal.abort() });
    expect(response.status).toBe(500);
    expect(rig.observations).toEqual([]);
  });

  test('readiness names the parts that fail', async () => {
    const response = await rig.call('GET', '/readyz', {
      key: null,
      api: rig.withPorts({ health: () => Promise.resolve({ failing: ['store'], degraded: [] }) }),
    });
    expect([response.status, await response.json()]).toEqual([503, { status: 'unavailable', failing: ['store'], degraded: [] }]);
  });
});
