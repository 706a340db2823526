import { describe, expect, it } from 'vitest';
import { loadConfig, type Config } from './load.ts';
import { machineSentence } from './machine.ts';
import { maxMemoryBytes } from './max-memory.ts';
import { defaultWorkers, memoryUses } from './memory.ts';
import { GiB, type Machine, MiB } from './variable.ts';

function configOn(machine: Machine, environment: Readonly<Record<string, string>> = {}): Config {
  const loaded = loadConfig(environment, machine);
  if ('faults' in loaded) throw new Error(JSON.stringify(loaded.faults));
  return loaded.config;
}

const inMiB = ({
  storeMemoryBytes,
  storeCacheBytes,
  apiAnswersMaxBytes,
  heldBodiesBytes,
  alertGroupsMaxBytes,
}: Config): readonly number[] =>
  [storeMemoryBytes, storeCacheBytes, apiAnswersMaxBytes, heldBodiesBytes, alertGroupsMaxBytes].map((bytes) => bytes / MiB);

describe('memory by default', () => {
  it('is the same on every machine without a limit', () => {
    for (const cores of [1, 4, 64]) {
      expect(inMiB(configOn({ cores }))).toEqual([1536, 1920, 512, 256, 32]);
      expect(configOn({ cores }).otlpMemorySpans).toBe(100_000);
    }
  });

  it.each([
    [GiB / 2, [256, 64, 64, 64, 1]],
    [GiB, [256, 137, 68, 68, 3]],
    [4 * GiB, [1193, 795, 397, 198, 19]],
    [64 * GiB, [1536, 1920, 512, 256, 32]],
  ])('in a container of %i bytes is a part of it', (memoryLimitBytes, expected) => {
    expect(inMiB(configOn({ cores: 4, memoryLimitBytes }))).toEqual(expected);
  });

  it.each([1, 1.5, 2, 3, 4, 6, 8, 16, 64])('lets the processes take less than a container of %d GiB has, whatever the cores', (size) => {
    for (const cores of [1, 2, 4, 8, 16, 64]) {
      expect(maxMemoryBytes(configOn({ cores, memoryLimitBytes: size * GiB }))).toBeLessThan(size * GiB);
    }
  });

  it('gives way to a setting', () => {
    const settings = { GATELOG_STORE_MEMORY_BYTES: '2GiB', GATELOG_GATEWAY_WORKERS: '6', GATELOG_OTLP_MEMORY_SPANS: '200000' };
    const config = configOn({ cores: 2, memoryLimitBytes: GiB }, settings);
    expect(config).toMatchObject({ storeMemoryBytes: 2 * GiB, gatewayWorkers: 6, otlpMemorySpans: 200_000 });
    expect(maxMemoryBytes(config)).toBeGreaterThan(2 * GiB);
  });

  it('has a part for each use, less than all together', () => {
    const { queries, caches, answers, heldBodies, alertGroups, spans } = memoryUses;
    const parts = queries.part + caches.part + 1.5 * answers.part + heldBodies.part + 8 * alertGroups.part + spans.part;
    expect(parts).toBeCloseTo(0.88, 2);
  });
});

it.each([
  [{ cores: 64 }, 8],
  [{ cores: 64, memoryLimitBytes: 2 * GiB }, 2],
  [{ cores: 2, memoryLimitBytes: 64 * GiB }, 1],
  [{ cores: 8, memoryLimitBytes: 256 * MiB }, 1],
])('%j starts %i gateway workers', (machine, workers) => {
  expect(defaultWorkers(machine)).toBe(workers);
});

it('a sentence says what was found', () => {
  expect(machineSentence({ cores: 1 })).toBe('Found here: 1 core, no memory limit. Defaults follow.');
  expect(machineSentence({ cores: 2, memoryLimitBytes: 1536 * MiB })).toBe(
    'Found here: 2 cores, a memory limit of 1536MiB. Defaults follow.',
  );
});
