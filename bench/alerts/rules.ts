import type { AlertRule } from '../../src/contract/events/alerts.ts';

/** A thousand rules of one organisation, as many teams would have them. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const windows = [5 * minute, hour, day] as const;
const measures = [
  { metric: 'cost', threshold: 1e6 },
  { metric: 'response.status', threshold: 50, minimum_request_count: 20 },
  { metric: 'latency', aggregation: 'percentile', percentile: 95, threshold: 60_000 },
] as const satisfies readonly Partial<AlertRule>[];

type Condition = Omit<AlertRule, 'name'>;

const leaf = (inner: object): object => ({ request_response_rmt: inner });
const both = (left: object, right: object): object => ({ left, operator: 'and', right });
const team = (index: number): object => leaf({ properties: { Team: { equals: `team-${index % 50}` } } });
const feature = (index: number): object => leaf({ properties: { Feature: { equals: `feature-${index % 20}` } } });

function measured(index: number, filter: object | undefined, more: object = {}): Condition {
  const measure = measures[index % measures.length] ?? measures[0];
  const ms = windows[Math.floor(index / measures.length) % windows.length] ?? minute;
  return { ...measure, time_window: ms, ...(filter === undefined ? {} : { filter }), ...more };
}

function many(count: number, make: (index: number) => Condition): readonly Condition[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export interface RuleKind {
  readonly name: string;
  readonly rules: readonly Condition[];
}

/** Which rules there are of a thousand. */
export const ruleKinds: readonly RuleKind[] = [
  { name: 'of one team each', rules: many(300, (index) => measured(index, team(Math.floor(index / 6)))) },
  { name: 'of one user each', rules: many(300, (index) => measured(index, leaf({ user_id: { equals: `user-${index}` } }))) },
  { name: 'of a feature and a team each', rules: many(150, (index) => measured(index, both(feature(index), team(index)))) },
  {
    name: 'of a filter of another kind each',
    rules: many(100, (index) =>
      measured(index, both(leaf({ latency: { gt: 100 * index } }), leaf({ properties: { Environment: { contains: 'prod' } } }))),
    ),
  },
  {
    name: 'by user, team or feature',
    rules: many(80, (index) =>
      measured(index, undefined, { grouping: ['user', { property: 'Team' }, { property: 'Feature' }][index % 3] }),
    ),
  },
  {
    name: 'against the days before, over an hour',
    rules: many(40, (index) => ({ metric: 'cost', threshold: 300, time_window: hour, baseline: { days: 7 }, filter: team(index) })),
  },
  { name: 'of everything', rules: many(30, (index) => measured(index, undefined)) },
];
