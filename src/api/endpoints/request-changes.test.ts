import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doneSchema } from '../../contract/responses.ts';
import { changesAnswerSchema, type ChangeItem } from '../../contract/requests/changes.ts';
import type { RequestItem } from '../../contract/requests/item.ts';
import { requestAnswerSchema, requestQueryAnswerSchema } from '../../contract/requests/query.ts';
import {
  type ApiRig,
  changesPath,
  checked,
  feedbackPath,
  keyOf,
  openApiRig,
  propertyPath,
  queryPath,
  scorePath,
} from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

async function done(method: string, path: string, body: unknown): Promise<void> {
  expect(await checked(await rig.call(method, path, { body }), 200, doneSchema)).toEqual({ data: null, error: null });
}

async function itemOf(id: string): Promise<RequestItem> {
  return (await checked(await rig.call('GET', `/v1/request/${id}`), 200, requestAnswerSchema)).data;
}

async function changesOf(id: string, query = ''): Promise<readonly ChangeItem[]> {
  return (await checked(await rig.call('GET', `${changesPath(id)}${query}`), 200, changesAnswerSchema)).data;
}

async function idsWhere(leaf: object): Promise<string[]> {
  const body = { filter: { request_response_rmt: leaf } };
  const { data } = await checked(await rig.call('POST', queryPath, { body }), 200, requestQueryAnswerSchema);
  return data.map(({ request_id: id }) => id);
}

describe('200', () => {
  test('scores are seen by the next read, and leave those that are not named', async () => {
    await done('POST', scorePath(rig.stored), { scores: { accuracy: 0.1, helpful: true, wrong: false }, more: 'ignored' });
    await done('POST', scorePath(rig.stored.toUpperCase()), { scores: { accuracy: 1 / 3 } });
    expect((await itemOf(rig.stored)).scores).toEqual({ accuracy: 1 / 3, helpful: 1, wrong: 0 });
    expect(await idsWhere({ scores: { accuracy: { gt: 0.3 } } })).toEqual([rig.stored]);
    expect(await idsWhere({ scores: { accuracy: { lt: 0.3 } } })).toEqual([]);
  });

  test('an evaluation is a score by another name', async () => {
    await done('POST', `/v1/evals/${rig.stored}`, { name: 'faithfulness', score: 0.75 });
    expect((await itemOf(rig.stored)).scores).toMatchObject({ faithfulness: 0.75 });
    for (const body of [{ name: 'a' }, { score: 1 }, { name: 'a', score: 'high' }, { name: '', score: 1 }, []]) {
      expect((await rig.call('POST', `/v1/evals/${rig.stored}`, { body })).status).toBe(422);
    }
    expect((await rig.call('POST', `/v1/evals/${rig.foreign}`, { body: { name: 'a', score: 1 } })).status).toBe(404);
    expect((await rig.call('POST', `/v1/evals/${rig.stored}`, { key: keyOf('r'), body: { name: 'a', score: 1 } })).status).toBe(403);
  });

  test('a score may be called __proto__', async () => {
    expect((await rig.call('POST', scorePath(rig.stored), { text: '{"scores":{"__proto__":-0}}' })).status).toBe(200);
    expect(Object.entries((await itemOf(rig.stored)).scores)).toContainEqual(['__proto__', 0]);
  });

  test('a feedback is seen by the next read; a later one replaces it', async () => {
    expect(await itemOf(rig.stored)).toMatchObject({ feedback_id: null, feedback_rating: null, feedback_created_at: null });
    await done('POST', feedbackPath(rig.stored), { rating: true, more: 'ignored' });
    const good = await itemOf(rig.stored);
    expect(good).toMatchObject({ feedback_rating: true, scores: { 'svc-score-feedback': 1 } });
    expect(await idsWhere({ 'svc-score-feedback': { equals: true } })).toEqual([rig.stored]);
    await done('POST', feedbackPath(rig.stored), { rating: false });
    const bad = await itemOf(rig.stored);
    expect(bad).toMatchObject({ feedback_rating: false, scores: { 'svc-score-feedback': 0 } });
    expect(await idsWhere({ 'svc-score-feedback': { equals: false } })).toEqual([rig.stored]);
    expect(Number(bad.feedback_id)).toBeGreaterThan(Number(good.feedback_id));
    expect(Number.isSafeInteger(Number(bad.feedback_id))).toBe(true);
    expect(Date.parse(bad.feedback_created_at ?? '')).toBeGreaterThanOrEqual(Date.parse(good.feedback_created_at ?? ''));
  });

  test('a request in flight takes both', async () => {
    const scored = await rig.call('POST', scorePath(rig.inFlight), { body: { scores: { a: 0.5 } } });
    const rated = await rig.call('POST', feedbackPath(rig.inFlight), { body: { rating: true } });
    expect([scored.status, rated.status]).toEqual([200, 200]);
  });

  test('the history lists each name of each change, newest first, with who and when, and pages', async () => {
    const earlier = (await changesOf(rig.stored)).length;
    const startedAt = Date.now();
    await done('PUT', propertyPath(rig.stored), { Team: 'a' });
    await done('PUT', propertyPath(rig.stored), { Team: 'b', Environment: 'test' });
    await done('POST', scorePath(rig.stored), { scores: { fresh: 0.5 } });
    await done('POST', feedbackPath(rig.stored), { rating: true });
    const changes = await changesOf(rig.stored);
    expect(changes).toHaveLength(earlier + 5);
    expect(changes.slice(0, 5).map(({ kind, name, old, new: after }) => [kind, name, old, after])).toEqual([
      ['feedback', 'svc-score-feedback', false, true],
      ['score', 'fresh', null, 0.5],
      ['property', 'Environment', 'production', 'test'],
      ['property', 'Team', 'a', 'b'],
      ['property', 'Team', null, 'a'],
    ]);
    for (const { changed_at: at, key_id: keyId } of changes.slice(0, 5)) {
      expect(keyId).toBe('key-1');
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Date.parse(at)).toBeGreaterThanOrEqual(startedAt);
    }
    expect(await changesOf(rig.stored, '?limit=2&offset=1')).toEqual(changes.slice(1, 3));
    expect(await changesOf(rig.stored, '?limit=0')).toEqual([]);
    expect(await changesOf(rig.stored, `?offset=${changes.length}`)).toEqual([]);
    expect(await changesOf(rig.stored, '?limit=1000')).toEqual(changes);
    expect((await rig.call('GET', changesPath(rig.stored), { key: keyOf('r') })).status).toBe(200);
  });

  test('a page of the history has fifty entries unless another number is asked for', async () => {
    await done('POST', scorePath(rig.stored), {
      scores: Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`n${index}`, index])),
    });
    expect(await changesOf(rig.stored)).toHaveLength(50);
    expect((await changesOf(rig.stored, '?limit=64')).map(({ name }) => name).toSorted()).toEqual(
      Array.from({ length: 64 }, (_, index) => `n${index}`).toSorted(),
    );
  });
});
