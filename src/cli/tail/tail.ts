import type { ApiError, FollowedRequest, FollowOptions, FollowQuery, GatelogClient, RequestItem } from '../../client/client.ts';
import { serviceClient } from '../base/client.ts';
import { type CommandDependencies, ReaderLeft } from '../base/dependencies.ts';
import { type FilterOptions, filterOf } from '../filter/filter.ts';
import { jsonText } from '../base/json.ts';
import { painter } from '../base/paint.ts';
import { checkedZone } from '../base/time-window.ts';
import { requestLine, wallClock } from './request-line.ts';

export interface TailOptions extends FilterOptions {
  readonly last?: number;
  readonly max?: number;
  readonly includeBody?: true;
  readonly timezone?: string;
  readonly json?: true;
}

/** Earlier requests that come first, where people read. */
const standardLast = 10;

/**
 * `gatelog requests tail`: matching requests as soon as they are stored, each once, over lost connections and restarts of the service. It
 * ends when it is interrupted or its reader has left.
 */
export async function tailRequests(dependencies: CommandDependencies, options: TailOptions): Promise<void> {
  const query = { filter: filterOf(options), includeBodies: options.includeBody };
  const { last = options.json === true ? 0 : standardLast, max = Infinity } = options;
  const textOf = textsOf(dependencies, options);
  const client = serviceClient(dependencies);
  const stop = dependencies.untilInterrupted();
  let shown = 0;
  try {
    for await (const request of requestsOf({ client, query, last, stop }, dependencies.hint)) {
      await dependencies.write(Buffer.from(textOf(request)));
      shown += 1;
      if (shown >= max) return;
    }
  } catch (error) {
    if (stop.aborted || error instanceof ReaderLeft) return;
    throw error;
  }
}

interface Order {
  readonly client: GatelogClient;
  readonly query: FollowQuery;
  /** How many earlier ones come first. */
  readonly last: number;
  readonly stop: AbortSignal;
}

type Hint = CommandDependencies['hint'];

/** The last ones, then what is new. The stream is open before the last ones are read, so that none falls between them. */
async function* requestsOf({ client, query, last, stop }: Order, hint: Hint): AsyncGenerator<RequestItem, void, undefined> {
  const left = new AbortController();
  const signal = AbortSignal.any([stop, left.signal]);
  const {
    following,
    next: first,
    isOpen,
  } = opened(client, query, {
    signal,
    onConnection: connectionNews(hint),
    onUndecided: (id, message) => hint(`${id}: ${message}`),
  });
  try {
    let next = first;
    await Promise.race([isOpen, next]);
    const earlier = last === 0 ? [] : await lastRequests({ client, query, last, stop });
    yield* earlier;
    const shown = new Set(earlier.map((request) => request.request_id));
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      if (!shown.delete(value.request.request_id)) yield value.request;
      next = following.next();
    }
  } finally {
    left.abort();
    await following.return();
  }
}

/** A stream that is being opened. */
interface Opened {
  readonly following: AsyncGenerator<FollowedRequest, void, undefined>;
  /** The first request, whenever it comes. */
  readonly next: Promise<IteratorResult<FollowedRequest, void>>;
  readonly isOpen: Promise<unknown>;
}

function opened(
  client: GatelogClient,
  query: FollowQuery,
  { onConnection, ...options }: Required<Pick<FollowOptions, 'signal' | 'onConnection' | 'onUndecided'>>,
): Opened {
  const opening = new EventTarget();
  const isOpen = new Promise<unknown>((resolve) => opening.addEventListener('open', resolve));
  const following = client.requests.follow(query, {
    ...options,
    onConnection: (lost) => {
      opening.dispatchEvent(new Event('open'));
      onConnection?.(lost);
    },
  });
  return { following, next: following.next(), isOpen };
}

/** Oldest first. */
async function lastRequests({ client, query, last, stop }: Order): Promise<readonly RequestItem[]> {
  const { filter = 'all', includeBodies = false } = query;
  const { data } = await client.requests.query({ filter, includeBodies, limit: last, sort: { created_at: 'desc' } }, { signal: stop });
  return data.toReversed();
}

/** Says once that the connection is lost, and once that it is there again. */
function connectionNews(hint: Hint): (lost: ApiError | undefined) => void {
  let isLost = false;
  return (lost) => {
    if (lost === undefined && isLost) hint('Connected again; what was stored meanwhile follows.');
    if (lost !== undefined && !isLost) hint(`The connection is lost: ${lost.message} Trying again until it is back.`);
    isLost = lost !== undefined;
  };
}

/** The text of each request, with the line breaks. */
function textsOf({ columns, isColoured }: CommandDependencies, { json, timezone }: TailOptions): (request: RequestItem) => string {
  if (json === true) return (request) => `${jsonText(request)}\n`;
  const clock = wallClock(checkedZone(timezone ?? 'UTC'));
  const paint = painter(isColoured);
  let day = '';
  return (request) => {
    const before = day;
    day = clock.dayOf(request.request_created_at);
    const heading = day === before ? '' : `${paint('dim', day)}\n`;
    return `${heading}${requestLine(request, { columns, clock, paint })}\n`;
  };
}
