import { queryOptions } from '@tanstack/react-query';
import type { Filter, SessionItem } from '../../../../src/client/client.ts';
import { allOf, anyOf } from '../../../../src/query/filter/ast.ts';
import { filterJson } from '../../../../src/query/language/json.ts';
import { gatelog } from '../../../lib/client.ts';
import { conditionOf } from '../../../lib/metrics/dimensions.ts';
import { arrivedIn } from '../../../lib/time-range.ts';
import { cachedShare } from './figures.ts';
import { type SessionFigures, type Usual, usualOf } from './usual.ts';

const spanMs = 30 * 24 * 3_600_000;
/** Rows of one answer: of more sessions nothing is said. */
const maxRows = 10_000;

export interface Compared {
  readonly own: SessionFigures;
  readonly usual: Usual | undefined;
}

/** A session beside those of its name, and those with all its properties, of 30 days up to it or to now. */
export function usualQuery(session: SessionItem) {
  return queryOptions({
    queryKey: ['usual session', session.session_id, session.total_requests],
    queryFn: async ({ signal }): Promise<Compared | null> => {
      const now = Date.now();
      const to = now - Date.parse(session.created_at) < spanMs ? now : Date.parse(session.latest_request_created_at) + 1;
      const filter = filterJson(allOf([arrivedIn({ from: to - spanMs, to }), alike(session)])) as Filter;
      const metrics = ['cost', 'count', 'prompt_tokens', 'prompt_cache_read_tokens'] as const;
      const { data } = await gatelog.call('POST /v1/metrics/query', {
        body: { metrics, groupBy: ['session', 'session_name'], filter, limit: maxRows },
        signal,
      });
      const all = sessionsOf(data);
      const own = all.find(({ id }) => id === session.session_id);
      if (own === undefined || data.length >= maxRows) return null;
      return {
        own,
        usual: usualOf(
          own,
          all.filter((one) => one !== own),
        ),
      };
    },
  });
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

function alike({ session_id: id, session_name: name, properties }: SessionItem) {
  const own = Object.entries(properties).filter(([key]) => !/^(?:svc|helicone)-/i.test(key));
  const same = own.flatMap(([key, value]) => conditionOf(`properties.${key}`, value) ?? []);
  const itself = conditionOf('session', id);
  const named = name === '' ? undefined : conditionOf('session_name', name);
  const [first, ...others] = [itself, named, same.length === 0 ? undefined : allOf(same)].filter((node) => node !== undefined);
  if (first === undefined) throw new TypeError('A session has an identifier.');
  return anyOf([first, ...others]);
}
