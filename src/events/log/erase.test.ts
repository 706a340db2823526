import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { filesHolding } from '../../../test/support/held-text.ts';
import type { NewDelivery } from '../../model/events/event.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { emptyLog, inWriteTransaction } from '../../platform/sqlite/database.ts';
import { messages } from '../channels/testing/messages.ts';
import { addDeliveries } from './add-deliveries.ts';
import { organizationId, OutboxRig, requestDelivery } from '../testing/outbox-harness.ts';
import { eraseMentions, eraseOfRequests, removeExpiredDeliveries } from './erase.ts';

const foreign = '01890000-0000-7000-8000-000000000002' as OrganizationId;
const requestOf = (number: number): RequestId => `01890000-0000-7000-8000-${String(number).padStart(12, '0')}` as RequestId;
const never = new AbortController().signal;
let rig: OutboxRig;

beforeEach(async () => {
  rig = new OutboxRig();
  await rig.open();
});
afterEach(() => rig.close());

const left = async (): Promise<readonly string[]> => {
  const rows = await rig.database.queries.selectFrom('deliveries').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
};

/** Adds deliveries whose receivers repeat in their answers what a text says. */
async function deliver(echo: string, ...deliveries: readonly NewDelivery[]): Promise<readonly string[]> {
  rig.answer = () => ({ kind: 'delivered', response: { status: 200, head: `HTTP/1.1 200\n\n${echo}` } });
  const before = rig.ends.length;
  const ids = await rig.add(...deliveries);
  await vi.waitFor(() => expect(rig.ends).toHaveLength(before + deliveries.length), { timeout: 10_000, interval: 2 });
  return ids;
}

function message(group: Readonly<Record<string, string>>, given: Partial<NewDelivery> = {}): NewDelivery {
  const target = { kind: 'channel', alertId: 'a', channelId: 'c' } as const;
  const content = { ...messages.plain, groups: [{ group, value: 1 }] };
  return { organizationId, target, type: 'alert.triggered', subject: { kind: 'message', content }, occurredAt: 7, ...given };
}

function at(createdAt: number, owner = organizationId): NewDelivery {
  return { ...requestDelivery(owner), organizationId: owner, subject: { kind: 'request', requestId: requestOf(1), createdAt } };
}

test('deliveries of erased requests go with what receivers answered, and no file holds it any more', async () => {
  const secret = 'the words of the erased user, as a receiver repeats them';
  const erased = Array.from({ length: 600 }, (_, index) => requestOf(index));
  await deliver(secret, ...erased.map((id) => requestDelivery('w', id)));
  const [his = ''] = await deliver('hello', requestDelivery('w', requestOf(1000)));
  const [namesake = ''] = await deliver('hello', { ...requestDelivery('v', requestOf(0)), organizationId: foreign });
  expect([...filesHolding(rig.folder, secret).keys()]).not.toEqual([]);
  expect(await eraseOfRequests(rig.database, organizationId, erased)).toBe(600);
  await emptyLog(rig.database);
  expect(await left()).toEqual([his, namesake].toSorted());
  expect([...filesHolding(rig.folder, secret).keys()]).toEqual([]);
});

test('messages that name the erased user go, and those that only contain the name in another text stay', async () => {
  const odd = 'ann "the first"\n';
  const [ann = '', oddly = ''] = await deliver('', message({ request_user_id: 'ann' }), message({ request_user_id: odd }));
  const [anna = '', theirs = ''] = await deliver(
    '',
    message({ request_user_id: 'anna' }),
    message({ request_user_id: 'ann' }, { organizationId: foreign }),
  );
  expect(await eraseMentions(rig.database, organizationId, 'ann')).toBe(1);
  expect(await left()).toEqual([oddly, anna, theirs].toSorted());
  expect(await eraseMentions(rig.database, organizationId, odd)).toBe(1);
  expect(await left()).toEqual([anna, theirs].toSorted());
  expect(ann).not.toBe('');
});

test('messages that name the erased user go wherever they are among many others', async () => {
  const many = Array.from({ length: 4500 }, (_, index) => message({ user: index % 900 === 0 || index === 4499 ? 'ann' : `user-${index}` }));
  await inWriteTransaction(rig.database, (transaction) => addDeliveries(transaction, many, rig.clock.now()));
  expect(await eraseMentions(rig.database, organizationId, 'ann')).toBe(6);
  expect(await left()).toHaveLength(4494);
});

test('deliveries of expired requests go, of one organisation or of all, and messages stay', async () => {
  const [old = '', fresh = '', theirs = '', told = ''] = await deliver('', at(99), at(100), at(99, foreign), message({}));
  expect(await removeExpiredDeliveries(rig.database, { organizations: [organizationId], before: 100 }, never)).toBe(1);
  expect(await left()).toEqual([fresh, theirs, told].toSorted());
  expect(await removeExpiredDeliveries(rig.database, { organizations: undefined, before: 100 }, never)).toBe(1);
  expect(await left()).toEqual([fresh, told].toSorted());
  expect(old).not.toBe('');
});

test('a removal that is told to stop begins no further page', async () => {
  await deliver('', requestDelivery('w'));
  const stopped = AbortSignal.abort(new Error('the service is stopping'));
  await expect(removeExpiredDeliveries(rig.database, { organizations: undefined, before: 100 }, stopped)).rejects.toThrow('is stopping');
  expect(await left()).toHaveLength(1);
});
