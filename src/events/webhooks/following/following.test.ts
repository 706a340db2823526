import { GatelogError } from '../../../model/errors.ts';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Webhook } from '../../../model/events/webhook.ts';
import type { RequestId } from '../../../model/ids.ts';
import type { RequestRecord } from '../../../model/record/request-record.ts';
import { inWriteTransaction } from '../../../platform/sqlite/database.ts';
import { idAt } from '../../../query/testing/query-harness.ts';
import { FollowingScene } from '../testing/following-scene.ts';

const at = Date.now();
const idOf = (number: number): RequestId => idAt(at + number, number);
const record = (number: number): Partial<RequestRecord> => ({
  requestId: idOf(number),
  createdAt: at + number,
  userId: `user-${number % 2}`,
});
const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, index) => from + index);
const ofUser = (user: number) => ({ request_response_rmt: { user_id: { equals: `user-${user}` } } });
const request = (number: number) => ({ requestId: idOf(number), createdAt: at + number });
const maxPending = 1000;

let scene: FollowingScene;
const store = (from: number, to: number): Promise<void> => scene.store(range(from, to).map(record));
const ids = (from: number, to: number): readonly RequestId[] => range(from, to).map(idOf);

beforeEach(async () => {
  scene = await FollowingScene.open({ maxPending, maxNotes: 20_000 });
});
afterEach(async () => scene.close());

describe('a new request', () => {
  it('is announced to the webhooks whose filter it matches, from their creation on, once', async () => {
    await store(0, 4);
    const [all, odd] = [scene.define(), scene.define({ filter: ofUser(1) })];
    scene.start();
    await store(4, 8);
    const late = scene.define();
    await store(8, 12);
    for (const webhook of [all, odd, late]) await scene.reachesEnd(webhook);
    expect(await scene.deliveries(all)).toEqual(ids(4, 12));
    expect(await scene.deliveries(odd)).toEqual([5, 7, 9, 11].map(idOf));
    expect(await scene.deliveries(late)).toEqual(ids(8, 12));
  });

  it('that was stored while the core was away is announced after its start, and none twice', async () => {
    const webhook = scene.define();
    scene.start();
    await store(0, 5);
    await scene.reachesEnd(webhook);
    await scene.restart();
    await store(5, 400);
    await scene.restart();
    await scene.reachesEnd(webhook);
    expect(await scene.deliveries(webhook)).toEqual(ids(0, 400));
  });

  it('is not announced to a webhook that was disabled when it was stored', async () => {
    const webhook = scene.define();
    scene.start();
    await store(0, 3);
    await scene.reachesEnd(webhook);
    scene.define({ ...webhook, disabled: { at: Date.now(), reason: 'by_owner' } });
    await store(3, 6);
    scene.define({ ...webhook, startsAfter: scene.order.through });
    await store(6, 9);
    await scene.reachesEnd(webhook);
    expect(await scene.deliveries(webhook)).toEqual([...ids(0, 3), ...ids(6, 9)]);
  });

  it('is not announced to a webhook that did not ask for new requests when it was stored', async () => {
    const webhook = scene.define({ events: ['request.updated'] });
    scene.start();
    await store(0, 3);
    scene.define({ ...webhook, events: ['request.completed'], changedAt: Date.now() + 1 });
    await expect.poll(() => scene.position(webhook.id)).toBeGreaterThanOrEqual(scene.order.through);
    await store(3, 6);
    await scene.reachesEnd(webhook);
    expect(await scene.deliveries(webhook)).toEqual(ids(3, 6));
  });
});

describe('a webhook whose deliveries are not made', () => {
  it('stands still at its bound, delays no other, goes on at half of the bound, and loses nothing', async () => {
    const [dead, quick] = [scene.define(), scene.define()];
    scene.start();
    for (let from = 0; from < 3000; from += 250) {
      await store(from, from + 250);
      await scene.reachesEnd(quick);
      await scene.deliverAll(quick);
    }
    expect(await scene.deliveries(quick)).toEqual(ids(0, 3000));
    const pending = (await scene.deliveries(dead)).length;
    expect(pending).toBeLessThanOrEqual(maxPending);
    expect(pending).toBeGreaterThan(maxPending / 2);
    await expect.poll(() => scene.deliverAll(dead).then(() => scene.position(dead.id)), { timeout: 60_000 }).toBe(scene.order.through);
    expect(await scene.deliveries(dead)).toEqual(ids(0, 3000));
  });
});

const long = (number: number): Partial<RequestRecord> => ({ ...record(number), requestBody: { kind: 'text', text: 'a'.repeat(20_000) } });

/** What the log of deliveries says of a webhook. */
const undecided = (webhook: Webhook) =>
  scene.database.queries
    .selectFrom('deliveries')
    .innerJoin('attempts', 'attempts.delivery_id', 'deliveries.id')
    .select(['request_id', 'state', 'failure', 'reason'])
    .where('target', '=', `webhook/${webhook.id}`)
    .orderBy('deliveries.id')
    .execute();

