import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type IngestRig, newId, openRig, until } from '../../ingest/testing/ingest-harness.ts';
import { systemClock } from '../../platform/clock.ts';
import { callApi } from '../testing/api-harness.ts';
import { streamPath } from '../testing/event-stream.ts';
import { ofTeam, StreamScene, team } from '../testing/stream-scene.ts';
import type { StreamsOptions } from './streams.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

const open: StreamScene[] = [];
async function scene(given?: Partial<StreamsOptions>, maxRows?: number): Promise<StreamScene> {
  const made = await StreamScene.open(rig, given, maxRows);
  open.push(made);
  return made;
}
afterEach(async () => {
  for (const made of open.splice(0)) await made.close();
});

describe('a stream', () => {
  test('sends what is stored from now on, each request as a query shows it without its bodies', async () => {
    const live = await scene();
    await live.write();
    await live.stored(1);
    const viewer = await live.view();
    const ids = [await live.write(team('search')), await live.write()];
    expect(await viewer.ids(2)).toEqual(ids);
    const page = await callApi(
      live.api,
      { method: 'POST', path: '/v1/request/query-clickhouse' },
      { body: { filter: 'all', includeBodies: false } },
    );
    const { data } = (await page.json()) as { data: { request_id: string; signed_body_url: string }[] };
    const shown = data.filter(({ request_id: id }) => ids.includes(id)).toReversed();
    expect(viewer.requests.map(({ item }) => ({ ...item, signed_body_url: '' }))).toEqual(
      shown.map((item) => ({ ...item, signed_body_url: '' })),
    );
    expect(await (await fetchBody(live, viewer.requests[0]?.item.signed_body_url)).json()).toMatchObject({ request: { model: 'echo-1' } });
  });

  test('is answered so that nothing between keeps it or collects it', async () => {
    const live = await scene();
    const response = await live.call(streamPath());
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    await response.body?.cancel();
    const head = await callApi(live.api, { method: 'HEAD', path: streamPath() }, {});
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
    await until(() => live.streams.size === 0);
  });

  test('sends bodies when they are asked for, in one line each', async () => {
    const live = await scene();
    const viewer = await live.view('all', { includeBodies: 'true' });
    const content = 'a\nb'.repeat(5000);
    const request = JSON.stringify({ model: 'echo-1', messages: [{ role: 'user', content }] });
    await live.write({ request });
    await viewer.ids(1);
    expect(viewer.requests[0]?.item).toMatchObject({ request_body: { messages: [{ content }] }, response_body: { id: 'chatcmpl-1' } });
  });

  test('sends bodies with the digits that came, also those that JavaScript would change', async () => {
    const live = await scene();
    const answer = await live.call(`${streamPath()}&includeBodies=true`);
    const exact = '"seed":[9007199254740993,1e400,-0,0.10000000000000000001]';
    await live.write({ request: `{"model":"echo-1","messages":[],${exact}}`, response: `{"id":"chatcmpl-1",${exact}}` });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes('chatcmpl-1')) text += decoder.decode((await reader.read()).value, { stream: true });
    await reader.cancel();
    expect(text.split(exact)).toHaveLength(3);
  });

  test('sends only what its filter matches, whatever others ask for', async () => {
    const live = await scene();
    const filters = [
      ofTeam('search'),
      { left: ofTeam('search'), operator: 'and', right: { response: { status: { gte: 400 } } } },
      { request_response_rmt: { request_body: { contains: 'NEEDLE' } } },
      { response: { body_completion: { equals: 'Hello.' } } },
      { sessions_request_response_rmt: { session_total_requests: { gte: 2 } } },
      {
        left: { session: { properties: { Plan: { equals: 'pro' } } } },
        operator: 'or',
        right: { request_response_rmt: { request_body: { contains: 'needle' } } },
      },
      { values: { city: { equals: 'Oslo' } } },
    ];
    const viewers = await Promise.all(filters.map((filter) => live.view({ left: filter, operator: 'or', right: ofTeam('end') })));
    const matched = Promise.all(viewers.map((viewer) => viewer.idsBefore('end')));
    const all = await live.view();
    const needle = JSON.stringify({ model: 'echo-1', messages: [{ role: 'user', content: 'a needle in hay' }] });
    const search = await live.write(team('search'));
    const failed = await live.write({ ...team('search'), head: { status: 500 }, response: '{"error":"no"}' });
    const found = await live.write({ ...team('other'), request: needle });
    const first = await live.write({ open: { tags: { properties: [{ name: 'Plan', value: 'pro' }], sessionId: 's' } } });
    await all.ids(4);
    const second = await live.write({ open: { tags: { properties: [], sessionId: 's', promptInputs: { city: 'Oslo' } } } });
    await all.ids(5);
    await live.write(team('end'));
    expect(await matched).toEqual([
      [search, failed],
      [failed],
      [found],
      [search, found, first, second],
      [second],
      [found, first, second],
      [second],
    ]);
  });

  test('has nothing of other organisations', async () => {
    const live = await scene();
    const viewer = await live.view();
    const stranger = newId();
    await live.write({ open: { organizationId: stranger } });
    const id = await live.write();
    await live.write({ open: { organizationId: stranger } });
    expect(await viewer.ids(1)).toEqual([id]);
    const again = await live.view('all', { cursor: '0' });
    expect(await again.ids(1)).toEqual([id]);
  });

  test('has no event for a change of a request', async () => {
    const live = await scene();
    const viewer = await live.view();
    const first = await live.write();
    await viewer.ids(1);
    const change = { kind: 'property', values: new Map([['Team', 'late']]) } as const;
    await live.core.changer.change(live.spool.principal, viewer.requests[0]?.item.request_id as never, change);
    const second = await live.write();
    expect(await viewer.ids(2)).toEqual([first, second]);
  });

  test('shows that it is alive, with a position', async () => {
    const live = await scene({ aliveMs: 50 });
    const viewer = await live.view(ofTeam('nobody'));
    const before = viewer.lastPosition;
    await live.write();
    await live.stored(1);
    await viewer.until(() => viewer.comments.includes('alive') && viewer.lastPosition !== before);
    expect(Number(viewer.lastPosition)).toBe(live.order.through);
  });
});

