import type { RequestItem, SessionItem, SessionNode } from '../../../src/client/client.ts';
import { formatCost, formatCount } from '../../lib/format.ts';
import { percent } from './trace/shares.ts';

/** A sentence about the cost of a session, and the request that it is about. */
export interface Finding {
  readonly text: string;
  readonly requestId?: string;
}

interface Loaded {
  readonly session: Pick<SessionItem, 'total_cost' | 'total_requests'>;
  readonly tree: readonly SessionNode[];
  /** Those that are loaded. */
  readonly requests: readonly RequestItem[];
}

const leastRequests = 3;
const mostOfCost = 0.5;
const muchOfCost = 0.25;
const grownBy = 2;

/** Where the cost of a session went, by what stands out; a session of few requests needs no words. */
export function findingsOf({ session, tree, requests }: Loaded): readonly Finding[] {
  const { total_cost: cost, total_requests: count } = session;
  if (cost <= 0 || count < leastRequests) return [];
  const place = placeFinding(tree, session);
  // What is said of single requests holds only of all of them.
  if (requests.length < count) return place;
  return [...place, ...modelFinding(requests, cost), ...growthFinding(requests), ...mostExpensiveFinding(requests, cost)];
}

/** The narrowest place of the tree with most of the cost. */
function placeFinding(tree: readonly SessionNode[], { total_cost: cost, total_requests: count }: Loaded['session']): readonly Finding[] {
  let found: SessionNode | undefined;
  for (let level = tree; ;) {
    const most = level.find(({ totals }) => totals.cost > mostOfCost * cost);
    if (most === undefined) break;
    found = most;
    level = most.children;
  }
  if (found === undefined) return [];
  const { path, totals } = found;
  // A place with every request is the session itself.
  if (totals.requests === count) return [];
  return [{ text: `${percent(totals.cost / cost)} of the cost is at ${path}, with ${requestsText(totals.requests)}.` }];
}

function modelFinding(requests: readonly RequestItem[], cost: number): readonly Finding[] {
  const names = [...new Set(requests.map(({ model }) => model))];
  for (const name of names.length < 2 ? [] : names) {
    const own = requests.filter(({ model }) => model === name);
    const share = sum(own.map(costOf)) / cost;
    if (share <= mostOfCost) continue;
    return [{ text: `${name} made ${percent(share)} of the cost with ${formatCount(own.length)} of ${requestsText(requests.length)}.` }];
  }
  return [];
}

/** From the first third of the requests to the last: an agent sends the whole conversation with each turn. */
function growthFinding(requests: readonly RequestItem[]): readonly Finding[] {
  const inputs = requests
    .toSorted((first, second) => Date.parse(first.request_created_at) - Date.parse(second.request_created_at))
    .flatMap(({ prompt_tokens: tokens }) => (tokens === null || tokens === 0 ? [] : [tokens]));
  const third = Math.floor(inputs.length / 3);
  if (third === 0) return [];
  const [first, last] = [mean(inputs.slice(0, third)), mean(inputs.slice(-third))];
  if (last < grownBy * first) return [];
  return [
    {
      text: `The input grew from about ${formatCount(Math.round(first))} to ${formatCount(Math.round(last))} tokens a request, as it does when each turn sends the whole conversation again.`,
    },
  ];
}

function mostExpensiveFinding(requests: readonly RequestItem[], cost: number): readonly Finding[] {
  const mostExpensive = requests.reduce((first, second) => (costOf(second) > costOf(first) ? second : first));
  if (costOf(mostExpensive) <= muchOfCost * cost) return [];
  const text = `One request cost ${formatCost(costOf(mostExpensive))}, ${percent(costOf(mostExpensive) / cost)} of the session.`;
  return [{ text, requestId: mostExpensive.request_id }];
}

const costOf = ({ cost }: RequestItem): number => cost ?? 0;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const requestsText = (count: number): string => `${formatCount(count)} ${count === 1 ? 'request' : 'requests'}`;
