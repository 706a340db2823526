import { expect, test } from 'vitest';
import { memoryOf, storedMemory } from './stored-memory.ts';

const group = '"state":"firing","since":3,"firstSeen":1,"absentSince":null,"value":12';

test.each([
  ['of which nobody was notified', `{${group},"incident":null}`],
  ['with an incident', `{${group},"incident":{"id":"i","reason":"threshold","startedAt":3,"peak":14,"toldAt":4,"notice":"n"}}`],
])('a group %s is stored as databases have it', (_, text) => {
  expect(JSON.stringify(storedMemory(memoryOf(text)))).toBe(text);
});

test('a stored incident knows when its notice was sent', () => {
  const text = `{${group},"incident":{"id":"i","reason":"threshold","startedAt":3,"peak":14,"toldAt":4,"notice":"n"}}`;
  expect(memoryOf(text).incident).toMatchObject({ id: 'i', notifiedAt: 4, notice: 'n' });
});
