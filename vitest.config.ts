import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { engine, filesThatReach, simulatedDisk } from './test/support/reached-modules.ts';
import { byLength, filesInFull } from './test/support/test-length.ts';
import { filesOfTheEmbeddedStore, isOnServer } from './test/support/test-store.ts';

/* Time-outs end a test that hangs, not one on a machine that gives it a tenth of a core. Speed is measured in `bench/`. */
const quick = { testTimeout: 180_000, hookTimeout: 180_000 };
const patient = { testTimeout: 600_000, hookTimeout: 300_000 };

/** Vitest keeps a core for itself, which of two is half. It needs little of it, and tests wait a third of their time: on timers, on processes. */
const maxWorkers = availableParallelism() + 2;

/** A condition may take this long on a busy machine; one that never holds fails all the same. */
const patientMs = 60_000;

const setupFiles = ['test/support/patient-conditions.ts'];

const shared = {
  environment: 'node',
  pool: 'forks',
  globals: false,
  maxWorkers,
  expect: { poll: { timeout: patientMs } },
  setupFiles,
} as const;
/** Test files beside the code that import this module. */
const besideTheCode = (module: string): readonly string[] =>
  filesThatReach(module, ['src', 'test', 'bench']).filter((file) => !file.endsWith('.system.test.ts'));
/** A store of the engine that a module opens for the file that imports it, and closes behind it. */
const ownStore = 'src/query/filter/testing/compile-harness.ts';
/** A run against a server leaves them out. */
const ofFiles = isOnServer ? filesOfTheEmbeddedStore : [];
const ownProcess = [...besideTheCode(simulatedDisk), ...besideTheCode(ownStore)];
const engineFiles = besideTheCode(engine).filter((file) => !ownProcess.includes(file));

/** Tests beside the code, and the law of the tree; they start nothing. Files share processes and the loaded modules. */
const unit = {
  ...shared,
  ...quick,
  name: 'unit',
  include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
  exclude: ['**/*.system.test.ts', '**/node_modules/**', ...ownProcess, ...engineFiles],
  isolate: false,
  // Vitest keeps a process only for a next file that shares it too, so each project that shares has its own turn.
  sequence: { groupOrder: 2 },
};

/** Tests beside the code that open the embedded engine, one after another in a process. */
const engineTests = {
  ...shared,
  ...quick,
  name: 'engine',
  include: [...engineFiles],
  exclude: ofFiles,
  isolate: false,
  sequence: { groupOrder: 1 },
};

/** Tests beside the code; each file needs its own process. */
const own = { ...shared, ...quick, name: 'own', include: [...ownProcess], sequence: { groupOrder: 3 } };

/** Tests that start the built program and the fakes around it. Files share processes. */
const system = {
  ...shared,
  ...patient,
  name: 'system',
  include: ['test/**/*.system.test.ts'],
  exclude: [...byLength(filesInFull, []), ...ofFiles],
  setupFiles: [...setupFiles, 'test/support/end-started.ts'],
  isolate: false,
  sequence: { groupOrder: 0 },
};

export default defineConfig({
  test: {
    projects: [{ test: unit }, { test: engineTests }, { test: own }, { test: system }],
    sequence: { sequencer: LongestFirst },
    // A module is transformed once for all projects, and again only once it has changed.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/vitest' },
    allowOnly: false,
    passWithNoTests: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
