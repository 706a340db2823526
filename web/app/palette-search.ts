import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { where } from '../../src/client/client.ts';
import { alertsQuery } from '../features/alerts/alerts-query.ts';
import { gatelog } from '../lib/client.ts';
import { formatAmount } from '../lib/format.ts';

/** How many of each kind are found. */
const limit = 5;
/** How far back prompts are looked for. */
const promptsMs = 30 * 86_400_000;
/** From this length on a text is looked for. */
const shortest = 2;

export type FoundKind = 'session' | 'user' | 'prompt' | 'request' | 'alert';

export interface Found {
  readonly kind: FoundKind;
  readonly id: string;
  readonly title: string;
  /** What tells it from others of its name. */
  readonly about: string;
}

/** Whether a text is looked for in the records. */
export function isSearched(text: string): boolean {
  return text.length >= shortest;
}

/** Sessions and alerts by their name, sessions, users, prompts and requests by their identifier. */
export function foundQuery(text: string) {
  return queryOptions({
    queryKey: ['palette', text],
    enabled: isSearched(text),
    placeholderData: keepPreviousData,
    queryFn: async ({ client, signal }): Promise<readonly Found[]> => {
      const alerts = client.query({ ...alertsQuery, staleTime: 15_000 });
      const records = [requestsOf, sessionsOf, usersOf, promptsOf].map((find) => find(text, signal));
      const [rules, ...found] = await Promise.all([alerts, ...records]);
      return [...found.flat(), ...alertsNamed(text, rules)];
    },
  });
}

async function sessionsOf(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const { data } = await gatelog.sessions.query({ search: text, sort: { latest_request_created_at: 'desc' }, limit }, { signal });
  return data.map(({ session_id: id, session_name: name }) => ({
    kind: 'session',
    id,
    title: name === '' ? id : name,
    about: name === '' ? '' : id,
  }));
}

async function usersOf(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const { data } = await gatelog.users.query({ filter: where('user_id', 'contains', text), sort: { cost: 'desc' }, limit }, { signal });
  return data.users.map(({ user_id: id }) => ({ kind: 'user', id, title: id, about: '' }));
}

/** Of the last month: no index has the parts of an identifier. */
async function promptsOf(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const query = { metrics: ['count'], groupBy: ['prompt'], sort: { count: 'desc' }, limit } as const;
  const timeFilter = { startTimeUnixMs: Date.now() - promptsMs };
  const { data } = await gatelog.metrics.query({ ...query, filter: where('prompt_id', 'contains', text), timeFilter }, { signal });
  return data.flatMap(({ prompt: id, count }) =>
    typeof id === 'string' ? [{ kind: 'prompt', id, title: id, about: formatAmount(Number(count), 'request') } as const] : [],
  );
}

/** By the whole identifier: a part of one is in no index. */
async function requestsOf(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  if (!/^[\w.:-]{8,128}$/.test(text)) return [];
  const { data } = await gatelog.requests.query({ filter: where('request_id', 'equals', text), limit: 1 }, { signal });
  return data.map(({ request_id: id, model }) => ({ kind: 'request', id, title: id, about: model ?? '' }));
}

function alertsNamed(text: string, alerts: readonly { readonly id: string; readonly name: string }[]): readonly Found[] {
  const wanted = text.toLowerCase();
  return alerts
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .slice(0, limit)
    .map(({ id, name }) => ({ kind: 'alert', id, title: name, about: '' }));
}
