import { cpus } from 'node:os';
import type { Reporter, TestModule } from 'vitest/node';
import { writeTimes } from './test-times.ts';

const shown = 20;

/**
 * Prints the slowest files and tests at the end. `GATELOG_TEST_TIMES=write` writes the times of all files into
 * docs/internals/test-times.md; with `GATELOG_TEST_MAX_MINUTES` a longer run fails.
 */
class Slowest implements Reporter {
  private startedAt = 0;

  onTestRunStart(): void {
    this.startedAt = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const seconds = (performance.now() - this.startedAt) / 1000;
    const files = modules.map((module) => {
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      return { seconds: (collectDuration + setupDuration + duration) / 1000, name: module.relativeModuleId };
    });
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        seconds: (test.diagnostic()?.duration ?? 0) / 1000,
        name: `${module.relativeModuleId} › ${test.fullName}`,
      })),
    );
    print('files', files);
    print('tests', tests);
    if (process.env['GATELOG_TEST_TIMES'] === 'write') writeTimes(files, runOf(tests.length, seconds));
    failWhenLong(seconds);
  }
}

export default Slowest;

function print(what: string, entries: readonly { readonly seconds: number; readonly name: string }[]): void {
  const slowest = entries.toSorted((one, other) => other.seconds - one.seconds).slice(0, shown);
  const lines = slowest.map(({ seconds, name }) => `${seconds.toFixed(1).padStart(6)} s  ${name}`);
  process.stdout.write(`\nThe slowest ${what}:\n${lines.join('\n')}\n`);
}

function runOf(tests: number, seconds: number): string {
  const [day] = new Date().toISOString().split('T');
  return `${tests} tests in ${seconds.toFixed(0)} s on ${cpus().length} cores, Node ${process.versions.node}, ${day}.`;
}

function failWhenLong(seconds: number): void {
  const maxMinutes = Number(process.env['GATELOG_TEST_MAX_MINUTES'] ?? Infinity);
  if (seconds <= maxMinutes * 60) return;
  process.stdout.write(`\nThe tests took ${(seconds / 60).toFixed(1)} min, and may take ${maxMinutes}.\n`);
  process.exitCode = 1;
}