describe('a client that connects again', () => {
  test('goes on behind the last event that it has', async () => {
    const live = await scene();
    const first = await live.view();
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) ids.push(await live.write());
    await first.ids(7);
    await first.leave();
    for (const [index, { position }] of first.requests.entries()) {
      const again = await live.view('all', {}, { 'last-event-id': position });
      await live.write();
      await again.until(() => again.requests.length >= 7 - index);
      expect(again.requests.slice(0, 6 - index).map(({ item }) => item.request_id)).toEqual(ids.slice(index + 1));
      await again.leave();
    }
  });

  test('gets what was stored while it was away, a long call too that began before', async () => {
    const live = await scene();
    const stream = live.writer.newStream();
    const long = live.spool.writeOpen(live.writer, stream, { openedAt: systemClock.now() - 3_600_000 });
    const viewer = await live.view();
    await live.write();
    await viewer.ids(1);
    await viewer.leave();
    const away = [await live.write()];
    await live.stored(2);
    live.spool.writeRest(live.writer, stream, {});
    away.push(long);
    await live.stored(3);
    const again = await live.view('all', { cursor: '0' }, { 'last-event-id': viewer.lastPosition });
    away.push(await live.write());
    expect(await again.ids(3)).toEqual(away);
  });

  test('has a position before the first event, and with every sign of life', async () => {
    const live = await scene();
    const viewer = await live.view();
    await viewer.leave();
    const id = await live.write();
    await live.stored(1);
    const again = await live.view('all', {}, { 'last-event-id': viewer.lastPosition });
    expect(await again.ids(1)).toEqual([id]);
  });

  test('that is ahead of the store, as after a restore, misses nothing new', async () => {
    const live = await scene();
    const viewer = await live.view('all', { cursor: String(live.order.through + 1e12) });
    const id = await live.write();
    expect(await viewer.ids(1)).toEqual([id]);
  });

  test.each(['x', '-1', '1.5', '99999999999999999', ''])('with %j for a position is refused', async (cursor) => {
    const live = await scene();
    const response = await live.call(streamPath('all', { cursor }));
    expect([response.status, await response.json()]).toMatchObject([422, { code: 'invalid_body', details: { path: 'cursor' } }]);
  });
});

describe('a slow client', () => {
  test('gets everything once, in order, and delays nobody', async () => {
    const live = await scene({}, 200);
    const [slow, quick] = [await live.view(), await live.view()];
    const properties = [{ name: 'Text', value: 'x'.repeat(2000) }];
    const ids: string[] = [];
    for (let count = 0; count < 1500; count += 1) ids.push(await live.write({ open: { tags: { properties } } }));
    expect(await quick.ids(1500)).toEqual(ids);
    // It has read nothing, and more than 3 MB wait for it.
    expect(slow.requests).toEqual([]);
    expect(await slow.ids(1500)).toEqual(ids);
    const next = await live.write();
    expect((await slow.ids(1501)).at(-1)).toBe(next);
  });
});

function fetchBody(live: StreamScene, address: string | null | undefined): Promise<Response> {
  const { pathname, search } = new URL(address ?? '');
  return callApi(live.api, { method: 'GET', path: pathname + search }, { key: null });
}
