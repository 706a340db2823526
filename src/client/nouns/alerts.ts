import { changeSetting } from '../connection/changing.ts';
import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf, type OffsetOptions } from '../connection/pages.ts';
import type {
  Alert,
  AlertDelivery,
  AlertGroupState,
  AlertHistoryRow,
  AlertIncident,
  AlertIncidentOfRule,
  AlertPreviewAnswer,
  AlertPreviewQuery,
  NewAlert,
  RuleSet,
  RuleSetAnswer,
} from '../types/alerts.ts';

/** Rules that alert, with their states and incidents. */
export class Alerts {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Newest first. */
  async list({ limit, offset, ...options }: OffsetOptions = {}): Promise<Answer<readonly Alert[]>> {
    return answerOf(await this.connection.call('GET /v1/alerts', { query: { limit, offset }, ...options }));
  }

  async get(id: string, options: CallOptions = {}): Promise<Answer<Alert>> {
    return answerOf(await this.connection.call('GET /v1/alerts/{id}', { path: { id }, ...options }));
  }

  async add(alert: NewAlert, options: CallOptions = {}): Promise<Answer<Alert>> {
    return answerOf(await this.connection.call('POST /v1/alerts', { body: alert, ...options }));
  }

  /** The whole rule: what is left out is no longer set. */
  async replace(id: string, alert: NewAlert, options: CallOptions = {}): Promise<Answer<Alert>> {
    return answerOf(await this.connection.call('PUT /v1/alerts/{id}', { path: { id }, body: alert, ...options }));
  }

  /** Changes the rule as it is by now, and again where somebody else changes it meanwhile. A channel with its `id` stays as it is. */
  async change(id: string, change: (present: Alert) => NewAlert, options: CallOptions = {}): Promise<Answer<Alert>> {
    const { connection } = this;
    const path = { id };
    return changeSetting(
      {
        read: () => connection.call('GET /v1/alerts/{id}', { path, ...options }),
        write: (body, version) =>
          connection.call('PUT /v1/alerts/{id}', { path, body, ...options, headers: { ...options.headers, ...version } }),
      },
      change,
    );
  }

  /** Its incidents and its history go with it. */
  async delete(id: string, options: CallOptions = {}): Promise<Answer<null>> {
    return answerOf(await this.connection.call('DELETE /v1/alerts/{id}', { path: { id }, ...options }));
  }

  /** The most severe first. */
  async states(id: string, { limit, offset, ...options }: OffsetOptions = {}): Promise<Answer<readonly AlertGroupState[]>> {
    return answerOf(await this.connection.call('GET /v1/alerts/{id}/states', { path: { id }, query: { limit, offset }, ...options }));
  }

  /** Newest first. */
  async incidents(id: string, { limit, offset, ...options }: OffsetOptions = {}): Promise<Answer<readonly AlertIncident[]>> {
    return answerOf(await this.connection.call('GET /v1/alerts/{id}/incidents', { path: { id }, query: { limit, offset }, ...options }));
  }

  /** Of every rule, newest first. */
  async allIncidents({ limit, offset, ...options }: OffsetOptions = {}): Promise<Answer<readonly AlertIncidentOfRule[]>> {
    return answerOf(await this.connection.call('GET /v1/incidents', { query: { limit, offset }, ...options }));
  }

  /** Newest first. */
  async history(id: string, { limit, offset, ...options }: OffsetOptions = {}): Promise<Answer<readonly AlertHistoryRow[]>> {
    return answerOf(await this.connection.call('GET /v1/alerts/{id}/history', { path: { id }, query: { limit, offset }, ...options }));
  }

  /** Messages to its channels, newest first. */
  async deliveries(id: string, { limit, offset, ...options }: OffsetOptions = {}): Promise<Answer<readonly AlertDelivery[]>> {
    return answerOf(await this.connection.call('GET /v1/alerts/{id}/deliveries', { path: { id }, query: { limit, offset }, ...options }));
  }

  /** What a rule would have done with stored requests. */
  async preview(query: AlertPreviewQuery, options: CallOptions = {}): Promise<Answer<AlertPreviewAnswer>> {
    return answerOf(await this.connection.call('POST /v1/alerts/preview', { body: query, ...options }));
  }

  /** Makes webhooks and rules what a set says, found by their names; the same set again changes nothing. */
  async apply(set: RuleSet, options: CallOptions = {}): Promise<Answer<RuleSetAnswer>> {
    return answerOf(await this.connection.call('POST /v1/rules/apply', { body: set, ...options }));
  }

  /** Sends a test message to the channels of a rule; says how many there are. */
  async test(id: string, options: CallOptions = {}): Promise<Answer<{ readonly channels: number }>> {
    return answerOf(await this.connection.call('POST /v1/alerts/{id}/test', { path: { id }, ...options }));
  }
}
