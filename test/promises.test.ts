import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const promises = readFileSync('docs/operations/durability.md', 'utf8');
const page = readFileSync('docs/internals/promises.md', 'utf8');
const table = /^\| event \| what survives, and what happens \|\n\| --- \| --- \|\n((?:\|.*\n)+)/m.exec(promises)?.[1] ?? '';
const promised = [...table.matchAll(/^\| (.+?) \| .+ \|$/gm)].map(([, event = '']) => event);
const rows = [...page.matchAll(/^\| (.+?) \| (`.+) \|$/gm)].map(([, event = '', cell = '']) => ({
  event,
  tests: cell.split('<br>').map((text) => /^`([^`]+)` › (.+)$/.exec(text) ?? [text]),
}));
const cited = rows.flatMap(({ tests }) => tests.map(([text, file = '', name = '']) => ({ text, file, name })));
/** Modifiers that keep a test or a file from running; `runIf` must give its reason. */
const disablingModifier = /\.(?:skip|todo|fails|skipIf|only)\b|\b(?:skip|todo|fails): true/;

it('exactly the events in the table of durability have tests', () => {
  expect(promised.length).toBeGreaterThan(10);
  expect(rows.map(({ event }) => event)).toEqual(promised);
});

it.each(cited)('there is, and runs: $text', ({ file, name }) => {
  const source = readFileSync(file, 'utf8');
  expect(name).not.toBe('');
  expect(source).toContain(name);
  expect(disablingModifier.exec(source)?.[0]).toBeUndefined();
});
