import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ExchangeSketch, type IngestRig, newId, openRig } from '../../ingest/testing/ingest-harness.ts';
import { hashKey } from '../../auth/api-key.ts';
import { systemClock } from '../../platform/clock.ts';
import { createApi } from '../app.ts';
import { callApi, keyOf } from '../testing/api-harness.ts';
import { StreamReader, streamPath } from '../testing/event-stream.ts';
import { StreamScene, team } from '../testing/stream-scene.ts';
import type { StreamsOptions } from './streams.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const open: StreamScene[] = [];
async function scene(given?: Partial<StreamsOptions>): Promise<StreamScene> {
  const made = await StreamScene.open(rig, given);
  open.push(made);
  return made;
}
afterEach(async () => {
  for (const made of open.splice(0)) await made.close();
});

describe('the number of streams', () => {
  test('is limited, with a sentence', async () => {
    const live = await scene({ max: 2 });
    const viewers = [await live.view(), await live.view()];
    const refused = await live.call(streamPath());
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      503,
      '10',
      {
        data: null,
        error: '2 live streams are open at once, as many as there may be (GATELOG_STREAMS). End one, or try again later.',
        code: 'service_busy',
      },
    ]);
    await viewers[0]?.leave();
    await live.view();
  });

  test('is shared: who has most of them makes room for who has fewer', async () => {
    const live = await scene({ max: 3 });
    const mine = [await live.view(), await live.view(), await live.view()];
    const stranger = newId();
    const api = createApi({ ...live.ports, verifyKey: () => ({ ...live.spool.principal, organizationId: stranger }) }, () => ({}));
    const openTheirs = async (): Promise<Response> => live.call(streamPath(), {}, api);
    const theirs = new StreamReader(await openTheirs());
    await mine[2]?.untilEnd();
    expect(mine[2]?.end).toMatchObject({ code: 'service_busy' });
    expect((await openTheirs()).status).toBe(503);
    const id = await live.write();
    const foreign = await live.write({ open: { organizationId: stranger } });
    expect([await mine[0]?.ids(1), await mine[1]?.ids(1), await theirs.ids(1)]).toEqual([[id], [id], [foreign]]);
  });
});

describe('a stream ends', () => {
  test('with its key', async () => {
    const live = await scene();
    let known = true;
    const { verifyKey } = live.ports;
    const api = createApi({ ...live.ports, verifyKey: (hash) => (known ? verifyKey(hash) : undefined) }, () => ({}));
    const viewer = new StreamReader(await live.call(streamPath(), {}, api));
    await viewer.until(() => viewer.lastPosition !== '');
    known = false;
    const since = performance.now();
    await viewer.untilEnd();
    expect(viewer.end).toEqual({ data: null, error: 'The key of this stream was revoked.', code: 'invalid_key' });
    expect(performance.now() - since).toBeLessThan(5000);
    expect((await live.call(streamPath(), {}, api)).status).toBe(401);
  });

  test('with the session of a browser that has signed out', async () => {
    const live = await scene();
    let isOpen = true;
    const session = { keyHash: hashKey(keyOf('rw')), expiresAt: systemClock.now() + 60_000 };
    const browserSessions = { ...live.ports.browserSessions, find: () => (isOpen ? session : undefined) };
    const api = createApi({ ...live.ports, browserSessions }, () => ({}));
    const cookie = `${browserSessions.cookieName}=token`;
    const viewer = new StreamReader(await callApi(api, { method: 'GET', path: streamPath() }, { key: null, headers: { cookie } }));
    await viewer.until(() => viewer.lastPosition !== '');
    isOpen = false;
    await viewer.untilEnd();
    expect(viewer.end).toMatchObject({ code: 'invalid_key', error: expect.stringMatching(/session of this stream has ended/) as string });
  });

  test('with the permission to read', async () => {
    const live = await scene();
    let permissions: 'rw' | 'w' = 'rw';
    const api = createApi({ ...live.ports, verifyKey: () => ({ ...live.spool.principal, permissions }) }, () => ({}));
    const viewer = new StreamReader(await live.call(streamPath(), {}, api));
    await viewer.until(() => viewer.lastPosition !== '');
    permissions = 'w';
    await viewer.untilEnd();
    expect(viewer.end).toMatchObject({ code: 'permission_denied' });
  });

  test('with the service, without a failure', async () => {
    const live = await scene();
    const viewer = await live.view();
    live.streams.stop();
    await viewer.untilEnd();
    expect([viewer.end, live.streams.size]).toEqual([undefined, 0]);
    expect((await live.call(streamPath())).status).toBe(503);
  });
});

