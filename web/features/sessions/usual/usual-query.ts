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

const spanMs = 30 * 24 * 3_600_000;
/** Rows of one answer: of more sessions nothing is said. */
const maxRows = 10_000;

export interface Beside {
  readonly own: SessionFigures;
  readonly usual: Usual | undefined;
  readonly model: OwnModel | undefined;
  /** The list of the sessions that it is compared with; undefined where no search says them. */
  readonly list: (SessionsSearch & RangeSearch) | undefined;
}

/** A session beside those of its name, and those with all its properties, of 30 days up to it or to now. */
export function usualQuery(session: SessionItem) {
  return queryOptions({
    queryKey: ['usual session', session.session_id, session.total_requests],
    queryFn: async (): Promise<Beside | null> => {
      const now = Date.now();
      const to = now - Date.parse(session.created_at) < spanMs ? now : Date.parse(session.latest_request_created_at) + 1;
      const filter = filterJson(allOf([arrivedIn({ from: to - spanMs, to }), alike(session)])) as Filter;
      const metrics = ['cost', 'count', 'prompt_tokens', 'prompt_cache_read_tokens'] as const;
      const [{ rows }, ofAll, ofOwn] = await Promise.all([
        askMetrics({ metrics, groupBy: ['session', 'session_name'], filter, limit: maxRows }),
        costsByModel(filter),
        costsByModel(filterJson(allOf([arrivedIn({ from: to - spanMs, to }), ofItself(session)])) as Filter),
      ]);
      const all = sessionsOf(rows);
      const own = all.find(({ id }) => id === session.session_id);
      if (own === undefined || rows.length >= maxRows) return null;
      const others = all.filter((one) => one !== own);
      const usual = usualOf(own, others);
      const range = to === now ? { range: '30d' as const } : { from: to - spanMs, to };
      return { own, usual, model: ownModelOf(ofOwn, ofAll), list: usual === undefined ? undefined : listOf(session, usual, range) };
    },
  });
}

async function costsByModel(filter: Filter): Promise<ReadonlyMap<string, number>> {
  const { rows } = await askMetrics({ metrics: ['cost'], groupBy: ['model'], filter, sort: { cost: 'desc' }, limit: 100 });
  return new Map(rows.flatMap(({ model, cost }) => (typeof model === 'string' ? [[model, Number(cost ?? 0)] as const] : [])));
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

function listOf(session: SessionItem, { by }: Usual, range: RangeSearch): Beside['list'] {
  const q = searchWith('', by === 'name' ? namedAs(session) : (withItsProperties(session) ?? namedAs(session)));
  return q === undefined ? undefined : { q, ...range };
}

function ofItself({ session_id: id }: SessionItem): FilterNode {
  const itself = conditionOf('session', id);
  if (itself === undefined) throw new TypeError('A session has an identifier.');
  return itself;
}

function alike(session: SessionItem): FilterNode {
  const others = [namedAs(session), withItsProperties(session)].filter((node) => node !== undefined);
  return anyOf([ofItself(session), ...others]);
}
