import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf } from '../connection/pages.ts';
import type {
  ChangedVisibility,
  DeclaredPropertyAnswer,
  PropertyListQuery,
  PropertyNamesAnswer,
  PropertyOverTimeAnswer,
  PropertyOverTimeQuery,
  PropertyVisibility,
  TopCostsAnswer,
  TopRequestsAnswer,
  TopValuesQuery,
} from '../types/properties.ts';

/** Names of properties, and their values. */
export class Properties {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** The names, apart from hidden ones; with a term those that contain it, in any case. */
  async list({ searchTerm, ...options }: CallOptions & PropertyListQuery = {}): Promise<Answer<PropertyNamesAnswer>> {
    return answerOf(await this.connection.call('POST /v1/property/query', { body: { searchTerm }, ...options }));
  }

  /** The hidden names. */
  async listHidden(options: CallOptions = {}): Promise<Answer<PropertyNamesAnswer>> {
    return answerOf(await this.connection.call('POST /v1/property/hidden/query', { body: {}, ...options }));
  }

  /** Values that contain a text, in any case; at most 25. */
  async search(name: string, searchTerm: string, options: CallOptions = {}): Promise<Answer<readonly string[]>> {
    return answerOf(await this.connection.call('POST /v1/property/{name}/search', { path: { name }, body: { searchTerm }, ...options }));
  }

  /** The ten most expensive values, and `Other`. */
  async topCosts(name: string, query: TopValuesQuery = {}, options: CallOptions = {}): Promise<Answer<TopCostsAnswer>> {
    return answerOf(await this.connection.call('POST /v1/property/{name}/top-costs/query', { path: { name }, body: query, ...options }));
  }

  /** The ten most frequent values, and `Other`. */
  async topRequests(name: string, query: TopValuesQuery = {}, options: CallOptions = {}): Promise<Answer<TopRequestsAnswer>> {
    return answerOf(await this.connection.call('POST /v1/property/{name}/top-requests/query', { path: { name }, body: query, ...options }));
  }

  /** Cost and requests of each value over time. */
  async overTime(query: PropertyOverTimeQuery, options: CallOptions = {}): Promise<Answer<PropertyOverTimeAnswer>> {
    return answerOf(await this.connection.call('POST /v1/property/properties/over-time', { body: query, ...options }));
  }

  /** Declares the spelling of a name; or with `hidden` leaves it out of lists, or shows it again. */
  async declare(name: string, visibility: PropertyVisibility = {}, options: CallOptions = {}): Promise<Answer<DeclaredPropertyAnswer>> {
    return answerOf(await this.connection.call('PUT /v1/property/{name}', { path: { name }, body: visibility, ...options }));
  }

  /** Leaves a name out of lists. */
  async hide(name: string, options: CallOptions = {}): Promise<Answer<ChangedVisibility>> {
    return answerOf(await this.connection.call('POST /v1/property/hide', { body: { key: name }, ...options }));
  }

  /** Shows a hidden name again. */
  async restore(name: string, options: CallOptions = {}): Promise<Answer<ChangedVisibility>> {
    return answerOf(await this.connection.call('POST /v1/property/restore', { body: { key: name }, ...options }));
  }
}
