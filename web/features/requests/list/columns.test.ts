import { expect, it } from 'vitest';
import { columnsOf, standardColumns } from './columns.tsx';
import { sizedColumns, templateOf } from './sized-columns.ts';

/** Pixels that the list has in a window of 1,280. */
const place = 1039;

it('who called is in view beside what was said, the model, the cost and the latency in a window of 1,280 pixels', () => {
  const ids = standardColumns([]);
  const inView = ids.slice(0, ids.indexOf('latency') + 1);
  expect(inView).toEqual(expect.arrayContaining(['words', 'user', 'model', 'cost']));
  const style = templateOf(sizedColumns(columnsOf(inView), {}, 0), 50) as Readonly<Record<string, unknown>>;
  expect(Number.parseInt(String(style['--width']), 10)).toBeLessThanOrEqual(place);
});
