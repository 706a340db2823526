import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf, countHeaders, itemsOf, type Page, pageOf, type PageOptions, pagesOf, placeOf } from '../connection/pages.ts';
import type { RequestItem } from '../types/request-item.ts';
import type {
  SessionAnswer,
  SessionCount,
  SessionItem,
  SessionMetrics,
  SessionName,
  SessionNameQuery,
  SessionQuery,
} from '../types/sessions.ts';

/** Sessions of a page, where a whole list is read. */
const pageLimit = 100;

export interface SessionOptions extends CallOptions {
  /** Requests of the answer, 1 to 1000. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** True adds both bodies of each request. */
  readonly includeBody?: boolean | undefined;
}

/** A session with its tree, and a part of its requests. */
export interface SessionPart extends Answer<SessionAnswer> {
  /** There are more requests: given as `cursor`, the next answer goes on behind these. */
  readonly nextCursor: string | undefined;
}

/** The sessions: requests that belong together. */
export class Sessions {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** One page of sessions. */
  async query(query: SessionQuery = {}, options: PageOptions = {}): Promise<Page<SessionItem>> {
    return pageOf(await this.connection.call('POST /v1/session/query', { body: query, ...countHeaders(options) }));
  }

  /** All pages, each asked for when it is wanted. */
  pages(query: SessionQuery = {}, options: PageOptions = {}): AsyncGenerator<Page<SessionItem>, void, undefined> {
    return pagesOf((cursor) => this.query({ ...query, limit: query.limit ?? pageLimit, cursor }, options), query.cursor);
  }

  /** All sessions, read a page at a time; `limit` is the size of a page. */
  each(query: SessionQuery = {}, options: CallOptions = {}): AsyncGenerator<SessionItem, void, undefined> {
    return itemsOf(this.pages(query, options));
  }

  /** How many sessions match, with their totals. */
  async count(query: SessionQuery = {}, options: CallOptions = {}): Promise<Answer<SessionCount>> {
    return answerOf(await this.connection.call('POST /v1/session/count', { body: query, ...options }));
  }

  /** One session with its tree and its first requests, 1000 unless `limit` says less. */
  async get(id: string, { limit, cursor, includeBody, ...options }: SessionOptions = {}): Promise<SessionPart> {
    const query = { limit, cursor, includeBody };
    const reply = await this.connection.call('GET /v1/session/{id}', { path: { id }, query, ...options });
    return { ...answerOf(reply), nextCursor: placeOf(reply.headers).nextCursor };
  }

  /** The session in parts, each with the next requests. */
  parts(id: string, options: SessionOptions = {}): AsyncGenerator<SessionPart, void, undefined> {
    return pagesOf((cursor) => this.get(id, { ...options, cursor }), options.cursor);
  }

  /** All requests of a session, the oldest first. */
  async *requests(id: string, options: SessionOptions = {}): AsyncGenerator<RequestItem, void, undefined> {
    for await (const { data } of this.parts(id, options)) yield* data.requests;
  }

  /** Names of sessions, the one used last first. */
  async names(query: SessionNameQuery = {}, options: CallOptions = {}): Promise<Answer<readonly SessionName[]>> {
    return answerOf(await this.connection.call('POST /v1/session/name/query', { body: query, ...options }));
  }

  /** How sessions are spread: requests, duration, cost. */
  async metrics(query: SessionNameQuery = {}, options: CallOptions = {}): Promise<Answer<SessionMetrics>> {
    return answerOf(await this.connection.call('POST /v1/session/metrics/query', { body: query, ...options }));
  }

  /** Null without a tag. */
  async tag(id: string, options: CallOptions = {}): Promise<Answer<string | null>> {
    return answerOf(await this.connection.call('GET /v1/session/{id}/tag', { path: { id }, ...options }));
  }

  /** Null takes the tag away. */
  async setTag(id: string, tag: string | null, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('POST /v1/session/{id}/tag', { path: { id }, body: { tag }, ...options }));
  }

  /** Rates the session: true is good. */
  async giveFeedback(id: string, rating: boolean, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('POST /v1/session/{id}/feedback', { path: { id }, body: { rating }, ...options }));
  }

  /** Adds or replaces properties of every request of the session. */
  async setProperties(id: string, properties: Readonly<Record<string, string>>, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('PUT /v1/session/{id}/property', { path: { id }, body: properties, ...options }));
  }
}
