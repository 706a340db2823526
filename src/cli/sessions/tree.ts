import type { RequestItem, SessionNode } from '../../client/client.ts';
import { costText, notPriced, requestCostText } from '../terminal/texts.ts';

/** A line of a session's tree: a place, or a request at one. */
export interface TreeRow {
  /** The lines that lead to it. */
  readonly lead: string;
  readonly name: string;
  readonly isRequest: boolean;
  /** Of a place with everything below it. */
  readonly requests: number | null;
  readonly cost: string;
  readonly durationMs: number | null;
  /** When it began. */
  readonly at: string;
  /** The statuses of its own requests, those that failed of everything below. */
  readonly status: string;
  readonly isFailed: boolean;
  readonly models: readonly string[];
}

export interface TreeOptions {
  readonly requests: ReadonlyMap<string, RequestItem>;
  /** Each request below its place. */
  readonly showsRequests: boolean;
}

/** The rows of a tree from its root down, in the order of time. */
export function treeRows(roots: readonly SessionNode[], options: TreeOptions): readonly TreeRow[] {
  return roots.flatMap((root) => [placeRow(root, '', options), ...below(root, '', options)]);
}

function below(node: SessionNode, lead: string, options: TreeOptions): readonly TreeRow[] {
  const own = options.showsRequests ? requestsAt(node, options) : [];
  const count = own.length + node.children.length;
  const leads = (index: number): readonly [string, string] =>
    index === count - 1 ? [`${lead}└─ `, `${lead}   `] : [`${lead}├─ `, `${lead}│  `];
  return [
    ...own.map((item, index) => requestRow(item, leads(index)[0])),
    ...node.children.flatMap((child, index) => {
      const [to, beyond] = leads(own.length + index);
      return [placeRow(child, to, options), ...below(child, beyond, options)];
    }),
  ];
}

function requestsAt({ request_ids: ids }: SessionNode, { requests }: TreeOptions): readonly RequestItem[] {
  return ids.map((id) => requests.get(id)).filter((item) => item !== undefined);
}

function allBelow(node: SessionNode, options: TreeOptions): readonly RequestItem[] {
  return [...requestsAt(node, options), ...node.children.flatMap((child) => allBelow(child, options))];
}

function placeRow(node: SessionNode, lead: string, options: TreeOptions): TreeRow {
  const own = requestsAt(node, options);
  const all = allBelow(node, options);
  const failed = all.filter(hasFailed).length;
  return {
    lead,
    name: node.name,
    isRequest: false,
    requests: node.totals.requests,
    cost: sumText(node.totals.cost, all),
    durationMs: node.totals.duration,
    at: node.totals.created_at,
    status: failed === 0 ? 'ok' : `${failed} failed`,
    isFailed: failed > 0,
    models: [...new Set(own.map(({ model }) => model))],
  };
}

function requestRow(item: RequestItem, lead: string): TreeRow {
  return {
    lead,
    name: item.request_id,
    isRequest: true,
    requests: null,
    cost: requestCostText(item),
    durationMs: item.latency,
    at: item.request_created_at,
    status: String(item.response_status),
    isFailed: hasFailed(item),
    models: [item.model],
  };
}

/** What requests cost together; those without a price add nothing, and alone are no $0. */
export function sumText(usd: number, requests: readonly RequestItem[]): string {
  return usd === 0 && requests.some((request) => requestCostText(request) === notPriced) ? notPriced : costText(usd);
}

function hasFailed({ failure }: RequestItem): boolean {
  return failure !== null;
}
