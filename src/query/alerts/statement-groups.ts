import { allOf, conjuncts, type FilterNode } from '../filter/ast.ts';
import { isExpensive } from '../filter/sql/compile.ts';
import { type Dimension, keyOf } from '../metrics/plan.ts';
import type { AlertPlan } from './plan.ts';
import type { TimeRange } from './windows.ts';

/** A rule's value is asked for in these ranges, each by itself. */
export interface Reading {
  readonly plan: AlertPlan;
  readonly ranges: readonly TimeRange[];
}

/** Equalities that all records of a filter satisfy, taken out of it: a group reads the values of many rules as groups. */
export interface Pivot {
  readonly dimensions: readonly Dimension[];
  readonly values: readonly string[];
}

/** A reading, with what its group's statement takes from it. */
export interface Member {
  /** Among the readings that were given. */
  readonly index: number;
  readonly reading: Reading;
  readonly pivot: Pivot | undefined;
  /** The filter without the pivot. */
  readonly filter: FilterNode;
}

/** Readings that one statement answers: of one grouping and of windows of about one length. */
export interface StatementGroup {
  readonly dimensions: readonly Dimension[];
  /** Groups beside the dimensions; empty: filters tell the members apart. */
  readonly pivot: readonly Dimension[];
  readonly members: readonly Member[];
}

/** Equalities that become groups. */
const maxPivots = 2;
/** With fewer members, a statement of their own costs more than conditions in another one. */
const minPivoted = 4;
/** Filters and ranges that one statement tells apart. */
const maxSelections = 150;

/** Text fields of a request that are columns compared as they are. */
const pivotFields: Readonly<Record<string, Dimension>> = {
  user_id: { kind: 'column', name: 'user' },
  session_id: { kind: 'column', name: 'session' },
  model: { kind: 'column', name: 'model' },
  prompt_id: { kind: 'column', name: 'prompt' },
};

/** Groups that the values of a pivot may make together, were every combination there. */
const maxCombinations = 20_000;

/** The statements that answer readings of one tenant. */
export function statementGroupsOf(readings: readonly Reading[]): readonly StatementGroup[] {
  const members = readings.map((reading, index) => memberOf(reading, index));
  const pivoted = [...grouped(members, (member) => pivotedKey(member)).values()].flatMap(narrowed);
  const few = pivoted.filter((group) => group.length < minPivoted).flat();
  const plain = grouped([...members.filter(({ pivot }) => pivot === undefined), ...few].map(unpivoted), (member) => groupKey(member, []));
  const groups = pivoted.filter((group) => group.length >= minPivoted);
  return [...groups, ...plain.values()].flatMap(split).map((group) => ({
    dimensions: group[0]?.reading.plan.dimensions ?? [],
    pivot: group[0]?.pivot?.dimensions ?? [],
    members: group,
  }));
}

function pivotedKey(member: Member): string | undefined {
  return member.pivot === undefined ? undefined : groupKey(member, member.pivot.dimensions);
}

/** A statement group whose pivot could make too many groups takes the first equality alone. */
function narrowed(group: readonly Member[]): readonly (readonly Member[])[] {
  const [first] = group;
  const dimensions = first?.pivot?.dimensions ?? [];
  const distinct = dimensions.map((_, index) => new Set(group.map(({ pivot }) => pivot?.values[index])).size);
  if (dimensions.length < 2 || distinct.reduce((product, count) => product * count, 1) <= maxCombinations) return [group];
  return [group.map(({ index, reading }) => memberOf(reading, index, 1))];
}

/** @param most equalities that become the pivot. */
function memberOf(reading: Reading, index: number, most = maxPivots): Member {
  const all = conjuncts(reading.plan.filter);
  const found = all.flatMap((node) => {
    const dimension = pivotOf(node);
    return dimension === undefined || node.kind !== 'condition' || node.family !== 'text' ? [] : [{ node, dimension, value: node.value }];
  });
  // Two equalities of one field stay two: at most one of them holds.
  const single = found.filter(({ dimension }) => found.filter((other) => keyOf(other.dimension) === keyOf(dimension)).length === 1);
  const chosen = single.toSorted((one, other) => (keyOf(one.dimension) < keyOf(other.dimension) ? -1 : 1)).slice(0, most);
  if (chosen.length === 0) return { index, reading, pivot: undefined, filter: reading.plan.filter };
  const taken = new Set<FilterNode>(chosen.map(({ node }) => node));
  return {
    index,
    reading,
    pivot: { dimensions: chosen.map(({ dimension }) => dimension), values: chosen.map(({ value }) => value) },
    filter: allOf(all.filter((node) => !taken.has(node))),
  };
}

/** Absent texts are equal to the empty one, and absent in another way as a group. */
function pivotOf(node: FilterNode): Dimension | undefined {
  if (node.kind !== 'condition' || node.family !== 'text' || node.operator !== 'equals' || node.value === '') return undefined;
  if (node.group !== 'request_response_rmt') return undefined;
  if (node.field === 'properties' && node.name !== undefined) return { kind: 'property', name: node.name };
  return Object.hasOwn(pivotFields, node.field) ? pivotFields[node.field] : undefined;
}

function unpivoted(member: Member): Member {
  return { ...member, pivot: undefined, filter: member.reading.plan.filter };
}

function groupKey({ reading, index, filter }: Member, pivot: readonly Dimension[]): string {
  const { dimensions, baselineDays } = reading.plan;
  // A filter over bodies or sessions reads them once for its own window.
  const alone = isExpensive(filter) ? `alone ${index}` : '';
  return JSON.stringify([dimensions.map(keyOf), pivot.map(keyOf), alone, baselineDays > 0 ? 'baseline' : lengthClass(reading.ranges)]);
}

const hourMs = 3_600_000;

/** A long window is not read for the sake of short ones. */
function lengthClass(ranges: readonly TimeRange[]): string {
  const longest = Math.max(...ranges.map(({ from, to }) => to - from));
  if (longest <= hourMs) return 'hour';
  return longest <= 24 * hourMs ? 'day' : 'month';
}

export function grouped<Item>(items: readonly Item[], keyFor: (item: Item) => string | undefined): ReadonlyMap<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyFor(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function split(members: readonly Member[]): readonly (readonly Member[])[] {
  const parts: Member[][] = [];
  let selections = new Set<string>();
  for (const member of members) {
    const own = member.reading.ranges.map((range) => selectionKey(member.filter, range));
    const joined = new Set([...selections, ...own]);
    const last = parts.at(-1);
    if (last === undefined || (joined.size > maxSelections && selections.size > 0)) {
      parts.push([member]);
      selections = new Set(own);
    } else {
      last.push(member);
      selections = joined;
    }
  }
  return parts;
}

/** The same for equal filters and ranges. */
export function selectionKey(filter: FilterNode, { from, to }: TimeRange): string {
  return JSON.stringify([filter, from, to]);
}
