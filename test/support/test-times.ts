import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Has the time of each test file of one run between two marks; what is around them is written by hand. */
const page = 'docs/internals/test-times.md';
const [begin, end] = ['<!-- times -->', '<!-- end of times -->'];
/** Files that take less are one line together. */
const shownSeconds = 2;

export interface FileTime {
  readonly name: string;
  readonly seconds: number;
}

/** Seconds by file, of the run that the page shows. */
export function knownTimes(): ReadonlyMap<string, number> {
  if (!existsSync(page)) return new Map();
  const lines = readFileSync(page, 'utf8').matchAll(/^\| `([^`]+)` \| ([\d.]+) \|$/gm);
  return new Map([...lines].map(([, name = '', seconds]) => [name, Number(seconds)]));
}

/** Writes the times of a whole run into the page. @param run such as its date, duration and machine. */
export function writeTimes(files: readonly FileTime[], run: string): void {
  const sorted = files.toSorted((one, other) => other.seconds - one.seconds);
  const shown = sorted.filter(({ seconds }) => seconds >= shownSeconds);
  const rest = sorted.slice(shown.length);
  const restSeconds = rest.reduce((sum, { seconds }) => sum + seconds, 0);
  const table = [
    run,
    '',
    '| File | Seconds |',
    '| --- | ---: |',
    ...shown.map(({ name, seconds }) => `| \`${name}\` | ${seconds.toFixed(1)} |`),
    `| ${rest.length} others | ${restSeconds.toFixed(1)} |`,
  ].join('\n');
  const text = readFileSync(page, 'utf8');
  const [before, after] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))];
  writeFileSync(page, `${before}\n\n${table}\n\n${after}`);
}