describe('a filter that cannot decide about a request', () => {
  /** Looks at more of a text of 1,000 letters than the bounds of these tests allow, and at little of a short one. */
  const dear = { request_response_rmt: { request_body: { like: `%${'a_'.repeat(200)}b%` } } };
  const decidable = { request_response_rmt: { user_id: { equals: 'user-0' } } };
  const bounds = { ofRecord: 100_000, ofPage: 150_000 };

  beforeEach(async () => {
    await scene.close();
    scene = await FollowingScene.open({ filterBounds: bounds });
  });

  it('passes it by, says so in the log of deliveries, and goes on; others get it', async () => {
    const [webhook, other] = [scene.define({ filter: dear }), scene.define({ filter: decidable })];
    scene.start();
    await scene.store([long(0), { ...record(1), requestBody: { kind: 'text', text: `${'aa'.repeat(200)}b` } }, long(2)]);
    await scene.reachesEnd(webhook);
    await scene.reachesEnd(other);
    expect(await undecided(webhook)).toEqual(
      [0, 2].map((number) => ({
        request_id: idOf(number),
        state: 'failed',
        failure: 'filter',
        reason: 'Not sent. The filter could not decide about the request: the filter looked at more than 100,000 characters of the record.',
      })),
    );
    expect(await scene.deliveries(webhook)).toEqual(ids(0, 3));
    expect(await scene.deliveries(other)).toEqual([0, 2].map(idOf));
    // A page is told of after its positions are stored.
    await expect.poll(() => scene.observations.filter(({ kind }) => kind === 'webhook_filter_failed')).not.toEqual([]);
    expect(scene.givenUp).toEqual([]);
  });

  it('is left behind by a restart in the midst of it', async () => {
    const webhook = scene.define({ filter: dear });
    scene.start();
    await scene.store(range(0, 5).map(long));
    await expect.poll(async () => (await undecided(webhook)).length).toBeGreaterThan(0);
    await scene.restart();
    await scene.reachesEnd(webhook);
    expect(new Set((await undecided(webhook)).map(({ request_id: id }) => id))).toEqual(new Set(ids(0, 5)));
  });

  it('is the end of the webhook when it goes on so', async () => {
    const webhook = scene.define({ filter: dear });
    scene.start();
    await scene.store(range(0, 12).map(long));
    await expect.poll(() => scene.givenUp.length).toBe(1);
    expect(scene.givenUp[0]).toMatch(/^The filter could not decide about 10 records in a row: the filter looked at more than 100,000/);
    expect((await undecided(webhook)).length).toBeGreaterThanOrEqual(10);
  });

  it('passes a changed request by, too', async () => {
    await scene.store(range(0, 3).map(long));
    const webhook = scene.define({ filter: dear, events: ['request.updated'] });
    await scene.notes.add(scene.organizationId, range(0, 3).map(request));
    scene.start();
    await expect.poll(async () => (await undecided(webhook)).map(({ request_id: id }) => id)).toEqual(ids(0, 3));
    await expect.poll(notes).toBe(0);
  });
});

