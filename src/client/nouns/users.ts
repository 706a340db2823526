import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf, itemsByOffset } from '../connection/pages.ts';
import type {
  ErasureAnswer,
  UserItem,
  UserMetricsAnswer,
  UserMetricsItem,
  UserMetricsQuery,
  UserOverviewAnswer,
  UserOverviewQuery,
  UserQuery,
} from '../types/users.ts';

/** Users of a page, where a whole list is read. */
const pageLimit = 1000;

/** The users that requests name. */
export class Users {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** A page of users with their totals. */
  async query(query: UserMetricsQuery = {}, options: CallOptions = {}): Promise<Answer<UserMetricsAnswer>> {
    return answerOf(await this.connection.call('POST /v1/user/metrics/query', { body: query, ...options }));
  }

  /** All users with their totals, read a page at a time; `limit` is the size of a page. */
  each({ limit, offset, ...query }: UserMetricsQuery = {}, options: CallOptions = {}): AsyncGenerator<UserMetricsItem, void, undefined> {
    const ask = async (place: Pick<UserMetricsQuery, 'offset' | 'limit'>) => (await this.query({ ...query, ...place }, options)).data.users;
    return itemsByOffset(ask, { offset, limit: limit ?? pageLimit });
  }

  /** What users cost, the most expensive first; at most 10,000. */
  async costs(query: UserQuery = {}, options: CallOptions = {}): Promise<Answer<readonly UserItem[]>> {
    return answerOf(await this.connection.call('POST /v1/user/query', { body: query, ...options }));
  }

  /** How users are spread: requests and cost. */
  async overview(query: UserOverviewQuery = {}, options: CallOptions = {}): Promise<Answer<UserOverviewAnswer>> {
    return answerOf(await this.connection.call('POST /v1/user/metrics-overview/query', { body: query, ...options }));
  }

  /** Erases what came from a user; takes as long as it takes. */
  async erase(id: string, options: CallOptions = {}): Promise<Answer<ErasureAnswer>> {
    return answerOf(await this.connection.call('DELETE /v1/user/{id}', { path: { id }, ...options }));
  }
}
