import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { needOwnProcess } from './test/support/isolation.ts';

/*
 * A test that hangs ends by these; one on a machine that gives it a tenth of a core does not. How fast something is, `bench/` says.
 */
const quick = { testTimeout: 180_000, hookTimeout: 180_000 };
const patient = { testTimeout: 600_000, hookTimeout: 300_000 };

/** Vitest leaves a core to itself, and of two that is half. It needs little, and a system test that waits for processes even less. */
const maxWorkers = availableParallelism() + 1;

const shared = { environment: 'node', pool: 'forks', globals: false, maxWorkers } as const;
const ownProcess = needOwnProcess(['src', 'test', 'bench']);

/** Tests beside the code, and the law of the tree: quick, nothing is started. Files share processes, and with them the modules that they have loaded. */
const unit = {
  ...shared,
  ...quick,
  name: 'unit',
  include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
  exclude: ['**/*.system.test.ts', '**/node_modules/**', ...ownProcess],
  isolate: false,
  // A process is kept for the next file where that shares it too: these come when all others are through.
  sequence: { groupOrder: 1 },
};

/** Tests beside the code of which every file needs a process of its own. */
const engine = { ...shared, ...quick, name: 'engine', include: [...ownProcess] };

/** Tests that start the built program and the fakes around it. */
const system = {
  ...shared,
  ...patient,
  name: 'system',
  include: ['test/**/*.system.test.ts'],
  setupFiles: ['test/support/end-started.ts'],
};

export default defineConfig({
  test: {
    projects: [{ test: unit }, { test: engine }, { test: system }],
    allowOnly: false,
    passWithNoTests: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
