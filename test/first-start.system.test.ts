import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { program as programBuild } from '../scripts/prepare.mjs';
import type { Observation } from '../src/model/observation.ts';
import { makeLogger } from '../src/platform/logger.ts';
import { makeDataDir, removeDataDir, startService } from './support/process-tree.ts';

const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));

/** The lines without what differs from start to start. */
function kindsOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) =>
      line
        .replace(/^\d\d:\d\d:\d\d /, '')
        .replaceAll(/sk-svc-us-(?:\w{32}|…)/g, 'KEY')
        .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')
        .replace(/^( +Data +).*/, '$1FOLDER')
        .replace(/(" )(?:-H|…).*/, '$1…')
        .replace(/: [\d.]+ s$/, ': TIME')
        .replace(/: \d+ steps$/, ': STEPS'),
    )
    .filter((line) => line.trim() !== '');
}

const sampleIn = (page: string): readonly string[] =>
  kindsOf(/```text\n((?:(?!```)[^])*Ctrl-C stops it(?:(?!```)[^])*)```/.exec(readFileSync(page, 'utf8'))?.[1] ?? '');

/** What a terminal shows of a database, beside the words of the start; a pipe does not get it. */
function terminalLine(role: string, database: Extract<Observation, { kind: 'database_prepared' }>['database']): string {
  const lines: string[] = [];
  makeLogger('info', role, { isTTY: true, write: (line) => lines.push(line) })({
    kind: 'database_prepared',
    database,
    isNew: true,
    steps: ['one', 'two'],
  });
  return kindsOf(lines.join(''))[0] ?? '';
}

it('a first start prints what README and the guide show of it', async () => {
  const service = await startService({ dataDir, environment: { GATELOG_BOOTSTRAP_API_KEY: '', GATELOG_LOG_LEVEL: 'info' } });
  const printed = kindsOf(service.output());
  await service.stop();
  const prepared = [
    'installing packages: TIME',
    `building ${programBuild.title}: TIME`,
    `building ${programBuild.part?.title ?? ''}: TIME`,
  ];
  const ofDatabases = [terminalLine('supervisor', 'metadata'), terminalLine('core', 'events'), terminalLine('core', 'store')];
  const sample = sampleIn('README.md');
  expect(sample.filter((line) => prepared.includes(line))).toEqual(prepared);
  expect(sample.filter((line) => ofDatabases.includes(line))).toEqual(ofDatabases);
  expect(sample.filter((line) => ![...prepared, ...ofDatabases].includes(line))).toEqual(printed);
  const guide = sampleIn('docs/getting-started.md');
  expect(printed.slice(0, guide.length)).toEqual(guide);
});
