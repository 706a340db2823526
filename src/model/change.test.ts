import { describe, expect, test } from 'vitest';
import { type Change, type MutableFields, applyChange, changeContent, readChange } from './change.ts';
import type { Uuid } from './ids.ts';

const organizationId = '00000000-0000-7000-8000-00000000000a' as Uuid;
const requestId = '00000000-0000-7000-8000-00000000000b' as Uuid;

const changes: readonly Change[] = [
  { kind: 'property', values: new Map([['Team', 'a']]) },
  { kind: 'score', values: new Map([['__proto__', 0.1]]) },
  { kind: 'feedback', rating: true },
  { kind: 'score', values: new Map([['__proto__', 1]]) },
  { kind: 'feedback', rating: false },
];

test('changes one after the other leave the last values, and an entry each with the value before and after', () => {
  const fields: MutableFields = {
    properties: new Map([
      ['Team', 'tag'],
      ['kept', 'k'],
    ]),
    scores: new Map(),
    feedback: null,
    sessionChanges: [],
  };
  const entries = changes.flatMap((change, index) =>
    applyChange(fields, { organizationId, requestId, change, keyId: `key-${index}`, acceptedAt: 100 + index, number: 100_000 + index }),
  );
  expect(fields).toEqual({
    properties: new Map([
      ['Team', 'a'],
      ['kept', 'k'],
    ]),
    scores: new Map([
      ['__proto__', 1],
      ['svc-score-feedback', 0],
    ]),
    feedback: { number: 100_004, rating: false, createdAt: 104 },
    sessionChanges: [],
  });
  expect(entries.map(({ kind, name, old, new: after, keyId }) => [kind, name, old, after, keyId])).toEqual([
    ['property', 'Team', 'tag', 'a', 'key-0'],
    ['score', '__proto__', null, 0.1, 'key-1'],
    ['feedback', 'svc-score-feedback', null, true, 'key-2'],
    ['score', '__proto__', 0.1, 1, 'key-3'],
    ['feedback', 'svc-score-feedback', true, false, 'key-4'],
  ]);
  expect(entries[2]).toMatchObject({ organizationId, requestId, acceptedAt: 102, number: 100_002 });
});

describe('the content of a change', () => {
  test.each(changes)('comes back from JSON as it was: %j', (change) => {
    expect(readChange(change.kind, JSON.parse(JSON.stringify(changeContent(change))))).toEqual(change);
  });

  test.each([null, [], 'text'])('is no %j', (content) => {
    expect(readChange('property', content)).toBeUndefined();
  });
});
