import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const readme = readFileSync('README.md', 'utf8');
const page = readFileSync('docs/promises.md', 'utf8');
const table = /^\| event \| what is kept \|\n\| --- \| --- \|\n((?:\|.*\n)+)/m.exec(readme)?.[1] ?? '';
const promised = [...table.matchAll(/^\| (.+?) \| .+ \|$/gm)].map(([, event = '']) => event);
const rows = [...page.matchAll(/^\| (.+?) \| `([^`]+)` › (.+?) \|$/gm)].map(([, event = '', file = '', name = '']) => ({
  event,
  file,
  name,
}));

it('every event in the README has a test, and no other has', () => {
  expect(promised.length).toBeGreaterThan(10);
  expect(rows.map(({ event }) => event)).toEqual(promised);
});

it.each(rows)('$file has: $name', ({ file, name }) => {
  expect(readFileSync(file, 'utf8')).toContain(name);
});
