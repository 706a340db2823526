import { randomUUID } from 'node:crypto';
import { jsonParts, RawJson } from '../../model/json/raw.ts';
import { Slices } from '../../platform/bounds/slices.ts';

/** A millisecond of work, for rows of twenty cells. */
const rowsAtOnce = 50;

/** A list as JSON, written a few rows at a time: other calls run in between. @param owner whose answer it is. */
export async function writtenList<Row>(rows: readonly Row[], owner: string): Promise<RawJson<Row[]>> {
  const slices = new Slices(owner);
  const texts: string[] = [];
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const text = jsonParts(rows.slice(from, from + rowsAtOnce), randomUUID()).join('');
    texts.push(text.slice(1, -1));
    await slices.turn();
  }
  return new RawJson<Row[]>(`[${texts.join(',')}]`);
}
