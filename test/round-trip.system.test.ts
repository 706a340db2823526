import { afterEach, expect, it } from 'vitest';
import { makeDataDir, removeDataDir } from './support/process-tree.ts';
import { runRoundTrip } from './support/round-trip-run.ts';

const dataDirs = [makeDataDir(), makeDataDir()] as const;
afterEach(() => {
  for (const dataDir of dataDirs) removeDataDir(dataDir);
});

it('an export that is imported into a fresh deployment is exported from there byte for byte the same, and adds nothing a second time', async () => {
  const { again, ...report } = await runRoundTrip(dataDirs, 3000);
  expect(report).toMatchObject({ records: 3000, isSame: true, different: undefined });
  expect(again).toMatchObject({ imported: 0, alreadyThere: 3000 });
}, 900_000);
