import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AttemptOutcome } from '../../model/events/attempt.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import { messages } from '../channels/testing/messages.ts';
import { addDeliveries } from '../log/add-deliveries.ts';
import { delivered, failedWith, OutboxRig, organizationId, requestDelivery } from '../testing/outbox-harness.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
let rig: OutboxRig;

beforeEach(async () => {
  rig = new OutboxRig();
  await rig.open();
});
afterEach(() => rig.close());

/** The n-th attempt has ended, and that is stored. */
const ended = (count: number): Promise<void> => vi.waitFor(() => expect(rig.ends).toHaveLength(count), { timeout: 10_000, interval: 2 });
const begun = (count: number): Promise<void> =>
  vi.waitFor(() => expect(rig.attempts).toHaveLength(count), { timeout: 10_000, interval: 2 });
const state = async (id: string) => (await rig.row(id)).state;

/** Moves to each alarm, once everything that began has ended, until so many attempts have ended. */
async function runUntil(count: number): Promise<void> {
  while (rig.ends.length < count) {
    await vi.waitFor(
      () => {
        expect(rig.ends).toHaveLength(rig.attempts.length);
        expect(rig.clock.nextAlarm).toBeDefined();
      },
      { timeout: 10_000, interval: 2 },
    );
    const begunBefore = rig.attempts.length;
    rig.clock.moveTo(rig.clock.nextAlarm ?? 0);
    await vi.waitFor(() => expect(rig.attempts.length > begunBefore || rig.clock.nextAlarm !== undefined).toBe(true), { interval: 2 });
    await vi.waitFor(() => expect(rig.ends).toHaveLength(rig.attempts.length), { timeout: 10_000, interval: 2 });
  }
}

/** An answer that stays open until the test ends it. */
function held(): { readonly answer: () => Promise<AttemptOutcome>; readonly end: (outcome: AttemptOutcome) => void } {
  const waiting: ((outcome: AttemptOutcome) => void)[] = [];
  return {
    answer: () => new Promise((resolve) => waiting.push(resolve)),
    end: (outcome) => {
      for (const resolve of waiting.splice(0)) resolve(outcome);
    },
  };
}

