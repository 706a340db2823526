import { defineConfig } from 'vitest/config';

/*
 * A test that hangs ends by these; one on a machine that gives it a tenth of a core does not. How fast something is, `bench/` says.
 */

/** Tests beside the code, and the law of the tree: quick, nothing is started. */
const unit = {
  name: 'unit',
  include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
  exclude: ['**/*.system.test.ts', '**/node_modules/**'],
  testTimeout: 180_000,
  hookTimeout: 180_000,
};

/** Tests that start the built program and the fakes around it. */
const system = {
  name: 'system',
  include: ['test/**/*.system.test.ts'],
  setupFiles: ['test/support/end-started.ts'],
  testTimeout: 600_000,
  hookTimeout: 300_000,
};

/** A process opens one embedded ClickHouse folder in its life, so that every test file gets a process of its own. */
const shared = { environment: 'node', pool: 'forks', isolate: true, globals: false } as const;

export default defineConfig({
  test: {
    projects: [{ test: { ...shared, ...unit } }, { test: { ...shared, ...system } }],
    allowOnly: false,
    passWithNoTests: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
