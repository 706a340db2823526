import { Buffer } from 'node:buffer';
import type { SessionItem } from '../../contract/sessions/item.ts';
import type { SessionMetrics, SessionNameItem, SessionTotals } from '../../contract/sessions/query.ts';
import type { SortDirection } from '../../model/vocabulary/sort.ts';
import type { FilterNode } from '../filter/ast.ts';
import { matches } from '../filter/memory/interpret.ts';
import { shownProperties } from '../../model/vocabulary/property-alias.ts';
import { type FilterRecord, sessionAggregatesOf } from '../filter/record.ts';

/** What the contract says of sessions, over records in memory. It shares with the engine what a condition of the filter means, and nothing else. */

/** A question in plain terms: `filter` without what the body's other fields say. */
export interface ReferenceQuestion {
  readonly filter: FilterNode;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly search?: string | undefined;
  readonly nameEquals?: string | undefined;
  readonly nameContains?: string | undefined;
  /** Keys in their order; none: the latest first. */
  readonly sort?: readonly (readonly [key: string, direction: SortDirection])[] | undefined;
}

/** A session with its requests: all in the range, and those that are kept, oldest first. */
export interface ReferenceSession {
  readonly id: string;
  /** Empty: none. */
  readonly tag: string;
  readonly name: string;
  readonly all: readonly FilterRecord[];
  readonly kept: readonly FilterRecord[];
}

/** What is on record: requests, and the tags of sessions by their identifiers. */
export interface ReferenceWorld {
  readonly records: readonly FilterRecord[];
  readonly tags: ReadonlyMap<string, string>;
}

/** The sessions that a question asks for, in the order of the contract. */
export function sessionsAsked({ records, tags }: ReferenceWorld, question: ReferenceQuestion): readonly ReferenceSession[] {
  const ids = new Set(records.map(({ sessionId }) => sessionId));
  ids.delete('');
  const { from = -Infinity, to = Infinity } = question;
  return [...ids]
    .map((id) => records.filter(({ sessionId, createdAt }) => sessionId === id && createdAt >= from && createdAt <= to).toSorted(byAge))
    .flatMap((all) => sessionOf(all, tags, question) ?? [])
    .toSorted((left, right) => {
      for (const [key, direction] of question.sort ?? []) {
        const order = sortKeys[key]?.(left, right) ?? 0;
        if (order !== 0) return direction === 'asc' ? order : -order;
      }
      return startOf(right) - startOf(left) || Buffer.compare(Buffer.from(left.id), Buffer.from(right.id));
    });
}

/** Which of two sessions is less by a sort key. */
const sortKeys: Readonly<Record<string, (left: ReferenceSession, right: ReferenceSession) => number>> = {
  created_at: (left, right) => startOf(left) - startOf(right),
  latest_request_created_at: (left, right) => endOf(left) - endOf(right),
  total_cost: (left, right) => signOf(costUnitsOf([left]) - costUnitsOf([right])),
  total_requests: (left, right) => left.kept.length - right.kept.length,
  failed: (left, right) => failedOf(left) - failedOf(right),
  total_tokens: (left, right) => signOf(tokensOf(left) - tokensOf(right)),
  avg_latency: (left, right) => {
    const [one, other] = [latenciesOf(left), latenciesOf(right)];
    return signOf(one.sum * other.count - other.sum * one.count);
  },
};

function signOf(difference: bigint): number {
  return difference < 0n ? -1 : Number(difference > 0n);
}

function failedOf({ kept }: ReferenceSession): number {
  return kept.filter(({ failure }) => failure !== null).length;
}

function tokensOf({ kept }: ReferenceSession): bigint {
  return sum(kept.flatMap(({ usage }) => [usage.promptTokens, usage.completionTokens]));
}

/** Sessions without a latency have 0 on average. */
function latenciesOf({ kept }: ReferenceSession): { readonly sum: bigint; readonly count: bigint } {
  const known = kept.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));
  return { sum: sum(known), count: BigInt(Math.max(1, known.length)) };
}

function sessionOf(
  all: readonly FilterRecord[],
  tags: ReadonlyMap<string, string>,
  question: ReferenceQuestion,
): ReferenceSession | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const tag = tags.get(first.sessionId) ?? '';
  const aggregates = sessionAggregatesOf(all, tag);
  const kept = all.filter((record) => matches(question.filter, record, aggregates));
  const name = all.map(({ sessionName }) => sessionName).reduce((newest, next) => (next === '' ? newest : next), '');
  const id = first.sessionId;
  const { search = '', nameEquals, nameContains = '' } = question;
  const isFound = search === '' || holds(id, search) || holds(name, search);
  const isNamed = (nameEquals === undefined || name === nameEquals) && (nameContains === '' || holds(name, nameContains));
  return kept.length > 0 && isFound && isNamed ? { id, tag, name, all, kept } : undefined;
}