describe('a change of a stored request', () => {
  it('is announced as the request is by then; several that are read together are one event', async () => {
    await store(0, 4);
    const [all, odd] = [scene.define({ events: ['request.updated'] }), scene.define({ events: ['request.updated'], filter: ofUser(1) })];
    await scene.notes.add(scene.organizationId, [request(1), request(2)]);
    await scene.notes.add(scene.organizationId, [request(1)]);
    scene.start();
    await expect.poll(async () => (await scene.deliveries(all, 'request.updated')).toSorted()).toEqual(ids(1, 3));
    await expect.poll(() => scene.deliveries(odd, 'request.updated')).toEqual(ids(1, 2));
    expect(await scene.deliveries(all)).toEqual([]);
    await expect.poll(() => notes()).toBe(0);
  });

  it('that was noted before a kill is announced after it', async () => {
    await store(0, 2);
    const webhook = scene.define({ events: ['request.updated'] });
    await scene.notes.add(scene.organizationId, [request(0)]);
    await scene.restart();
    await expect.poll(() => scene.deliveries(webhook, 'request.updated')).toEqual(ids(0, 1));
  });

  it('that was noted before it is made is announced when it has been made, and what is noted since with it', async () => {
    await store(0, 3);
    const webhook = scene.define({ events: ['request.updated'] });
    scene.start();
    await scene.notes.during(scene.organizationId, [request(0)], async () => {
      await scene.notes.add(scene.organizationId, [request(1)]);
      scene.define({});
      await scene.restart();
      expect(scene.notes.watermark(scene.organizationId)).toBe(0);
      expect(await scene.deliveries(webhook, 'request.updated')).toEqual([]);
    });
    await expect.poll(async () => (await scene.deliveries(webhook, 'request.updated')).toSorted()).toEqual(ids(0, 2));
  });

  it('that was noted before it is made, and was refused, is announced to nobody', async () => {
    await store(0, 3);
    const webhook = scene.define({ events: ['request.updated'] });
    scene.start();
    const refused = scene.notes.during(scene.organizationId, [request(0), request(1)], async () => {
      await scene.notes.add(scene.organizationId, [request(2)]);
      throw new GatelogError('query_too_large', 'Too many properties.');
    });
    await expect(refused).rejects.toMatchObject({ code: 'query_too_large' });
    await expect.poll(() => scene.deliveries(webhook, 'request.updated')).toEqual(ids(2, 3));
    await expect.poll(() => notes()).toBe(0);
    expect(await scene.deliveries(webhook, 'request.updated')).toEqual(ids(2, 3));
  });

  it('that may have been made before it failed is announced', async () => {
    await store(0, 1);
    const webhook = scene.define({ events: ['request.updated'] });
    scene.start();
    const failed = scene.notes.during(scene.organizationId, [request(0)], async () => {
      throw new GatelogError('store_unavailable', 'The store does not answer.');
    });
    await expect(failed).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect.poll(() => scene.deliveries(webhook, 'request.updated')).toEqual(ids(0, 1));
  });

  it('of a request that is gone is announced to nobody', async () => {
    await store(0, 1);
    const webhook = scene.define({ events: ['request.updated'] });
    scene.start();
    await scene.notes.add(scene.organizationId, [request(7), request(0)]);
    await expect.poll(() => scene.deliveries(webhook, 'request.updated')).toEqual(ids(0, 1));
  });

  it('costs nothing where no webhook asks for it', async () => {
    await store(0, 1);
    scene.define();
    await scene.notes.add(scene.organizationId, [request(0)]);
    expect(await notes()).toBe(0);
  });

  it('is dropped, and counted, when too many wait for webhooks that take none', async () => {
    scene.define({ events: ['request.updated'] });
    for (let from = 0; from < 30_000; from += 10_000) await scene.notes.add(scene.organizationId, range(from, from + 10_000).map(request));
    await expect.poll(notes).toBe(20_000);
    await expect.poll(() => scene.observations).toEqual([{ kind: 'webhook_updates_dropped', updates: 10_000 }]);
  });
});

async function notes(): Promise<number> {
  const { total } = await scene.database.queries
    .selectFrom('updated_requests')
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

describe('a page that many webhooks get', () => {
  /** What one look at the database finds. */
  async function look(): Promise<{ readonly rows: number; readonly isConsistent: boolean }> {
    const { queries } = scene.database;
    const { counts, positions } = await inWriteTransaction({ queries }, async (transaction) => ({
      counts: await transaction.queries
        .selectFrom('deliveries')
        .select((select) => ['target', select.fn.countAll<number>().as('count')])
        .groupBy('target')
        .execute(),
      positions: await transaction.queries.selectFrom('webhook_positions').select(['webhook_id', 'position']).execute(),
    }));
    const moved = new Set(
      positions.filter(({ position }) => position === scene.order.through).map(({ webhook_id: id }) => `webhook/${id}`),
    );
    return {
      rows: counts.reduce((sum, { count }) => sum + count, 0),
      isConsistent: counts.every(({ target, count }) => count === pageRows && moved.has(target)) && moved.size === counts.length,
    };
  }

  const pageRows = 200;
  const webhooks = 40;

  it('is announced in slices, each with its positions, and others get to work in between', async () => {
    const all = range(0, webhooks).map(() => scene.define());
    scene.start();
    await Promise.all(all.map((webhook) => vi.waitFor(async () => expect(await scene.position(webhook.id)).toBeDefined())));
    const looks = [await look()];
    const storing = store(0, pageRows);
    while ((looks.at(-1)?.rows ?? 0) < pageRows * webhooks) {
      await new Promise(setImmediate);
      looks.push(await look());
    }
    await storing;
    const steps = looks.map(({ rows }, index) => rows - (looks[index - 1]?.rows ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(500);
    expect(looks.slice(1).filter(({ rows, isConsistent }) => rows > 0 && !isConsistent)).toEqual([]);
  });

  it('of which a slice cannot be written is told to the others meanwhile, to those once it can, and to none twice', async () => {
    const all = range(0, webhooks).map(() => scene.define());
    const blocked = all[25]?.id ?? '';
    const { queries } = scene.database;
    await sql`create trigger full before insert on deliveries when new.target = ${sql.lit(`webhook/${blocked}`)}
      begin select raise(abort, 'the disk is full'); end`.execute(queries);
    scene.start();
    await store(0, pageRows);
    await vi.waitFor(() => expect(scene.observations.length).toBeGreaterThan(1), { timeout: 10_000 });
    const told = await look();
    expect(told).toMatchObject({ isConsistent: true });
    expect(told.rows).toBeGreaterThan(0);
    await sql`drop trigger full`.execute(queries);
    for (const webhook of all) await scene.reachesEnd(webhook);
    for (const webhook of all) expect(await scene.deliveries(webhook)).toEqual(ids(0, pageRows));
  });
});
