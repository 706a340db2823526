import { createHash } from 'node:crypto';
import type { OrganizationId } from '../../../model/ids.ts';
import { nastyRecords, type StoredRecord } from './nasty-records.ts';

/** Half an hour before an hour ends, so that conversations go on over it. */
const start = Date.UTC(2026, 0, 15, 9, 30);
export const endOfFirstHour = Date.UTC(2026, 0, 15, 10);
const minuteMs = 60_000;
const groups = 4;
/** A repeated piece of less is indexed again. */
const longWords = 250;

/** Numbers of a seed, from 0 to below `count`. */
export function numbersOf(seed: number): (count: number) => number {
  let state = seed >>> 0;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

/**
 * Turns of a few conversations, each of which repeats what was said before, with something new in one of the ways of real clients: behind it,
 * a stamp in front that changes, a message in the middle that is rewritten, a conversation that is cut and begins anew. Texts have words of
 * several scripts, and words that go on where others ended.
 */
export function conversations(organizationId: OrganizationId, count: number, seed: number): readonly StoredRecord[] {
  const draw = numbersOf(seed);
  const said = Array.from({ length: groups }, (): string[] => []);
  return nastyRecords(organizationId, count, seed).map((record, index) => {
    const group = draw(groups);
    const own = (said[group] ??= []);
    if (draw(9) === 0) own.splice(draw(own.length + 1));
    if (draw(6) === 0 && own.length > 0) own[draw(own.length)] = messageOf(draw);
    const last = own.at(-1);
    // A word that goes on.
    if (draw(5) === 0 && last !== undefined) own[own.length - 1] = `${last}${wordOf(draw)}`;
    own.push(messageOf(draw));
    const isJson = draw(8) > 0;
    const [stamp, tools] = [draw(3) === 0 ? wordOf(draw) : `stamp${group}`, toolsOf(group)];
    const text = isJson ? JSON.stringify({ stamp, messages: own, tools }) : `${stamp}\n${own.join('\n')}\n${tools}`;
    return {
      ...record,
      createdAt: start + index * minuteMs,
      userId: '',
      bodyGroup: BigInt(group),
      requestBody: { kind: isJson ? 'json' : 'text', text } as const,
      responseBody: { kind: 'text', text: messageOf(draw) } as const,
    };
  });
}

function toolsOf(group: number): string {
  const draw = numbersOf(group);
  return Array.from({ length: longWords }, () => wordOf(draw)).join(' ');
}

function messageOf(draw: (count: number) => number): string {
  const words = draw(3) === 0 ? longWords : 1 + draw(6);
  return Array.from({ length: words }, () => wordOf(draw)).join(separators[draw(separators.length)]);
}

const separators = [' ', ' ', ' ', '. ', '-', '", "', '\n'];
const scripts = ['', '', '', '', 'é', 'ß', 'Жук', '東京', 'ΟΔΟΣ', 'İ', '\u00A0', '😀'];

function wordOf(draw: (count: number) => number): string {
  const digits = createHash('md5')
    .update(String(draw(4000)))
    .digest('hex');
  const word = digits.slice(0, 3 + draw(7));
  const cased = draw(4) === 0 ? word.toUpperCase() : word;
  return `${cased}${scripts[draw(scripts.length)] ?? ''}`;
}
