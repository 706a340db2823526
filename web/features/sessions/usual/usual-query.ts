import { queryOptions } from '@tanstack/react-query';
import type { Filter, SessionItem } from '../../../../src/client/client.ts';
import { allOf, anyOf, type FilterNode } from '../../../../src/query/filter/ast.ts';
import { filterJson } from '../../../../src/query/language/json.ts';
import { askMetrics } from '../../../lib/metrics/ask.ts';
import { conditionOf, searchWith } from '../../../lib/metrics/dimensions.ts';
import { arrivedIn, type RangeSearch } from '../../../lib/time-range.ts';
import type { SessionsSearch } from '../search.ts';
import { cachedShare } from './figures.ts';
import { type OwnModel, ownModelOf, type SessionFigures, type Usual, usualOf } from './usual.ts';

const dayMs = 24 * 3_600_000;
/** Rows of one answer. */
const maxRows = 10_000;
/**
 * Of a busy name fewer days are looked at: an answer that does not hold all sessions holds the most expensive ones, of which no median says
 * what is usual.
 */
const spans = [
  { days: 30, range: '30d' },
  { days: 7, range: '7d' },
  { days: 1, range: '24h' },
] as const;

type Span = (typeof spans)[number];
const [longest, ...shorter] = spans;

export interface Beside {
  readonly own: SessionFigures;
  readonly usual: Usual | undefined;
  readonly model: OwnModel | undefined;
  /** The list of the sessions that it is compared with; undefined where no search says them. */
  readonly list: (SessionsSearch & RangeSearch) | undefined;
  /** Even a day has more sessions of its name or its properties than one answer. */
  readonly isTooMany: boolean;
}

/** A session beside those of its name, and those with all its properties, of 30 days up to it or to now; of fewer where they are too many. */
export function usualQuery(session: SessionItem) {
  return queryOptions({
    queryKey: ['usual session', session.session_id, session.total_requests],
    queryFn: async (): Promise<Beside | null> => {
      const now = Date.now();
      const isRecent = now - Date.parse(session.created_at) < longest.days * dayMs;
      const to = isRecent ? now : Date.parse(session.latest_request_created_at) + 1;
      let read = await readAlike(session, to, longest);
      for (const span of shorter) {
        if (read.others === undefined) read = await readAlike(session, to, span);
      }
      const { own, others, costs, span } = read;
      if (own === undefined) return null;
      const usual = others === undefined ? undefined : usualOf(own, others, span.days);
      const by = others === undefined ? 'either' : usual?.by;
      const range = isRecent ? { range: span.range } : { from: startOf(span, to), to };
      return {
        own,
        usual,
        model: ownModelOf(costs.own, costs.all),
        list: by === undefined ? undefined : listOf(session, by, range),
        isTooMany: others === undefined,
      };
    },
  });
}

interface Alike {
  readonly span: Span;
  readonly own: SessionFigures | undefined;
  /** Undefined: there are more than one answer holds. */
  readonly others: readonly SessionFigures[] | undefined;
  /** By model; all with the session itself. */
  readonly costs: { readonly own: ReadonlyMap<string, number>; readonly all: ReadonlyMap<string, number> };
}

/** The session itself with all that the longest span has of it, and those like it in a span. */
async function readAlike(session: SessionItem, to: number, span: Span): Promise<Alike> {
  const filterOf = (node: FilterNode) => filterJson(allOf([arrivedIn({ from: startOf(longest, to), to }), node])) as Filter;
  const itself = ofItself(session);
  const inSpan = arrivedIn({ from: startOf(span, to), to });
  const alike = filterOf(anyOf([itself, ...sharedBy(session, 'either').map((node) => allOf([inSpan, node]))]));
  const metrics = ['cost', 'count', 'prompt_tokens', 'prompt_cache_read_tokens'] as const;
  const [ofOwn, ofAlike, ofModels] = await Promise.all([
    askMetrics({ metrics, groupBy: ['session', 'session_name', 'model'], filter: filterOf(itself) }),
    askMetrics({ metrics, groupBy: ['session', 'session_name'], filter: alike, limit: maxRows }),
    askMetrics({ metrics: ['cost'], groupBy: ['model'], filter: alike, sort: { cost: 'desc' }, limit: 100 }),
  ]);
  const others = sessionsOf(ofAlike.rows).filter(({ id }) => id !== session.session_id);
  return {
    span,
    own: sessionsOf(ofOwn.rows)[0],
    others: ofAlike.rows.length >= maxRows ? undefined : others,
    costs: { own: costsOf(ofOwn.rows), all: costsOf(ofModels.rows) },
  };
}

function startOf({ days }: Span, to: number): number {
  return to - days * dayMs;
}

function costsOf(rows: readonly Row[]): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  for (const { model, cost } of rows) {
    if (typeof model === 'string') costs.set(model, (costs.get(model) ?? 0) + Number(cost ?? 0));
  }
  return costs;
}

type Row = Readonly<Record<string, unknown>>;

/** A session whose requests have several names has several rows. */
function sessionsOf(rows: readonly Row[]): readonly SessionFigures[] {
  const bySession = new Map<string, Row[]>();
  for (const row of rows) {
    const id = row['session'];
    if (typeof id === 'string' && id !== '') bySession.set(id, [...(bySession.get(id) ?? []), row]);
  }
  return [...bySession].map(([id, own]) => {
    const sum = (name: string): number => own.reduce((total, row) => total + Number(row[name] ?? 0), 0);
    const name = own.map((row) => row['session_name']).find((one) => typeof one === 'string' && one !== '');
    const tokens = { prompt_tokens: sum('prompt_tokens'), prompt_cache_read_tokens: sum('prompt_cache_read_tokens') };
    return { id, name: typeof name === 'string' ? name : null, cost: sum('cost'), steps: sum('count'), cached: cachedShare(tokens) };
  });
}

function namedAs({ session_name: name }: SessionItem): FilterNode | undefined {
  return name === '' ? undefined : conditionOf('session_name', name);
}

function withItsProperties({ properties }: SessionItem): FilterNode | undefined {
  const own = Object.entries(properties).filter(([key]) => !/^(?:svc|helicone)-/i.test(key));
  const same = own.flatMap(([key, value]) => conditionOf(`properties.${key}`, value) ?? []);
  return same.length === 0 ? undefined : allOf(same);
}

/** What the sessions with which it is compared share with it. */
function sharedBy(session: SessionItem, by: Usual['by']): readonly FilterNode[] {
  const nodes = [by === 'properties' ? undefined : namedAs(session), by === 'name' ? undefined : withItsProperties(session)];
  return nodes.filter((node) => node !== undefined);
}

function listOf(session: SessionItem, by: Usual['by'], range: RangeSearch): Beside['list'] {
  const [first, ...others] = sharedBy(session, by);
  const q = first === undefined ? undefined : searchWith('', anyOf([first, ...others]));
  return q === undefined ? undefined : { q, ...range };
}

function ofItself({ session_id: id }: SessionItem): FilterNode {
  const itself = conditionOf('session', id);
  if (itself === undefined) throw new TypeError('A session has an identifier.');
  return itself;
}