describe('a delivery', () => {
  it('is attempted at once; all attempts have its identifier, and its log has their heads', async () => {
    rig.answer = () => failedWith(500);
    const [id = ''] = await rig.add(requestDelivery('w'));
    await ended(1);
    rig.answer = () => delivered;
    rig.clock.moveTo(rig.clock.now() + 5 * second);
    await ended(2);
    expect(rig.attempts.map((attempt) => attempt.delivery.id)).toEqual([id, id]);
    const rows = await rig.database.queries.selectFrom('attempts').selectAll().orderBy('number').execute();
    expect(
      rows.map(({ number, outcome, status, request_head, response_head }) => [number, outcome, status, request_head, response_head]),
    ).toEqual([
      [1, 'failed', 500, 'POST / HTTP/1.1', 'HTTP/1.1 500'],
      [2, 'delivered', 200, 'POST / HTTP/1.1', 'HTTP/1.1 200 OK'],
    ]);
    expect(await rig.row(id)).toMatchObject({ state: 'delivered', attempts: 2, due_at: null, ended_at: rig.clock.now() });
  });

  it('has ten attempts at the times of the schedule and is exhausted then; others are told once', async () => {
    rig.answer = () => failedWith(500);
    const start = rig.clock.now();
    const [id = ''] = await rig.add(requestDelivery('w'));
    await runUntil(10);
    const waits = [0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
    const times = waits.map((_wait, index) => start + waits.slice(0, index + 1).reduce((sum, wait) => sum + wait, 0));
    expect(rig.attempts.map(({ at }) => at)).toEqual(times);
    expect(await rig.row(id)).toMatchObject({ state: 'failed', failure: 'exhausted', attempts: 10, due_at: null });
    expect(rig.notices).toMatchObject([{ type: 'webhook.exhausted', deliveryId: id, reason: 'The receiver answered 500.' }]);
  });

  it('that is refused gets no further attempt', async () => {
    rig.answer = () => ({ kind: 'refused', reason: 'The address is private.', response: undefined, disables: false });
    const [id = ''] = await rig.add(requestDelivery('w'));
    await ended(1);
    expect(await rig.row(id)).toMatchObject({ state: 'failed', failure: 'refused' });
    expect(rig.disabled).toEqual([]);
  });

  it('of an alert to its channel that fails stands in the history of the rule: first, and when it is given up', async () => {
    const content = { ...messages.plain, incidentId: 'i', threshold: 10, window: { from: 1, to: 2 } };
    const target = { kind: 'channel', alertId: 'a', channelId: 'c' } as const;
    const message = { organizationId, target, type: 'alert.triggered', subject: { kind: 'message', content }, occurredAt: 7 } as const;
    rig.answer = () => failedWith(500);
    await rig.add(message);
    await runUntil(10);
    rig.answer = () => delivered;
    await rig.add(message);
    await runUntil(11);
    const rows = await rig.database.queries.selectFrom('alert_history').selectAll().orderBy('seq').execute();
    expect(rows).toMatchObject([
      { rule_id: 'a', organization_id: organizationId, state: 'error', incident_id: 'i', threshold: 10, window_from: 1, window_to: 2 },
      { rule_id: 'a' },
    ]);
    expect(rows.map(({ reason }) => reason)).toEqual([
      'The channel channel/a/c was not told: The receiver answered 500. It is tried again.',
      'The channel channel/a/c was not told: The receiver answered 500. It is not tried again.',
    ]);
  });

  it('of a request that was removed is gone, and nothing is sent', async () => {
    rig.gone.add('01890000-0000-7000-8000-0000000000aa');
    const [id = ''] = await rig.add(requestDelivery('w'));
    await ended(1);
    expect(await rig.row(id)).toMatchObject({ state: 'gone', attempts: 0 });
    expect(rig.attempts).toEqual([]);
  });

  it('whose attempt ends with the process is attempted again by the next one, under the same identifier', async () => {
    rig.answer = () => new Promise(() => undefined);
    const [id = ''] = await rig.add(requestDelivery('w'));
    await begun(1);
    await rig.die();
    rig.answer = () => delivered;
    await rig.open();
    await ended(1);
    expect(rig.attempts.map((attempt) => attempt.delivery.id)).toEqual([id, id]);
    expect(await rig.row(id)).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('that is removed during an attempt leaves nothing behind', async () => {
    const { answer, end } = held();
    rig.answer = answer;
    const [id = ''] = await rig.add(requestDelivery('w'));
    await begun(1);
    await rig.database.queries.deleteFrom('deliveries').where('id', '=', id).execute();
    end(failedWith(500));
    await ended(1);
    expect(await rig.database.queries.selectFrom('attempts').selectAll().execute()).toEqual([]);
  });
});

describe('a destination', () => {
  it('gets as many events at once as it may, and each other one when one of them has ended', async () => {
    const { answer, end } = held();
    rig.answer = answer;
    await rig.add(...Array.from({ length: 20 }, () => requestDelivery('w')));
    await begun(8);
    await new Promise(setImmediate);
    expect(rig.attempts).toHaveLength(8);
    end(delivered);
    await begun(16);
    end(delivered);
    await begun(20);
    end(delivered);
    await ended(20);
  });

  it('shares its places among the webhooks of an organisation that name it', async () => {
    for (const id of ['one', 'two']) rig.states.set(id, { kind: 'open', destination: 'https://same.example.com' });
    const { answer, end } = held();
    rig.answer = answer;
    await rig.add(...Array.from({ length: 6 }, () => requestDelivery('one')), ...Array.from({ length: 6 }, () => requestDelivery('two')));
    await begun(8);
    await new Promise(setImmediate);
    expect(rig.attempts).toHaveLength(8);
    end(delivered);
    await begun(12);
    end(delivered);
    await ended(12);
  });

  it('that fails five times in a row is probed by one delivery at a time; the others use up no attempts', async () => {
    rig.answer = () => failedWith(500);
    await rig.add(...Array.from({ length: 50 }, () => requestDelivery('w')));
    await ended(8);
    await runUntil(12);
    const rows = await rig.database.queries.selectFrom('deliveries').selectAll().execute();
    expect(rows.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(12);
    expect(rows.every(({ step }) => step <= 2)).toBe(true);
    const probes = rig.attempts.slice(8).map(({ at }) => at - rig.clock.now());
    expect(new Set(probes).size).toBe(probes.length);
    rig.answer = () => delivered;
    await runUntil(62);
    expect((await rig.database.queries.selectFrom('deliveries').select('id').where('state', '=', 'delivered').execute()).length).toBe(50);
  });

  it('that hangs delays no other', async () => {
    const { answer, end } = held();
    rig.answer = (attempt) =>
      attempt.delivery.target.kind === 'webhook' && attempt.delivery.target.webhookId.startsWith('slow') ? answer() : delivered;
    const slow = Array.from({ length: 60 }, (_, index) => Array.from({ length: 8 }, () => requestDelivery(`slow-${index}`)));
    await rig.add(...slow.flat());
    await vi.waitFor(() => expect(rig.attempts.length).toBeGreaterThan(100));
    const ids = await rig.add(...Array.from({ length: 30 }, () => requestDelivery('fast')));
    await ended(30);
    for (const id of ids) expect(await state(id)).toBe('delivered');
    end(delivered);
  });

  it('and of another organisation, delays none however many there are', async () => {
    const other = '01890000-0000-7000-8000-000000000002' as OrganizationId;
    const { answer, end } = held();
    rig.answer = ({ delivery }) => (delivery.organizationId === other ? delivered : answer());
    const slow = Array.from({ length: 300 }, (_, index) => Array.from({ length: 8 }, () => requestDelivery(`slow-${index}`)));
    await rig.add(...slow.flat());
    await vi.waitFor(() => expect(rig.attempts.length).toBeGreaterThan(100));
    const theirs = Array.from({ length: 300 }, (_, index) => requestDelivery(`theirs-${index}`, undefined, other));
    const ids = await rig.add(...theirs);
    await ended(300);
    expect(rig.attempts.length - ids.length).toBeLessThanOrEqual(128);
    end(delivered);
    await vi.waitFor(() => {
      end(delivered);
      expect(rig.ends).toHaveLength(2700);
    }, 60_000);
  });

  it('to which nothing was sent is no failing one: what else waits is decided at once', async () => {
    rig.answer = () => ({ kind: 'refused', reason: 'Too many mails.', response: undefined, disables: false, isUnsent: true });
    const ids = await rig.add(...Array.from({ length: 30 }, () => requestDelivery('w')));
    await ended(30);
    await vi.waitFor(async () => expect(await Promise.all(ids.map(state))).toEqual(ids.map(() => 'failed')));
    const reasons = await rig.database.queries.selectFrom('attempts').select('reason').execute();
    expect(reasons).toEqual(ids.map(() => ({ reason: 'Too many mails.' })));
    rig.answer = () => delivered;
    await rig.add(requestDelivery('w'));
    await ended(31);
  });

  it('that asks for a wait gets nothing before it is over', async () => {
    rig.answer = () => failedWith(429, 2 * minute);
    await rig.add(requestDelivery('w'));
    await ended(1);
    rig.answer = () => delivered;
    await rig.add(requestDelivery('w'));
    await vi.waitFor(() => expect(rig.clock.nextAlarm).toBe(rig.clock.now() + 2 * minute));
    expect(rig.attempts).toHaveLength(1);
    rig.clock.moveTo(rig.clock.now() + 2 * minute);
    await ended(3);
  });
});

describe('a target is disabled', () => {
  it('by 410; its other deliveries fail, and others are told', async () => {
    const { answer, end } = held();
    rig.answer = answer;
    const ids = await rig.add(requestDelivery('w'), ...Array.from({ length: 20 }, () => requestDelivery('w')));
    await begun(8);
    end({ kind: 'refused', reason: 'The receiver answered 410.', response: { status: 410, head: '' }, disables: true });
    await vi.waitFor(async () => expect(await Promise.all(ids.map(state))).toEqual(ids.map(() => 'failed')));
    await vi.waitFor(() => expect(rig.disabled).toEqual([{ webhookId: 'w', reason: 'gone' }]));
    await vi.waitFor(() => expect(rig.notices).toMatchObject([{ type: 'webhook.disabled' }]));
    expect((await rig.row(ids.at(-1) ?? '')).failure).toBe('disabled');
  });

  it('after five days of failures without a success between', async () => {
    rig.answer = () => failedWith(500);
    const start = rig.clock.now();
    await rig.add(requestDelivery('w'));
    await runUntil(10);
    expect(rig.clock.now() - start).toBeLessThan(4 * day);
    await rig.add(requestDelivery('w'));
    while (rig.disabled.length === 0) await runUntil(rig.ends.length + 1);
    expect(rig.clock.now() - start).toBeGreaterThanOrEqual(5 * day);
    expect(rig.clock.now() - start).toBeLessThan(7 * day);
    expect(rig.disabled).toEqual([{ webhookId: 'w', reason: 'failing' }]);
  });

  it('not by two failures that are far apart', async () => {
    rig.answer = () => ({ kind: 'refused', reason: 'no', response: undefined, disables: false });
    await rig.add(requestDelivery('w'));
    await ended(1);
    rig.clock.moveTo(rig.clock.now() + 10 * day);
    await rig.add(requestDelivery('w'));
    await ended(2);
    expect(rig.disabled).toEqual([]);
  });

  it('also when the process dies before whoever defines it was told', async () => {
    await rig.database.queries
      .insertInto('targets')
      .values({
        target: 'webhook/w',
        organization_id: organizationId,
        failed_in_a_row: 1,
        failing_since: 1,
        last_success_at: null,
        last_failure_at: 1,
        noticed_at: null,
        disabling: 'gone',
        pruned: 0,
      })
      .execute();
    await rig.die();
    await rig.open();
    await vi.waitFor(() => expect(rig.disabled).toEqual([{ webhookId: 'w', reason: 'gone' }]));
  });
});

describe('a removed target', () => {
  it('leaves nothing behind, also when the process died in between', async () => {
    await rig.add(requestDelivery('w'));
    await ended(1);
    await rig.die();
    rig.states.set('w', { kind: 'removed' });
    await rig.open();
    for (const table of ['deliveries', 'attempts', 'targets'] as const) {
      await vi.waitFor(async () => expect(await rig.database.queries.selectFrom(table).selectAll().execute()).toEqual([]));
    }
  });
});

describe('targets that are removed together', () => {
  it.each([
    [10, 600],
    [40, 100],
  ])('%i with %i deliveries each: others get to work between some hundred of them', async (targets, each) => {
    const names = Array.from({ length: targets }, (_, index) => `w${index}`);
    for (const name of names) rig.states.set(name, { kind: 'disabled' });
    const deliveries = names.flatMap((name) => Array.from({ length: each }, () => requestDelivery(name)));
    await inWriteTransaction(rig.database, (transaction) => addDeliveries(transaction, deliveries, 0));
    for (const name of names) rig.states.set(name, { kind: 'removed' });
    rig.outbox.wake(deliveries);
    const left: number[] = [deliveries.length];
    while (left.at(-1) !== 0) {
      await new Promise(setImmediate);
      const rows = rig.database.queries.selectFrom('deliveries').select((select) => select.fn.countAll<number>().as('count'));
      left.push((await rows.executeTakeFirstOrThrow()).count);
    }
    expect(Math.max(...left.slice(1).map((count, index) => (left[index] ?? 0) - count))).toBeLessThanOrEqual(500);
  });
});

describe('an erasure', () => {
  it('waits for what is being sent, and nothing is sent later that was read before', async () => {
    const { answer, end } = held();
    rig.answer = answer;
    await rig.add(...Array.from({ length: 12 }, () => requestDelivery('w')));
    await begun(8);
    rig.gone.add('01890000-0000-7000-8000-0000000000aa');
    let isOver = false;
    const over = rig.outbox.forgetBodies(organizationId).then(() => (isOver = true));
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    end(delivered);
    await over;
    await ended(12);
    expect(rig.attempts).toHaveLength(8);
  });
});
