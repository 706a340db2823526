import { describe, expect, it } from 'vitest';
import { newRowWriters, rowsOf } from '../../store/insert/rows.ts';
import { nastyRecords } from '../../query/filter/testing/nasty-records.ts';
import { tenant } from '../../store/testing/store-harness.ts';
import { EarlierTexts } from './earlier-texts.ts';
import type { StorableRow } from './insert.ts';

const [record] = nastyRecords(tenant, 1, 1);
const filler = Array.from({ length: 1000 }, (_, index) => `word${index}`).join(' ');

/** A row of a conversation's turn. */
function rowOf(text: string, conversation: string | null = 'one', index = 0): StorableRow {
  if (record === undefined) throw new Error('no record was made');
  const rows = rowsOf({ ...record, requestBody: { kind: 'json', text } }, 0, { writers: newRowWriters() });
  return { index, rows: { ...rows, endedAt: null, conversation: conversation ?? undefined } };
}

/** What a row says is new of a text. */
function newIn({ rows: { bodies } }: StorableRow, text: string): readonly string[] {
  const view = new DataView(bodies.buffer, bodies.byteOffset, bodies.byteLength);
  const spans = [0, 1, 2].map((index) => [view.getUint32(49 + index * 8, true), view.getUint32(53 + index * 8, true)] as const);
  const bytes = Buffer.from(text);
  return spans.filter(([, length]) => length > 0).map(([start, length]) => bytes.toString('utf8', start - 1, start - 1 + length));
}

const [first, second, third] = [filler, `${filler} and more`, `${filler} and more, and the last`];

describe('a turn says what its conversation has not said before', () => {
  it('by the turn before it in the batch, and by the last one of the batch before', () => {
    const texts = new EarlierTexts(() => 0);
    const rows = [rowOf(first), rowOf(second)];
    texts.mark(rows).keep(new Map());
    expect(rows.map((row, index) => newIn(row, [first, second][index] ?? ''))).toEqual([[first], [' and more']]);
    const next = rowOf(third);
    texts.mark([next]);
    expect(newIn(next, third)).toEqual([', and the last']);
  });

  it('and by no turn of another conversation, or of none', () => {
    const texts = new EarlierTexts(() => 0);
    texts.mark([rowOf(first)]).keep(new Map());
    const [other, alone] = [rowOf(second, 'other'), rowOf(second, null)];
    texts.mark([other, alone]);
    expect(newIn(other, second)).toEqual([second]);
    expect(newIn(alone, second)).toEqual([second]);
  });

  it('and by none that the store has not taken', () => {
    const texts = new EarlierTexts(() => 0);
    texts.mark([rowOf(first)]);
    const unstored = rowOf(second);
    texts.mark([unstored]).keep(new Map([[0, { cause: 'refused_by_store', reason: 'too old' }]]));
    const next = rowOf(third);
    texts.mark([next]);
    expect([newIn(unstored, second), newIn(next, third)]).toEqual([[second], [third]]);
  });

  it('and by none that may have been removed since, also when that is noticed before the rows are sent', () => {
    let removals = 0;
    const texts = new EarlierTexts(() => removals);
    texts.mark([rowOf(first)]).keep(new Map());
    const row = rowOf(second);
    const marked = texts.mark([row]);
    marked.check();
    expect(newIn(row, second)).toEqual([' and more']);
    removals += 1;
    marked.check();
    expect(newIn(row, second)).toEqual([second]);
    marked.keep(new Map());
    const next = rowOf(third);
    texts.mark([next]);
    expect(newIn(next, third)).toEqual([third]);
  });

  it('as a whole again where rows do not come to the store together', () => {
    const texts = new EarlierTexts(() => 0);
    const rows = [rowOf(first), rowOf(second, 'one', 1)];
    const marked = texts.mark(rows);
    marked.undo();
    expect(newIn(rows[1] ?? rowOf(''), second)).toEqual([second]);
    marked.keep(new Map());
    const next = rowOf(third);
    texts.mark([next]);
    expect(newIn(next, third)).toEqual([third]);
  });
});

it('texts are kept within a bound; the conversation that was used last stays', () => {
  const texts = new EarlierTexts(() => 0, 4 * filler.length);
  for (const name of ['a', 'b', 'c', 'd', 'e']) texts.mark([rowOf(first, name)]).keep(new Map());
  expect(texts.bytes()).toBeLessThanOrEqual(4 * filler.length);
  const [forgotten, kept] = [rowOf(second, 'a'), rowOf(second, 'e')];
  texts.mark([forgotten, kept]);
  expect([newIn(forgotten, second), newIn(kept, second)]).toEqual([[second], [' and more']]);
});

it('many short ones have a bound too, with what keeping each of them takes', () => {
  const texts = new EarlierTexts(() => 0, 64 * 1024);
  const [short, longer] = ['a word', 'a word and more'];
  for (let number = 0; number < 200; number += 1) texts.mark([rowOf(short, `org ${number}`)]).keep(new Map());
  const next = Array.from({ length: 200 }, (_, number) => rowOf(longer, `org ${number}`, number));
  texts.mark(next);
  const known = next.filter((row) => newIn(row, longer).join() !== longer);
  expect(known.length).toBeGreaterThan(20);
  expect(known.length).toBeLessThan(90);
});

it('an organisation with many makes no other forget its own', () => {
  const texts = new EarlierTexts(() => 0, 8 * filler.length);
  texts.mark([rowOf(first, 'quiet 1')]).keep(new Map());
  for (let number = 0; number < 20; number += 1) texts.mark([rowOf(first, `loud ${number}`)]).keep(new Map());
  const next = rowOf(second, 'quiet 1');
  texts.mark([next]);
  expect(newIn(next, second)).toEqual([' and more']);
});
