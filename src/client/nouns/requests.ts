import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf, countHeaders, itemsOf, type OffsetOptions, type Page, pageOf, type PageOptions, pagesOf } from '../connection/pages.ts';
import { followed, type FollowedRequest, type FollowOptions, type FollowQuery } from '../connection/following.ts';
import type { RequestItem } from '../types/request-item.ts';
import type {
  AssetAnswer,
  BulkPropertyDryRun,
  BulkPropertyUpdate,
  Change,
  Eval,
  Job,
  RequestBeginning,
  RequestBodies,
  RequestCost,
  RequestQuery,
} from '../types/requests.ts';

/** Requests of a page, where a whole list is read. */
const pageLimit = 100;

export interface BodyOptions extends CallOptions {
  readonly includeBody?: boolean | undefined;
}

/** Which requests get or lose which properties. */
export type PropertyChange = Omit<BulkPropertyUpdate, 'dryRun'>;

/** The parameters of a `signed_body_url`. */
export interface SignedBodies {
  readonly id: string;
  readonly organization: string;
  readonly expires: string;
  /** Who got the address; absent in one of an event. */
  readonly by?: string | undefined;
  readonly signature: string;
}

/** The recorded requests. */
export class Requests {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** One page of requests. */
  async query(query: RequestQuery, options: PageOptions = {}): Promise<Page<RequestItem>> {
    return pageOf(await this.connection.call('POST /v1/request/query-clickhouse', { body: query, ...countHeaders(options) }));
  }

  /** All pages, each asked for when it is wanted; a random order has one. */
  pages(query: RequestQuery, options: PageOptions = {}): AsyncGenerator<Page<RequestItem>, void, undefined> {
    return pagesOf((cursor) => this.query({ ...query, limit: query.limit ?? pageLimit, cursor }, options), query.cursor);
  }

  /** All requests, read a page at a time; `limit` is the size of a page. */
  each(query: RequestQuery, options: CallOptions = {}): AsyncGenerator<RequestItem, void, undefined> {
    return itemsOf(this.pages(query, options));
  }

  /**
   * Each matching request as soon as it is stored, over lost connections and restarts of the service, without gap or repetition; it ends
   * with the signal or when it is left. A condition on sessions is decided by what is stored of the session then.
   */
  follow(query: FollowQuery = {}, options: FollowOptions = {}): AsyncGenerator<FollowedRequest, void, undefined> {
    return followed(this.connection, query, options);
  }

  /** How many requests match. */
  async count(query: RequestQuery, options: CallOptions = {}): Promise<Answer<number>> {
    return answerOf(await this.connection.call('POST /v1/request/count/query', { body: query, ...options }));
  }

  /** One request; `includeBody: false` leaves its bodies out. */
  async get(id: string, { includeBody, ...options }: BodyOptions = {}): Promise<Answer<RequestItem>> {
    return answerOf(await this.connection.call('GET /v1/request/{id}', { path: { id }, query: { includeBody }, ...options }));
  }

  /** One request without its bodies, and how these begin. */
  async beginning(id: string, options: CallOptions = {}): Promise<Answer<RequestBeginning>> {
    return answerOf(await this.connection.call('GET /v1/request/{id}/beginning', { path: { id }, ...options }));
  }

  /** Requests by their identifiers, at most 1000. */
  async byIds(
    requestIds: readonly string[],
    { includeBodies, ...options }: CallOptions & { readonly includeBodies?: boolean } = {},
  ): Promise<Answer<readonly RequestItem[]>> {
    return answerOf(await this.connection.call('POST /v1/request/query-ids', { body: { requestIds, includeBodies }, ...options }));
  }

  /** Both bodies, by the path and the parameters of a `signed_body_url`: they stand for a key. */
  signedBodies({ id, ...query }: SignedBodies, options: CallOptions = {}): Promise<RequestBodies> {
    return this.connection.whole('GET /v1/request/{id}/body', { path: { id }, query, ...options });
  }

  /** Adds or replaces properties; the others stay. */
  async setProperties(id: string, properties: Readonly<Record<string, string>>, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('PUT /v1/request/{id}/property', { path: { id }, body: properties, ...options }));
  }

  /** Says what a change of all requests that match would do, and changes nothing. */
  async previewChange(change: PropertyChange, options: CallOptions = {}): Promise<Answer<BulkPropertyDryRun>> {
    return this.changeOrPreview<BulkPropertyDryRun>({ ...change, dryRun: true }, options);
  }

  /** Changes properties of all requests that match, by a job: `jobs.ended` waits for its end. */
  async change(change: PropertyChange, options: CallOptions = {}): Promise<Answer<Job>> {
    return this.changeOrPreview<Job>({ ...change, dryRun: false }, options);
  }

  /** Adds or replaces scores; true is 1, false is 0. */
  async setScores(id: string, scores: Readonly<Record<string, number | boolean>>, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('POST /v1/request/{id}/score', { path: { id }, body: { scores }, ...options }));
  }

  /** Rates the response: true is good. */
  async giveFeedback(id: string, rating: boolean, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('POST /v1/request/{id}/feedback', { path: { id }, body: { rating }, ...options }));
  }

  /** What was changed, newest first. */
  async changes(id: string, { limit, offset, ...options }: OffsetOptions = {}): Promise<Answer<readonly Change[]>> {
    return answerOf(await this.connection.call('GET /v1/request/{id}/changes', { path: { id }, query: { limit, offset }, ...options }));
  }

  /** What a request costs and why. */
  async cost(id: string, options: CallOptions = {}): Promise<Answer<RequestCost>> {
    return answerOf(await this.connection.call('GET /v1/request/{id}/cost', { path: { id }, ...options }));
  }

  /** The address of a picture of a request. */
  async asset(id: string, assetId: string, options: CallOptions = {}): Promise<Answer<AssetAnswer>> {
    return answerOf(await this.connection.call('POST /v1/request/{id}/assets/{assetId}', { path: { id, assetId }, ...options }));
  }

  /** Adds or replaces one score, as older clients do. */
  async addEval(id: string, score: Eval, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('POST /v1/evals/{id}', { path: { id }, body: score, ...options }));
  }

  /** As older clients query, deprecated: `isScored: false` keeps requests without a score. */
  async legacyQuery(query: RequestQuery, options: PageOptions = {}): Promise<Page<RequestItem>> {
    return pageOf(await this.connection.call('POST /v1/request/query', { body: query, ...countHeaders(options) }));
  }

  private async changeOrPreview<Data>(body: BulkPropertyUpdate, options: CallOptions): Promise<Answer<Data>> {
    return answerOf(await this.connection.call('POST /v1/request/property', { body, ...options })) as Answer<Data>;
  }
}