function holds(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

function byAge(left: FilterRecord, right: FilterRecord): number {
  return left.createdAt - right.createdAt || (left.requestId < right.requestId ? -1 : 1);
}

const startOf = ({ kept }: ReferenceSession): number => Math.min(...kept.map(({ createdAt }) => createdAt));
const endOf = ({ kept }: ReferenceSession): number => Math.max(...kept.map(({ createdAt }) => createdAt));

function sum(values: readonly (number | bigint | null)[]): bigint {
  let total = 0n;
  for (const value of values) total += BigInt(value ?? 0);
  return total;
}

/** What the kept requests of sessions cost together, in units of 10⁻¹² USD. */
export function costUnitsOf(sessions: readonly ReferenceSession[]): bigint {
  return sum(sessions.flatMap(({ kept }) => kept.map(({ cost }) => cost)));
}

/** A session as the item of the contract. @param offset how its times are written: minutes east, and the text behind them. */
export function referenceItem(session: ReferenceSession, offset: { readonly minutes: number; readonly text: string }): SessionItem {
  const { kept, all } = session;
  const time = (ms: number): string => new Date(ms + offset.minutes * 60_000).toISOString().replace('Z', offset.text);
  const tokens = (key: 'promptTokens' | 'completionTokens'): bigint => sum(kept.map(({ usage }) => usage[key]));
  const properties: [string, string][] = all.flatMap((record) => [...record.properties]);
  const users = [...new Set(kept.map(({ userId }) => userId))].filter((user) => user !== '');
  return {
    session_id: session.id,
    session_name: session.name,
    session_tag: session.tag === '' ? null : session.tag,
    created_at: time(startOf(session)),
    latest_request_created_at: time(endOf(session)),
    last_used: time(endOf(session)),
    total_cost: decimalOf(costUnitsOf([session]), 10n ** 12n),
    total_requests: kept.length,
    failed: failedOf(session),
    prompt_tokens: Number(tokens('promptTokens')),
    completion_tokens: Number(tokens('completionTokens')),
    total_tokens: Number(tokens('promptTokens') + tokens('completionTokens')),
    avg_latency: averageLatency([session]),
    user_ids: users.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))),
    properties: shownProperties(
      Object.fromEntries(properties),
      all.some((record) => 'aliasedNames' in record && record.aliasedNames === true),
    ),
  };
}

/** The count of sessions with its totals. */
export function referenceTotals(sessions: readonly ReferenceSession[]): SessionTotals {
  const [units, count] = [costUnitsOf(sessions), BigInt(sessions.length)];
  return {
    count: sessions.length,
    total_cost: decimalOf(units, 10n ** 12n),
    avg_cost: decimalOf(units, count * 10n ** 12n),
    avg_latency: averageLatency(sessions),
    avg_requests: decimalOf(sum(sessions.map(({ kept }) => kept.length)), count),
  };
}

/** The names of sessions, the one used last first. */
export function referenceNames(sessions: readonly ReferenceSession[]): readonly SessionNameItem[] {
  const names = [...new Set(sessions.map(({ name }) => name))];
  return names
    .map((name) => ({ name, named: sessions.filter((session) => session.name === name) }))
    .toSorted(
      (left, right) =>
        Math.max(...right.named.map(endOf)) - Math.max(...left.named.map(endOf)) ||
        Buffer.compare(Buffer.from(left.name), Buffer.from(right.name)),
    )
    .slice(0, 50)
    .map(({ name, named }) => {
      const first = new Date(Math.min(...named.map(startOf))).toISOString();
      const last = new Date(Math.max(...named.map(endOf))).toISOString();
      return {
        name,
        created_at: first,
        first_used: first,
        last_used: last,
        session_count: named.length,
        avg_latency: averageLatency(named),
      };
    });
}

/** How sessions are spread. @param share the part of the smallest values that is shown, or undefined for those near the quartiles. */
export function referenceMetrics(sessions: readonly ReferenceSession[], share: number | undefined): SessionMetrics {
  const count = BigInt(sessions.length);
  const requests = sessions.map(({ kept }) => kept.length);
  const durations = sessions.map((session) => endOf(session) - startOf(session));
  const costs = sessions.map((session) => decimalOf(costUnitsOf([session]), 10n ** 12n));
  return {
    session_count: histogramOf(requests, share),
    session_duration: histogramOf(durations, share),
    session_cost: histogramOf(costs, share),
    average: {
      session_count: [{ average: decimalOf(sum(requests), count) }],
      session_duration: [{ average: decimalOf(sum(durations), count) }],
      session_cost: [{ average: decimalOf(costUnitsOf(sessions), count * 10n ** 12n) }],
    },
  };
}

function histogramOf(values: readonly number[], share: number | undefined): SessionMetrics['session_cost'] {
  const sorted = values.toSorted((left, right) => left - right);
  const quantile = (of: number): number => sorted[Math.max(1, Math.ceil(sorted.length * of)) - 1] ?? 0;
  const [low, high] = [quantile(0.25), quantile(0.75)];
  const reach = 1.5 * (high - low);
  const shown = sorted.filter((value) => (share === undefined ? value >= low - reach && value <= high + reach : value <= quantile(share)));
  const [least, greatest] = [shown[0], shown.at(-1)];
  if (least === undefined || greatest === undefined) return [];
  if (least === greatest) return [{ range_start: least, range_end: least, value: shown.length }];
  const width = (greatest - least) / 10;
  return Array.from({ length: 10 }, (_, place) => ({
    range_start: least + place * width,
    range_end: place === 9 ? greatest : least + (place + 1) * width,
    value: shown.filter((value) => Math.min(9, Math.floor((value - least) / width)) === place).length,
  }));
}

function averageLatency(sessions: readonly ReferenceSession[]): number {
  const latencies = sessions.flatMap(({ kept }) => kept.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [BigInt(latencyMs)])));
  return decimalOf(sum(latencies), BigInt(latencies.length));
}

/** A quotient as the nearest number, by long division into so many digits; 0 of nothing. */
function decimalOf(total: bigint, parts: bigint): number {
  if (parts === 0n) return 0;
  const magnitude = total < 0n ? -total : total;
  let [digits, rest] = [`${magnitude / parts}.`, magnitude % parts];
  for (let place = 0; place < 50; place += 1) {
    rest *= 10n;
    digits += String(rest / parts);
    rest %= parts;
  }
  return Number(`${total < 0n ? '-' : ''}${digits}`);
}
