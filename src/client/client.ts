import { connect, type Connection } from './connection/connection.ts';
import { Alerts } from './nouns/alerts.ts';
import { Boards, ServiceState, Views } from './nouns/dashboard.ts';
import { Exports } from './nouns/exports.ts';
import { Imports } from './nouns/imports.ts';
import { Jobs } from './nouns/jobs.ts';
import { BrowserSession, Keys, ProviderKeys } from './nouns/keys.ts';
import { Metrics } from './nouns/metrics.ts';
import { AuditLog, Invitations, People, SignIn } from './nouns/people.ts';
import { Prices } from './nouns/prices.ts';
import { Properties } from './nouns/properties.ts';
import { Requests } from './nouns/requests.ts';
import { Monitoring } from './nouns/monitoring.ts';
import { Sessions } from './nouns/sessions.ts';
import { Limits, Redaction, Retention } from './nouns/settings.ts';
import { Simulations } from './nouns/simulations.ts';
import { Users } from './nouns/users.ts';
import { Webhooks } from './nouns/webhooks.ts';
import { type ClientOptions, settingsOf } from './connection/options.ts';

/** Everything that a running service answers, by what it is about. */
export interface GatelogClient {
  readonly requests: Requests;
  readonly sessions: Sessions;
  readonly users: Users;
  readonly metrics: Metrics;
  readonly properties: Properties;
  readonly exports: Exports;
  readonly imports: Imports;
  readonly jobs: Jobs;
  readonly prices: Prices;
  readonly simulations: Simulations;
  readonly keys: Keys;
  readonly providerKeys: ProviderKeys;
  readonly limits: Limits;
  readonly redaction: Redaction;
  readonly retention: Retention;
  readonly webhooks: Webhooks;
  readonly alerts: Alerts;
  readonly views: Views;
  readonly boards: Boards;
  readonly health: ServiceState;
  readonly monitoring: Monitoring;
  readonly browserSession: BrowserSession;
  readonly signIn: SignIn;
  readonly people: People;
  readonly invitations: Invitations;
  readonly audit: AuditLog;
  /** Calls any endpoint by its method and path, such as `'GET /v1/jobs/{id}'`, with what it takes. */
  readonly call: Connection['call'];
}

/**
 * A client of one service. It sends nothing yet. @throws TypeError for an option that cannot be used.
 *
 * ```ts
 * const gatelog = createClient({ apiUrl: 'https://gatelog.example.com', apiKey: key });
 * for await (const request of gatelog.requests.each({ filter: where('cost', 'gt', 0.5) })) console.log(request.model, request.cost);
 * ```
 */
export function createClient(options: ClientOptions = {}): GatelogClient {
  const connection = connect(settingsOf(options));
  return {
    requests: new Requests(connection),
    sessions: new Sessions(connection),
    users: new Users(connection),
    metrics: new Metrics(connection),
    properties: new Properties(connection),
    exports: new Exports(connection),
    imports: new Imports(connection),
    jobs: new Jobs(connection),
    prices: new Prices(connection),
    simulations: new Simulations(connection),
    keys: new Keys(connection),
    providerKeys: new ProviderKeys(connection),
    limits: new Limits(connection),
    redaction: new Redaction(connection),
    retention: new Retention(connection),
    webhooks: new Webhooks(connection),
    alerts: new Alerts(connection),
    views: new Views(connection),
    boards: new Boards(connection),
    health: new ServiceState(connection),
    monitoring: new Monitoring(connection),
    browserSession: new BrowserSession(connection),
    signIn: new SignIn(connection),
    people: new People(connection),
    invitations: new Invitations(connection),
    audit: new AuditLog(connection),
    call: connection.call,
  };
}

export { ApiError, type CallFailure } from './connection/error.ts';
export type { ClientOptions, Fetch } from './connection/options.ts';
export type { Answer, CallInput, CallOptions, DataEndpoint, Endpoints, Reply } from './connection/connection.ts';
export type { OffsetOptions, Page, PageOptions } from './connection/pages.ts';
export type { Condition, Filter, UserFilter } from './filters/filter.ts';
export { and, between, type FieldPath, type OperandOf, type OperatorOf, or, where, whereUser } from './filters/where.ts';
export type { ExportedRecord, ExportStream } from './nouns/exports.ts';
export type { FollowedRequest, FollowOptions, FollowQuery } from './connection/following.ts';
export type { ImportRecord } from './nouns/imports.ts';
export type { GroupRow, MetricsRowOf, NamedMetric } from './nouns/metrics.ts';
export type { SessionPart } from './nouns/sessions.ts';
export type { RequestItem } from './types/request-item.ts';
export type {
  BodyBeginning,
  BulkPropertyDryRun,
  Change,
  ImportAnswer,
  Job,
  Price,
  RequestBeginning,
  RequestCost,
  RequestQuery,
} from './types/requests.ts';
export type { SessionAnswer, SessionItem, SessionNode, SessionNodeTotals, SessionQuery } from './types/sessions.ts';
export type { MetricsMeta, MetricsQuery } from './types/metrics.ts';
export type { UserItem, UserMetricsItem, UserMetricsQuery } from './types/users.ts';
export type {
  Alert,
  AlertGroupState,
  AlertDelivery,
  AlertHistoryRow,
  AlertIncident,
  AlertPreviewAnswer,
  AlertPreviewQuery,
  NewAlert,
  RuleSet,
  RuleSetAnswer,
  RuleSetChange,
} from './types/alerts.ts';
export type {
  Board,
  BoardPanel,
  BoardSummary,
  BoardTimeRange,
  ChangedBoard,
  NewBoard,
  NewView,
  ServiceHealth,
  View,
} from './types/dashboard.ts';
export type { Export } from './types/export.ts';
export type { Reprice, RepriceReport } from './types/prices.ts';
export type { LimitSimulation, LimitSimulationReport, PriceSimulation, PriceSimulationReport } from './types/simulations.ts';
export type { Delivery, DeliveryDetail, Webhook, WebhookBody } from './types/webhooks.ts';
export type { ApiKey, LimitUsage, ProviderKey, RateLimit, RedactionRule, SignedIn } from './types/settings.ts';
