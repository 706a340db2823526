import { formatAmount, formatCost, formatCount } from '../../../lib/format.ts';
import { percent } from '../trace/shares.ts';

/** What sessions are compared by. */
export interface SessionFigures {
  readonly id: string;
  readonly name: string | null;
  readonly cost: number;
  readonly steps: number;
  /** Share of the input that the provider read from its cache; null without input. */
  readonly cached: number | null;
}

/** The median of others. */
export interface Usual {
  /** What they share with the session; `either`: some its name, some its properties. */
  readonly by: 'name' | 'properties' | 'either';
  /** How many days they are of. */
  readonly days: number;
  readonly sessions: number;
  readonly cost: number;
  readonly steps: number;
  readonly cached: number | null;
}

/** Of fewer others nothing is usual. */
const leastOthers = 5;
const muchMore = 1.5;
const muchOfCache = 0.1;

/** @param others sessions of the same name, or with the same properties. @param days of which they are. */
export function usualOf(own: SessionFigures, others: readonly SessionFigures[], days: number): Usual | undefined {
  const named = others.filter(({ name }) => own.name !== null && own.name !== '' && name === own.name);
  const isOfName = named.length >= leastOthers;
  const some = isOfName ? named : others;
  if (some.length < leastOthers) return undefined;
  const shares = some.flatMap(({ cached }) => cached ?? []);
  return {
    by: isOfName ? 'name' : named.length === 0 ? 'properties' : 'either',
    days,
    sessions: some.length,
    cost: median(some.map(({ cost }) => cost)),
    steps: median(some.map(({ steps }) => steps)),
    cached: shares.length === 0 ? null : median(shares),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[half - 1], sorted[half]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** A sentence about a session beside the usual one, and what it is about. */
export interface Compared {
  readonly about: 'cost' | 'steps' | 'cached' | 'model';
  readonly text: string;
}

/** From how many times the usual cost on a session needs somebody. */
const runsAway = 3;

export function hasRunAway(own: SessionFigures, usual: Usual): boolean {
  return usual.cost > 0 && own.cost >= runsAway * usual.cost;
}

/** In place of a comparison, where even a day has more sessions than one answer. */
export const tooMany: Compared = {
  about: 'cost',
  text: 'Too many sessions of one day share its name or its properties to say what is usual.',
};

const shared: Readonly<Record<Usual['by'], string>> = {
  name: 'of this name',
  properties: 'with these properties',
  either: 'of this name or with these properties',
};

/** How a session stands to the usual one: the cost first, then what made it so. */
export function comparison(own: SessionFigures, usual: Usual, models?: OwnModel): readonly Compared[] {
  const of = `the median of ${formatCount(usual.sessions)} others ${shared[usual.by]} in ${formatAmount(usual.days, 'day')}`;
  const ratio = usual.cost > 0 ? own.cost / usual.cost : undefined;
  if (ratio === undefined) return [];
  const against = `${formatCost(own.cost)} against ${formatCost(usual.cost)}, ${of}.`;
  const cost = (words: string): Compared => ({ about: 'cost', text: `${words} a usual session: ${against}` });
  if (ratio < muchMore) return [cost(ratio < 1 / muchMore ? 'Less than' : 'About as much as')];
  const steps = own.steps / usual.steps;
  return [
    cost(`About ${times(ratio)} times`),
    ...(steps < muchMore
      ? []
      : [{ about: 'steps', text: `${formatCount(own.steps)} steps against ${formatCount(usual.steps)}.` } as const]),
    ...modelSentence(models),
    ...cacheSentence(own.cached, usual.cached),
  ];
}

/** A model that made most of a session's cost. */
export interface OwnModel {
  readonly name: string;
  /** Of the session's cost. */
  readonly share: number;
  /** Of the cost of the others; undefined where they cost nothing. */
  readonly usualShare: number | undefined;
  /** What the others spent most on. */
  readonly usualName: string | undefined;
}

/** Costs by model. @param all with the session itself. */
export function ownModelOf(own: ReadonlyMap<string, number>, all: ReadonlyMap<string, number>): OwnModel | undefined {
  const others = new Map([...all].map(([name, cost]) => [name, Math.max(0, cost - (own.get(name) ?? 0))]));
  const [mine, usual] = [mostOf(own), mostOf(others)];
  if (mine === undefined) return undefined;
  const [costs, otherCosts] = [sumOf(own), sumOf(others)];
  return {
    name: mine,
    share: (own.get(mine) ?? 0) / costs,
    usualShare: otherCosts > 0 ? (others.get(mine) ?? 0) / otherCosts : undefined,
    usualName: usual,
  };
}

function mostOf(costs: ReadonlyMap<string, number>): string | undefined {
  const [most] = [...costs].toSorted(([, one], [, other]) => other - one);
  return most === undefined || most[1] <= 0 ? undefined : most[0];
}

function sumOf(costs: ReadonlyMap<string, number>): number {
  return [...costs.values()].reduce((sum, cost) => sum + cost, 0);
}

/** A model is told of that made most of the cost, and that the others seldom use. */
const [mostOfCost, seldom] = [0.5, 0.25];

function modelSentence(model: OwnModel | undefined): readonly Compared[] {
  if (model?.usualName === undefined || model.usualShare === undefined || model.usualName === model.name) return [];
  const { name, share, usualShare, usualName } = model;
  if (share < mostOfCost || usualShare > seldom) return [];
  const text = `${name} made ${percent(share)} of the cost, against ${percent(usualShare)}; the others use ${usualName} most.`;
  return [{ about: 'model', text }];
}

function cacheSentence(own: number | null, usual: number | null): readonly Compared[] {
  if (own === null || usual === null || Math.abs(own - usual) < muchOfCache) return [];
  return [{ about: 'cached', text: `${percent(own)} of the input came from the provider’s cache, against ${percent(usual)}.` }];
}

/** Two digits: the costs beside it are rounded, and more would not agree with them. */
function times(ratio: number): string {
  return ratio >= 10 ? formatCount(Number(ratio.toPrecision(2))) : ratio.toFixed(1);
}
