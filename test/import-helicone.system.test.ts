import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runImportHelicone } from './support/import-helicone-run.ts';
import { makeDataDir, removeDataDir, type Service, startService } from './support/process-tree.ts';

let service: Service;
let folder: string;
const dataDir = makeDataDir();
beforeAll(async () => {
  service = await startService({ dataDir });
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-import-'));
});
afterAll(async () => {
  await service.stop();
  removeDataDir(dataDir);
  rmSync(folder, { recursive: true, force: true });
});

describe('gatelog import --from helicone', () => {
  it('brings everything from a service with faults, killed three times and run twice, and both sides have the same sums', async () => {
    const verdict = await runImportHelicone({ service, folder, records: 1_500, kills: 3, seed: 11 });
    expect(verdict).toMatchObject({ faults: [], stored: 1_500, kills: 3 });
    for (const { reconciled, total } of [verdict.first, verdict.second]) {
      expect(reconciled).toBe(true);
      expect(total).toMatchObject({ there: verdict.expected, here: verdict.expected, rejected: 0, not_found_here: 0 });
      expect(total['here']).toEqual(total['there']);
    }
    expect(verdict.second.total).toMatchObject({ imported: 0, already_here: 1_500 });
  });
});
