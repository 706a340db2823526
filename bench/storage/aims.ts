import { markdownTable, shown } from '../gateway/markdown.ts';
import { percentile, questionNames, rowsPerSecond, wireByStored } from './figures.ts';
import type { Round } from './measure.ts';
import type { ScenarioName } from './traffic/scenarios.ts';

/** One aim of the current schema. */
interface Aim {
  readonly what: string;
  readonly bound: string;
  readonly value: number;
  readonly isReached: boolean;
}

const leastWireByStored: Readonly<Partial<Record<ScenarioName, number>>> = { chats: 2.8, agents: 18, 'agents-without-ids': 18, rag: 7 };
/** Two sides of one schema differ by less than a tenth. */
const noise = 0.1;

/** @param rounds of one scenario. */
export function aimsOf(rounds: readonly Round[]): readonly Aim[] {
  const [first] = rounds;
  if (first === undefined) return [];
  const { name, title } = first.scenario;
  const least = leastWireByStored[name];
  const ratio = wireByStored(rounds, 'now');
  const stored =
    least === undefined ? [] : [{ what: `${title}: wire ÷ stored`, bound: `≥ ${least}`, value: ratio, isReached: ratio >= least }];
  const questionAims = questionNames(rounds).map((question) => {
    const p50 = { name: question, share: 0.5 };
    return slowdown(`${title}: ${question}, p50, now ÷ before`, percentile(rounds, 'now', p50) / percentile(rounds, 'before', p50));
  });
  const inserting = slowdown(`${title}: time of an insert, now ÷ before`, rowsPerSecond(rounds, 'before') / rowsPerSecond(rounds, 'now'));
  return [...stored, inserting, ...questionAims];
}

function slowdown(what: string, value: number): Aim {
  return { what, bound: `≤ 1 (${1 + noise} with noise)`, value, isReached: value <= 1 + noise };
}

export function renderAims(aims: readonly Aim[]): string[] {
  const rows = aims.map(({ what, bound, value, isReached }) => [what, bound, shown(value, 2), isReached ? 'reached' : '**missed**']);
  return ['### Aims', '', ...markdownTable(['', 'aim', 'measured', 'verdict'], rows)];
}
