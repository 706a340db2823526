import { filesThatReach } from './reached-modules.ts';
import { filesInFull } from './test-length.ts';

/** A program of the long run. */
export interface NightlyPart {
  readonly name: string;
  /** The file that it begins with. */
  readonly entry: string;
  /** Arguments of Node. */
  readonly words: readonly string[];
  /** What the part shows by its end: a mutant is a program with a fault, which the run must find. */
  readonly wantedCode: 0 | 1;
}

/** Soaks with their arguments; the defaults are those of their help. */
const soaks: readonly (readonly [name: string, ...words: readonly string[]])[] = [
  ['kills', '100'],
  ['webhooks', '20'],
  ['store-away', '5'],
  ['move', '100000', '--kills', '5'],
  ['bulk', '100000', '--kills', '10'],
  ['export', '200000', '--made', '100000', '--service-kills', '3', '--command-kills', '2', '--', '--include-body'],
  ['import-helicone', '20000', '--kills', '3'],
  ['round-trip', '100000'],
  ['filters', '5000'],
  ['sessions', '1500'],
  ['metrics', '1400'],
  ['fuzz', '5000'],
  ['bytes'],
  ['faults', '20'],
  ['recorded-bodies', '5000'],
  ['fairness'],
  // Each on a service of its own.
  ['hostile', '--only', 'spans,telemetry,streams,webhooks,alerts,redaction,imports,mcp,exports,logs,prices,changes,bodies,uploads'],
  ['hostile', '--only', 'slow-replies,packed-replies,cursors,facets,batches,limits,saved,texts'],
  ['redaction'],
  ['steady', '10'],
  ['senders'],
  ['clients'],
  ['agents'],
  ['instrumentations'],
  ['prices'],
  ['package'],
];

/** Faults of the built program that the kills must find. */
const mutants = ['reply-first', 'checkpoint-first', 'new-token'] as const;
const killsOfMutant = '30';

/** Of compiled programs: see `scripts/experiment.mjs`. */
const programs = '.cache/experiments/test/soak';
const lengthOfTests = 'test/support/test-length.ts';

/** Every part, in its order: the tests that `npm test` shortens in full, then the soaks. */
export function nightlyParts(): readonly NightlyPart[] {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run'];
  return [
    ...[...new Set([...filesThatReach(lengthOfTests, ['src', 'test', 'bench']), ...filesInFull])].map((file): NightlyPart => ({
      name: `test ${file}`,
      entry: file,
      words: [...vitest, file],
      wantedCode: 0,
    })),
    ...soaks.map(([name, ...words]): NightlyPart => ({
      name: [name, ...words].join(' '),
      entry: `test/soak/${name}.ts`,
      words: [`${programs}/${name}.js`, ...words],
      wantedCode: 0,
    })),
    ...mutants.map((mutant): NightlyPart => {
      const words = [killsOfMutant, '--mutant', mutant];
      return { name: `kills ${words.join(' ')}`, entry: 'test/soak/kills.ts', words: [`${programs}/kills.js`, ...words], wantedCode: 1 };
    }),
  ];
}
