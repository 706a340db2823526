/**
 * `npm run soak -- nightly [text…] [--minutes n] [--again]`: runs one after the other, in full, what `npm test` shortens: each test file
 * with another amount of work (`test/support/test-length.ts`), with random seeds, then the soaks, and kills of three programs with a fault
 * that they must find. With texts it runs only the parts whose name has one of them. It needs some four hours, and may be stopped at any
 * time (Ctrl-C); with `--minutes` no part begins later than that. The next run on the same sources goes on with what has not passed yet;
 * `--again` starts over. Each part's output is in `.cache/nightly/`.
 *
 * The output is a table of the parts with their times, and a verdict; `docs/internals/soak/nightly.txt` has the same. The exit code is 1
 * until every part has passed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { type NightlyPart, nightlyParts } from '../support/nightly-parts.ts';

const folder = '.cache/nightly';
const stateFile = path.join(folder, 'state.json');
const report = 'docs/internals/soak/nightly.txt';

/** What is known of a part. */
interface PartResult {
  readonly hasPassed: boolean;
  readonly seconds: number;
  /** Runs that did not pass before. */
  readonly failures: number;
}

interface State {
  readonly sources: string;
  readonly results: Readonly<Record<string, PartResult>>;
}

const { values: given, positionals: texts } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string' }, again: { type: 'boolean' } },
});
const endAt = given.minutes === undefined ? Infinity : performance.now() + Number(given.minutes) * 60_000;
const sources = sourcesNow();
const parts = nightlyParts();
const chosen = parts.filter(({ name }) => texts.length === 0 || texts.some((text) => name.includes(text)));
if (chosen.length === 0) throw new Error(`no part has ${texts.join(' or ')} in its name`);

if (given.again === true) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
let state = readState();
for (const part of chosen) {
  if (state.results[part.name]?.hasPassed === true) continue;
  if (performance.now() > endAt) break;
  const result = await run(part);
  state = { sources, results: { ...state.results, [part.name]: result } };
  writeFileSync(stateFile, JSON.stringify(state, null, 2));
  console.error(lineOf(part, result));
}
const text = table();
writeFileSync(report, text);
process.stdout.write(text);
process.exitCode = chosen.every(({ name }) => state.results[name]?.hasPassed === true) ? 0 : 1;

/** The commit, with a mark when sources differ from it; results do not count for other sources. */
function sourcesNow(): string {
  const changed = git('status', '--porcelain', '--', '.', ':!docs').length > 0;
  return git('rev-parse', '--short=12', 'HEAD') + (changed ? ' with changes' : '');
}

function git(...words: readonly string[]): string {
  return execFileSync('git', words, { encoding: 'utf8' }).trim();
}

function readState(): State {
  try {
    const known = JSON.parse(readFileSync(stateFile, 'utf8')) as State;
    if (known.sources === sources) return known;
  } catch {
    // The first run.
  }
  return { sources, results: {} };
}

async function run({ name, words, wantedCode }: NightlyPart): Promise<PartResult> {
  const failures = failuresOf(name);
  const startedAt = performance.now();
  const log = createWriteStream(path.join(folder, `${name.replaceAll(/\W+/g, '-')}.log`));
  const child = spawn(process.execPath, words, {
    env: { ...process.env, GATELOG_TEST_LENGTH: 'full' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = (): void => void child.kill('SIGINT');
  process.once('SIGINT', stop);
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
  const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
  log.end();
  await finished(log);
  const isStopped = !process.listeners('SIGINT').includes(stop);
  // What was stopped has no result: the next run repeats it.
  if (isStopped) process.exit(130);
  process.removeListener('SIGINT', stop);
  const hasPassed = code === wantedCode;
  return { hasPassed, seconds: Math.round((performance.now() - startedAt) / 1000), failures: failures + (hasPassed ? 0 : 1) };
}

function failuresOf(name: string): number {
  return state.results[name]?.failures ?? 0;
}

function lineOf({ name, wantedCode }: NightlyPart, result: PartResult | undefined): string {
  const word = result === undefined ? 'not run' : result.hasPassed ? (wantedCode === 0 ? 'passed' : 'found') : 'FAILED';
  const before = result === undefined || result.failures === 0 || !result.hasPassed ? '' : ` after ${result.failures} failed runs`;
  return `${word.padEnd(8)} ${String(result?.seconds ?? '').padStart(5)} s  ${name}${before}`;
}

function table(): string {
  const known = parts.flatMap(({ name }) => state.results[name] ?? []);
  const passed = known.filter(({ hasPassed }) => hasPassed).length;
  const minutes = Math.round(known.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  const verdict = passed === parts.length ? 'green' : `not green: ${known.length - passed} failed, ${parts.length - known.length} not run`;
  return [
    `$ npm run soak -- nightly      # at ${sources}`,
    ...parts.map((part) => lineOf(part, state.results[part.name])),
    `${passed} of ${parts.length} parts passed in ${minutes} min: ${verdict}`,
    '',
  ].join('\n');
}