describe('a filter that cannot decide about a request', () => {
  const dear = { request_response_rmt: { request_body: { like: `%${'a_'.repeat(200)}b%` } } };
  const filterBounds = { ofRecord: 100_000, ofPage: 150_000 };
  const long: ExchangeSketch = { request: 'a'.repeat(20_000) };

  test.each([
    ['read along with others', async (live: StreamScene) => live.view(dear)],
    ['with bodies', async (live: StreamScene) => live.view(dear, { includeBodies: 'true' })],
    ['read behind', async (live: StreamScene) => live.view(dear, { cursor: '0' })],
  ])('%s: the viewer is told, and gets the next one', async (_, view) => {
    const live = await scene({ filterBounds });
    const viewer = await view(live);
    const passed = await live.write(long);
    const matching = await live.write({ request: `${'aa'.repeat(200)}b` });
    expect(await viewer.ids(1)).toEqual([matching]);
    expect(viewer.passedBy).toEqual([
      {
        request_id: passed,
        error:
          'The filter could not decide about this request, which is left out: the filter looked at more than 100,000 characters of the record.',
      },
    ]);
    await viewer.leave();
  });

  test('ends the stream when it goes on so', async () => {
    const live = await scene({ filterBounds });
    const [viewer, other] = [await live.view(dear), await live.view()];
    const written: string[] = [];
    for (let count = 0; count < 10; count += 1) written.push(await live.write(long));
    await viewer.untilEnd();
    expect(viewer.end).toMatchObject({
      code: 'invalid_filter',
      error: expect.stringMatching(/^The filter could not decide about 10 records in a row/) as string,
    });
    expect(viewer.passedBy.map(({ request_id: id }) => id)).toEqual(written);
    expect(await other.ids(10)).toEqual(written);
  });
});

describe('an erased user', () => {
  test('is not sent, also where events of theirs wait for a slow client', async () => {
    const live = await scene();
    const viewer = await live.view();
    const erased = [await live.write(team('a', { userId: 'gone' })), await live.write(team('a', { userId: 'gone' }))];
    const kept = await live.write(team('a', { userId: 'stays' }));
    await live.stored(3);
    const quick = await live.view('all', { cursor: '0' });
    expect(await quick.ids(3)).toEqual([...erased, kept]);
    const erasure = {
      number: Number(process.hrtime.bigint() % 1_000_000_000n),
      organizationId: live.spool.organizationId,
      userId: 'gone',
      erasedAt: systemClock.now(),
    };
    const { signal } = new AbortController();
    await rig.store.erase.list(erasure, signal);
    await rig.store.erase.removeRequests(erasure, signal);
    live.streams.forget(live.spool.organizationId);
    expect(await viewer.ids(1)).toEqual([kept]);
  });
});

describe('a call that cannot be answered', () => {
  test.each([
    ['{', 422, 'invalid_parameter'],
    ['{"properties":{"Team":{"equals":"a"}}}', 422, 'invalid_filter'],
    ['{"request_response_rmt":{"nothing":{"equals":"a"}}}', 422, 'invalid_filter'],
  ])('has a sentence: %s', async (filter, status, code) => {
    const live = await scene();
    const response = await live.call(`/v1/request/stream?filter=${encodeURIComponent(filter)}`);
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
    expect(live.streams.size).toBe(0);
  });

  test('needs a key that may read', async () => {
    const live = await scene();
    const status = async (key: string | null): Promise<number> =>
      (await callApi(live.api, { method: 'GET', path: streamPath() }, { key })).status;
    expect([
      await status(null),
      await status(keyOf('w')),
      (await callApi(live.api, { method: 'POST', path: streamPath() }, {})).status,
    ]).toEqual([401, 403, 405]);
  });
});
