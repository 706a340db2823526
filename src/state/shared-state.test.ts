import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loadConfig } from '../config/load.ts';
import type { Observation } from '../model/observation.ts';
import type { Claim } from './fixed-windows.ts';
import { openSharedState } from './shared-state.ts';

const dataDir = mkdtempSync(path.join(tmpdir(), 'gatelog-shared-'));
afterEach(() => rmSync(dataDir, { recursive: true }));

const claim: Claim = { name: ['a'], quota: { amount: 1n, windowMs: 60_000 }, amount: 1n };

it('a process starts without the shared state, says so, and has it once it can be opened', async () => {
  const loaded = loadConfig({ GATELOG_DATA_DIR: dataDir }, { cores: 1 });
  if ('faults' in loaded) throw new Error('the configuration is not valid');
  const inTheWay = path.join(dataDir, 'state');
  writeFileSync(inTheWay, '');
  const observed: Observation[] = [];
  const state = openSharedState(loaded.config, (observation) => observed.push(observation));
  expect(observed).toMatchObject([{ kind: 'limits_failed' }]);
  expect(() => state.open().windows).toThrow('EEXIST');
  rmSync(inTheWay);
  await expect.poll(() => attempt(() => state.open().windows.claim([claim], 0, ['org', 'call']).granted), { timeout: 60_000 }).toBe(true);
  await state.close();
});

function attempt<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
