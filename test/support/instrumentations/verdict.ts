import type { Instrumentation, Untold } from './catalogue.ts';
import { type Facts, factsOf, trueFacts } from './facts.ts';
import type { AnsweredCall } from './provider.ts';
import type { Told, Way } from './run.ts';

/** `true`: all as the provider said. `guide`: but for what the guide says. */
type Agreement = 'true' | 'guide' | 'WRONG';

export interface Verdict {
  readonly tokens: Agreement;
  readonly cost: Agreement;
  readonly texts: Agreement;
  /** What is wrong, one sentence each. */
  readonly faults: readonly string[];
}

const groups = {
  tokens: ['model', 'promptTokens', 'cacheReadTokens', 'cacheWriteTokens', 'completionTokens', 'reasoningTokens', 'isEstimated'],
  cost: ['cost'],
  texts: ['asked', 'said'],
} as const satisfies Readonly<Record<string, readonly (keyof Facts)[]>>;

interface Compared {
  readonly name: string;
  readonly truth: Facts;
  /** What the guide lets one expect. */
  readonly expected: Facts;
}

/** The number of records that the guide lets one expect. */
export function expectedRecords(instrumentation: Instrumentation, way: Way): number {
  const of = instrumentation.calls.flatMap((name) => untoldOf(instrumentation, way, name)).map(({ facts }) => facts);
  const count = (what: Untold['facts']): number => of.filter((facts) => facts === what).length;
  return instrumentation.calls.length - count('missing') + count('twice');
}

/** Compares the records with the calls themselves, and with what the guide says. */
export function judge(instrumentation: Instrumentation, way: Way, { calls, records, output }: Told, guide: string): Verdict {
  const expected = expectedRecords(instrumentation, way);
  const said = output.trim() === '' ? '' : ` It printed: ${output.trim().slice(0, 600)}`;
  const row = guide.split('\n').find((line) => line.startsWith(`| ${instrumentation.guide}`)) ?? '';
  const compared = comparedOf(instrumentation, way, calls);
  // A span's record beside that of the gateway is counted, and no more.
  const facts = records.filter(({ gateway_overhead_ms: ms }) => way.mode === 'direct' || ms !== null).map(factsOf);
  const differences = compared.flatMap((each, index) => differencesOf(each, facts[index]));
  const agreement = (names: readonly (keyof Facts)[]): Agreement => {
    if (differences.some(({ field }) => names.includes(field))) return 'WRONG';
    const isTrue =
      compared.length === calls.length &&
      compared.every(({ truth, expected: wanted }) => names.every((name) => truth[name] === wanted[name]));
    return isTrue ? 'true' : 'guide';
  };
  return {
    tokens: agreement(groups.tokens),
    cost: agreement(groups.cost),
    texts: agreement(groups.texts),
    faults: [
      ...(calls.length === instrumentation.calls.length ? [] : [`The provider got ${calls.length} calls.${said}`]),
      ...(records.length === expected ? [] : [`There are ${records.length} records instead of ${expected}.${said}`]),
      ...unwritten(instrumentation, way, { guide, row }).map((words) => `The guide does not say: ${words}`),
      ...differences.map(({ sentence }) => sentence),
    ],
  };
}

function untoldOf({ untold }: Instrumentation, { mode, processor }: Way, name: string): readonly Untold[] {
  return untold.filter(
    (each) => each.calls.test(name) && (each.modes ?? ['direct']).includes(mode) && (each.processor ?? processor) === processor,
  );
}

function unwritten(
  instrumentation: Instrumentation,
  way: Way,
  { guide, row }: { readonly guide: string; readonly row: string },
): readonly string[] {
  const here = instrumentation.calls.flatMap((name) => untoldOf(instrumentation, way, name));
  const absent = here.filter(({ facts, guide: words }) => !(facts === 'twice' ? guide : row).includes(words));
  return [...new Set(absent.map(({ guide: words }) => words))];
}

function comparedOf(instrumentation: Instrumentation, way: Way, calls: readonly AnsweredCall[]): readonly Compared[] {
  return instrumentation.calls.flatMap((name, index): Compared[] => {
    const call = calls[index];
    const untold = untoldOf(instrumentation, way, name).map(({ facts }) => facts);
    if (call === undefined || untold.includes('missing')) return [];
    const truth = trueFacts(call);
    const others = untold.filter((facts): facts is Partial<Facts> => typeof facts !== 'string');
    return [{ name, truth, expected: Object.assign({}, truth, ...others) as Facts }];
  });
}

function differencesOf(
  { name, expected }: Compared,
  found: Facts | undefined,
): readonly { readonly field: keyof Facts; readonly sentence: string }[] {
  return (Object.keys(expected) as (keyof Facts)[])
    .filter((field) => expected[field] !== found?.[field])
    .map((field) => ({
      field,
      sentence: `${name}: ${field} is ${JSON.stringify(found?.[field])} instead of ${JSON.stringify(expected[field])}`,
    }));
}
