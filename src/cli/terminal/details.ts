import { printable } from '../../config/text-table.ts';
import { cellsOf, padded } from './cells.ts';
import { isMarkedNumber } from '../../model/json/exact-numbers.ts';
import { jsonText } from '../base/json.ts';
import type { Paint } from '../base/paint.ts';

/** What is told of one thing: a name and its text. Undefined: nothing to tell. */
export type Detail = readonly [name: string, text: string | undefined];

/** A line for each detail, their texts under each other. */
export function detailsText(details: readonly Detail[], paint: Paint): string {
  const told = details.flatMap(([name, text]) => (text === undefined || text === '' ? [] : [[name, text] as const]));
  const width = Math.max(0, ...told.map(([name]) => cellsOf(name)));
  return told.map(([name, text]) => `${paint('bold', name)}${padded('', width - cellsOf(name))}  ${printable(text)}`).join('\n');
}

/** A recorded body for people: JSON with an indent, other text as it is, in which nothing moves the cursor. */
export function bodyText(body: unknown): string {
  const text = typeof body === 'string' && !isMarkedNumber(body) ? body : jsonText(body, 2);
  return text
    .split('\n')
    .map((line) => printable(line.replaceAll('\t', '    ')))
    .join('\n');
}
