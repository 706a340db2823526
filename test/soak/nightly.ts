/**
 * `npm run soak -- nightly [text…] [--minutes n] [--again]`: runs in full what `npm test` shortens: each test file with another amount of
 * work (`test/support/test-length.ts`) and with random seeds, two at a time, then the soaks, and kills of three programs with a fault that
 * they must find. With texts it runs only the parts whose name has one of them. It needs two hours or more, and may be stopped at any time
 * (Ctrl-C); with `--minutes` no part begins later than that. Each part's output is in `.cache/nightly/`.
 *
 * `docs/internals/soak/nightly.txt` has the parts with their times, and a verdict. The next run of the same program reads it and goes on with
 * what has not passed yet, on another machine too when it is committed. A result counts for the program and for the test code and pages that
 * the part loads (`test/support/nightly-sources.ts`). `--again` starts over. The exit code is 1 until every part has passed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { type NightlyPart, nightlyParts } from '../support/nightly-parts.ts';
import { committedFiles, partDigest, programDigest } from '../support/nightly-sources.ts';

/** Soaks measure, so that each has the machine to itself. */
const testsAtOnce = 2;
const folder = '.cache/nightly';
const report = 'docs/internals/soak/nightly.txt';
const withChanges = ' with changes';

/** What is known of a part. */
interface PartResult {
  readonly hasPassed: boolean;
  readonly seconds: number;
  /** Runs that did not pass before. */
  readonly failures: number;
}

const { values: given, positionals: texts } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string' }, again: { type: 'boolean' } },
});
const endAt = given.minutes === undefined ? Infinity : performance.now() + Number(given.minutes) * 60_000;
const committed = committedFiles(git('ls-tree', '-r', 'HEAD'));
const program = programNow();
const parts = nightlyParts();
/** By the name of the part: the test code that it loads. */
const sources = new Map(parts.map(({ name, entry }) => [name, partDigest(entry, committed)]));
const chosen = parts.filter(({ name }) => texts.length === 0 || texts.some((text) => name.includes(text)));
if (chosen.length === 0) throw new Error(`no part has ${texts.join(' or ')} in its name`);

mkdirSync(folder, { recursive: true });
/** By the name of the part. */
const results = new Map(given.again === true ? [] : readResults());
const [tests, soaks] = [true, false].map((isTest) => chosen.filter(({ name }) => name.startsWith('test ') === isTest));
await runAll(tests ?? [], testsAtOnce);
await runAll(soaks ?? [], 1);
process.stdout.write(table());
process.exitCode = chosen.every(({ name }) => results.get(name)?.hasPassed === true) ? 0 : 1;

async function runAll(all: readonly NightlyPart[], atOnce: number): Promise<void> {
  const waiting = all.filter(({ name }) => results.get(name)?.hasPassed !== true);
  const runNext = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined && performance.now() <= endAt; part = waiting.shift()) {
      const result = await run(part);
      results.set(part.name, result);
      writeFileSync(report, table());
      console.error(lineOf(part, result));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
}

/** What the committed program is, with a mark when files differ from it: changes that are not committed may be others the next time. */
function programNow(): string {
  const isChanged = git('status', '--porcelain', '--', '.', ':!docs', ':!README.md').length > 0;
  return programDigest(committed) + (isChanged ? withChanges : '');
}

function git(...words: readonly string[]): string {
  return execFileSync('git', words, { encoding: 'utf8' }).trim();
}

/** The lines of the report that are of this program and of the same test code. */
function readResults(): readonly (readonly [name: string, result: PartResult])[] {
  const lines = readReport().split('\n');
  if (lines[0] !== firstLine() || program.endsWith(withChanges)) return [];
  return lines.flatMap((line) => resultIn(line) ?? []);
}

function readReport(): string {
  try {
    return readFileSync(report, 'utf8');
  } catch {
    // The first run.
    return '';
  }
}

function firstLine(): string {
  return `$ npm run soak -- nightly      # program ${program}`;
}

function resultIn(line: string): [readonly [name: string, result: PartResult]] | undefined {
  const [, word, seconds, code, name, failures = word === 'FAILED' ? '1' : '0'] =
    /^(passed|found|FAILED) +(\d+) s {2}([\da-f]{12}) {2}(.+?)(?: after (\d+) failed runs?)?$/.exec(line) ?? [];
  if (name === undefined || sources.get(name) !== code) return undefined;
  return [[name, { hasPassed: word !== 'FAILED', seconds: Number(seconds), failures: Number(failures) }]];
}

async function run({ name, words, wantedCode }: NightlyPart): Promise<PartResult> {
  const failures = failuresOf(name);
  const startedAt = performance.now();
  const log = createWriteStream(path.join(folder, `${name.replaceAll(/\W+/g, '-')}.log`));
  const child = spawn(process.execPath, words, {
    env: { ...process.env, GATELOG_TEST_LENGTH: 'full' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: what a soak has started ends with it.
    detached: true,
  });
  const stop = (): void => void process.kill(-(child.pid ?? 0), 'SIGINT');
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
  return results.get(name)?.failures ?? 0;
}

function lineOf(part: NightlyPart, result: PartResult | undefined): string {
  const seconds = String(result?.seconds ?? '').padStart(5);
  return `${wordOf(part, result).padEnd(8)} ${seconds} s  ${sources.get(part.name) ?? ''}  ${part.name}${failuresBefore(result)}`;
}

function wordOf({ wantedCode }: NightlyPart, result: PartResult | undefined): string {
  if (result === undefined) return 'not run';
  if (!result.hasPassed) return 'FAILED';
  return wantedCode === 0 ? 'passed' : 'found';
}

function failuresBefore({ failures, hasPassed }: PartResult = { failures: 0, hasPassed: true, seconds: 0 }): string {
  const isTold = failures > (hasPassed ? 0 : 1);
  return isTold ? ` after ${failures} failed run${failures === 1 ? '' : 's'}` : '';
}

function table(): string {
  const known = parts.flatMap(({ name }) => results.get(name) ?? []);
  const passed = known.filter(({ hasPassed }) => hasPassed).length;
  const minutes = Math.round(known.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  const verdict = passed === parts.length ? 'green' : `not green: ${known.length - passed} failed, ${parts.length - known.length} not run`;
  return [
    firstLine(),
    ...parts.map((part) => lineOf(part, results.get(part.name))),
    `${passed} of ${parts.length} parts passed, ${minutes} min of work: ${verdict}`,
    '',
  ].join('\n');
}
