import { afterEach, expect, it } from 'vitest';
import { makeDataDir, removeDataDir } from './support/process-tree.ts';
import { runRoundTrip } from './support/round-trip-run.ts';
import { byLength } from './support/test-length.ts';

const records = byLength(300, 3000);
const dataDirs = [makeDataDir(), makeDataDir()] as const;
afterEach(() => {
  for (const dataDir of dataDirs) removeDataDir(dataDir);
});

it('an export that is imported into a fresh deployment is exported from there byte for byte the same, and adds nothing a second time', async () => {
  const { again, ...report } = await runRoundTrip(dataDirs, records);
  expect(report).toMatchObject({ records, isSame: true, different: undefined });
  expect(again).toMatchObject({ imported: 0, alreadyThere: records });
}, 900_000);
