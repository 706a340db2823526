import type { Reporter, TestModule } from 'vitest/node';

const shown = 20;

/** Prints the slowest files and tests at the end. */
class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => {
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      return { ms: collectDuration + setupDuration + duration, name: module.relativeModuleId };
    });
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        ms: test.diagnostic()?.duration ?? 0,
        name: `${module.relativeModuleId} › ${test.fullName}`,
      })),
    );
    print('files', files);
    print('tests', tests);
  }
}

export default Slowest;

function print(what: string, entries: readonly { readonly ms: number; readonly name: string }[]): void {
  const slowest = entries.toSorted((one, other) => other.ms - one.ms).slice(0, shown);
  const lines = slowest.map(({ ms, name }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${name}`);
  process.stdout.write(`\nThe slowest ${what}:\n${lines.join('\n')}\n`);
}
