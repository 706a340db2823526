import { expect, it } from 'vitest';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { waitingBounds, type WaitingSpan, WaitingTexts } from './waiting-texts.ts';

const [ours, theirs] = ['ours', 'theirs'] as OrganizationId[] as [OrganizationId, OrganizationId];
const span = (name: string, id: string, given: Partial<WaitingSpan> = {}): WaitingSpan => ({
  organizationId: ours,
  name,
  ids: [id as RequestId],
  bytes: 100,
  since: 0,
  ...given,
});

it('an organisation whose texts are too many loses its oldest, and no other does', () => {
  let dropped = 0;
  const waiting = new WaitingTexts(() => (dropped += 1));
  const half = waitingBounds.maxBytesOfOwner / 2;
  waiting.add(span('kept', 'a', { organizationId: theirs }));
  for (const name of ['first', 'second', 'third']) waiting.add(span(name, name, { bytes: half - waitingBounds.bytesOfName }));
  expect(['first', 'second', 'third'].map((name) => waiting.get(ours, name)?.ids)).toEqual([undefined, ['second'], ['third']]);
  expect([waiting.get(theirs, 'kept')?.ids, dropped, waiting.toRemove(ours), waiting.toRemove(theirs)]).toEqual([['a'], 1, ['first'], []]);
  waiting.removed(ours);
  expect(waiting.toRemove(ours)).toEqual([]);
});

it('texts of one span are counted together, and each once', () => {
  const waiting = new WaitingTexts(() => expect.fail());
  for (const id of ['a', 'b', 'a']) waiting.add(span('one', id));
  expect(waiting.get(ours, 'one')).toMatchObject({ ids: ['a', 'b'], bytes: 2 * (100 + waitingBounds.bytesOfName) });
});

it('tens of thousands of texts of one span are each known once', () => {
  const waiting = new WaitingTexts(() => expect.fail());
  const ids = Array.from({ length: 40_000 }, (_, index) => `text ${index}` as RequestId);
  for (const id of [...ids, ...ids]) waiting.add(span('one', id));
  expect(waiting.get(ours, 'one')?.ids).toEqual(ids);
});

it('what has waited too long goes, counted from its newest text', () => {
  let dropped = 0;
  const waiting = new WaitingTexts(() => (dropped += 1));
  waiting.add(span('old', 'a'));
  waiting.add(span('renewed', 'b'));
  waiting.add(span('renewed', 'c', { since: 5 }));
  waiting.expire(ours, waitingBounds.maxMs - 1);
  expect(dropped).toBe(0);
  waiting.expire(ours, waitingBounds.maxMs);
  expect([dropped, waiting.get(ours, 'old'), waiting.get(ours, 'renewed')?.ids, waiting.toRemove(ours)]).toEqual([
    1,
    undefined,
    ['b', 'c'],
    ['a'],
  ]);
});
