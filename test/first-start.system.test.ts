import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { program as programBuild } from '../scripts/prepare.mjs';
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
        .replace(/: [\d.]+ s$/, ': TIME'),
    )
    .filter((line) => line.trim() !== '');
}

const sampleIn = (page: string): readonly string[] =>
  kindsOf(/```text\n((?:(?!```)[^])*Ctrl-C stops it(?:(?!```)[^])*)```/.exec(readFileSync(page, 'utf8'))?.[1] ?? '');

it('a first start prints what README and the guide show of it', async () => {
  const service = await startService({ dataDir, environment: { GATELOG_BOOTSTRAP_API_KEY: '', GATELOG_LOG_LEVEL: 'info' } });
  const printed = kindsOf(service.output());
  await service.stop();
  const prepared = [
    'installing packages: TIME',
    `building ${programBuild.title}: TIME`,
    `building ${programBuild.part?.title ?? ''}: TIME`,
  ];
  const sample = sampleIn('README.md');
  expect(sample.filter((line) => prepared.includes(line))).toEqual(prepared);
  expect(sample.filter((line) => !prepared.includes(line))).toEqual(printed);
  const guide = sampleIn('docs/getting-started.md');
  expect(printed.slice(0, guide.length)).toEqual(guide);
});
