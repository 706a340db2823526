import type { CallOptions, Connection } from './connection.ts';
import { ApiError } from './error.ts';
import { eventsOf, type ServerEvent } from './events.ts';
import type { Filter } from '../filters/filter.ts';
import { waited } from './send.ts';
import { linesOf, piecesOf } from './streamed.ts';
import type { RequestItem } from '../types/request-item.ts';

export interface FollowQuery {
  /** Absent: every request. */
  readonly filter?: Filter | undefined;
  /** Requests come with their bodies. */
  readonly includeBodies?: boolean | undefined;
  /** Goes on behind this position; absent: begins with what is stored from now on. */
  readonly after?: string | undefined;
}

export interface FollowOptions extends CallOptions {
  /** Called when the stream is there, and when it was lost and is sought again. @param lost why; undefined when it is there. */
  readonly onConnection?: ((lost: ApiError | undefined) => void) | undefined;
  /** Called for a request about which the filter could not decide; it is left out. @param message why, as a sentence. */
  readonly onUndecided?: ((requestId: string, message: string) => void) | undefined;
}

/** A request as soon as it is stored. */
export interface FollowedRequest {
  readonly request: RequestItem;
  /** Given as `after`, a later stream goes on behind it. */
  readonly position: string;
}

const endpoint = 'GET /v1/request/stream';
/** The service shows a sign of life every 15 s at least. */
const maxSilenceMs = 60_000;
const firstWaitMs = 500;
const maxWaitMs = 10_000;
/** Failures that no further attempt fixes. */
const isFinal = ({ status, code }: ApiError): boolean =>
  (status >= 400 && status < 500 && status !== 429) ||
  code === 'invalid_key' ||
  code === 'permission_denied' ||
  code === 'invalid_filter' ||
  code === 'not_gatelog';

/**
 * Follows requests over lost connections and restarts of the service, without gap or repetition. It ends with the signal. @throws ApiError
 * for what no further attempt fixes, and for a first connection that cannot be made.
 */
export async function* followed(
  connection: Connection,
  query: FollowQuery,
  { onConnection, onUndecided, ...options }: FollowOptions,
): AsyncGenerator<FollowedRequest, void, undefined> {
  const state: State = { position: query.after, failures: 0, hasConnected: false, onUndecided };
  const connected = (): void => {
    state.hasConnected = true;
    onConnection?.(undefined);
  };
  for (;;) {
    let lost = new ApiError('The service has ended the stream.', { endpoint, code: 'broken_off', status: 200 });
    try {
      for await (const { data, position } of requestsIn(
        streamed(connection, { ...query, after: state.position }, { ...options, connected }),
        state,
      )) {
        yield { request: connection.read(data, endpoint) as RequestItem, position };
      }
    } catch (error) {
      if (!(error instanceof ApiError) || !state.hasConnected || isFinal(error)) throw error;
      lost = error;
    }
    onConnection?.(lost);
    const backoffMs = Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(state.failures, 10));
    state.failures += 1;
    await waited(Math.max(1000 * (lost.retryAfterSeconds ?? 0), backoffMs), options.signal);
  }
}

interface State extends Pick<FollowOptions, 'onUndecided'> {
  position: string | undefined;
  /** In a row. */
  failures: number;
  hasConnected: boolean;
}

interface RequestText {
  readonly data: string;
  readonly position: string;
}

async function* requestsIn(events: AsyncIterable<ServerEvent>, state: State): AsyncGenerator<RequestText, void, undefined> {
  for await (const event of events) {
    state.failures = 0;
    if (event.type === 'end') throw errorIn(event);
    state.position = event.id ?? state.position;
    if (event.type === 'passed_by') tellUndecided(event, state);
    if (event.type !== 'request' || event.data === undefined) continue;
    yield { data: event.data, position: state.position ?? '' };
  }
}

function tellUndecided({ data = '{}' }: ServerEvent, { onUndecided }: State): void {
  const { request_id: id = '', error = '' } = JSON.parse(data) as { readonly request_id?: string; readonly error?: string };
  onUndecided?.(id, error);
}

/** One connection. */
async function* streamed(
  connection: Connection,
  { filter, includeBodies, after }: FollowQuery,
  { connected, ...options }: CallOptions & { readonly connected: () => void },
): AsyncGenerator<ServerEvent, void, undefined> {
  const silence = new AbortController();
  const signal = AbortSignal.any([silence.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const headers = { ...options.headers, ...(after === undefined ? {} : { 'last-event-id': after }) };
  const asked = { filter: filter === undefined ? undefined : JSON.stringify(filter), includeBodies };
  const response = await connection.open(endpoint, { ...options, query: asked, headers, signal });
  if (response.body === null || response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    throw new ApiError('What answers is no stream of events.', { endpoint, code: 'not_gatelog', status: response.status });
  }
  connected();
  try {
    yield* eventsOf(linesOf(watched(piecesOf(response.body, { endpoint, signal: options.signal }), silence)));
  } finally {
    silence.abort();
  }
}

/** Breaks a connection on which nothing comes, as after the sleep of a laptop. */
async function* watched(
  pieces: AsyncGenerator<Uint8Array, void, undefined>,
  silence: AbortController,
): AsyncGenerator<Uint8Array, void, undefined> {
  let timer = setTimeout(() => silence.abort(), maxSilenceMs);
  try {
    for await (const piece of pieces) {
      clearTimeout(timer);
      yield piece;
      timer = setTimeout(() => silence.abort(), maxSilenceMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

function errorIn({ data = '{}' }: ServerEvent): ApiError {
  const { error, code } = JSON.parse(data) as { readonly error?: string; readonly code?: string };
  return new ApiError(error ?? 'The service has ended the stream.', { endpoint, code: code ?? 'broken_off', status: 200 });
}
