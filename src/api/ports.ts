import type { HealthFigures } from '../contract/health.ts';
import type { ModelItem } from '../contract/models/list.ts';
import type { RegistryAnswer } from '../contract/models/registry.ts';
import type { BilledRequest, CostExplanation } from '../model/pricing/billed-request.ts';
import type { Job, JobId, JobOrder } from '../model/jobs/job.ts';
import type { AlertPreview, ShownAlert, ShownHistoryRow, ShownIncident, ShownState } from '../contract/events/alert-answers.ts';
import type { AlertDeliveryItem } from '../contract/events/deliveries.ts';
import type { AlertRule } from '../contract/events/alerts.ts';
import type { GivenChannel } from '../model/events/channel.ts';
import type { Change } from '../model/change.ts';
import type { Board, BoardSummary, StoredBoard } from '../model/dashboard/board.ts';
import type { SavedView, View, ViewPage } from '../model/dashboard/view.ts';
import type { GatelogError } from '../model/errors.ts';
import type { Result } from '../model/fault.ts';
import type { OrganizationId, RequestId, Uuid } from '../model/ids.ts';
import type { RawJson } from '../model/json/raw.ts';
import type { Observe } from '../model/observation.ts';
import type { ImportLine, ImportOutcome } from '../model/record/import.ts';
import type { Principal } from '../model/principal.ts';
import type { TakeLog } from '../model/record/sent-log.ts';
import type { TakeSpans } from '../model/record/sent-spans.ts';
import type { RedactionRule } from '../model/redaction-rule.ts';
import type { RepricedRequest, RepriceReport } from '../model/pricing/reprice.ts';
import type { StoredPrice } from '../model/pricing/stored-price.ts';
import type { BoardRefusal } from '../metadata/organization/boards.ts';
import type { StoredLimit } from '../metadata/organization/rate-limits.ts';
import type { Erasure } from '../model/erasure.ts';
import type { BodyAddresses } from '../auth/body-address.ts';
import type { BrowserSessions } from '../auth/browser-sessions.ts';
import type { AuthFailureLimiter } from '../auth/auth-failure-limiter.ts';
import type { ApiKeys } from '../auth/api-keys.ts';
import type { ProviderKeyVault } from '../auth/provider-keys.ts';
import type { ResponseMemory } from './http/response-memory.ts';
import type { Streams } from './stream/streams.ts';
import type { SitePorts } from './site/site.ts';
import type { StoredValues } from './page/stored-values.ts';
import type { HintLookUps } from './page/hint-look-ups.ts';
import type { FairSemaphore } from '../platform/fair-semaphore.ts';
import type { Meter } from '../platform/metrics/meter.ts';
import type { KnownNames } from '../query/hints/known-names.ts';
import type { FieldChange } from '../model/events/rule-set.ts';
import type { Webhooks } from '../events/webhooks/webhooks.ts';
import type { RunStatement } from '../store/read/run-statement.ts';

/** Changes of whole sessions; durable and visible to every later read on return. @throws GatelogError `not_found`, among others. */
export interface SessionPorts {
  readonly setProperties: (principal: Principal, sessionId: string, values: ReadonlyMap<string, string>) => Promise<void>;
  readonly rate: (principal: Principal, sessionId: string, rating: boolean) => Promise<void>;
  /** An empty tag removes it. */
  readonly tag: (principal: Principal, sessionId: string, tag: string) => Promise<void>;
  /** Whether a request of the session is still in flight to the store. */
  readonly isInFlight: (organizationId: OrganizationId, sessionId: string) => Promise<boolean>;
}

/** Changes of many requests. */
export interface JobPorts {
  /** Durable on return. @throws GatelogError `service_busy` when too many wait. */
  readonly order: (principal: Principal, order: JobOrder) => Promise<Job>;
  /** @returns undefined for an unknown job. */
  readonly find: (organizationId: OrganizationId, id: JobId) => Promise<Job | undefined>;
  /** Newest first. */
  readonly list: (organizationId: OrganizationId, page: { readonly limit: number; readonly offset: number }) => Promise<readonly Job[]>;
  /** @returns undefined for an unknown job. */
  readonly cancel: (organizationId: OrganizationId, id: JobId) => Promise<Job | undefined>;
  /** @returns the undo, or undefined for an unknown job. @throws GatelogError `invalid_parameter` when there is nothing to undo. */
  readonly undo: (principal: Principal, id: JobId) => Promise<Job | undefined>;
}

export interface RateLimitPorts {
  readonly list: (organizationId: OrganizationId) => Promise<readonly StoredLimit[]>;
  /** Durable on return. @returns an id in the list that is no key of the organisation; nothing is changed then. */
  readonly replace: (
    organizationId: OrganizationId,
    limits: readonly StoredLimit[],
  ) => Promise<{ readonly unknownKey: string } | undefined>;
}

/** Properties of an organisation beside those on record. Changes are durable on return. */
export interface PropertyPorts {
  readonly declared: (organizationId: OrganizationId) => Promise<readonly string[]>;
  readonly hidden: (organizationId: OrganizationId) => Promise<readonly string[]>;
  /** @returns false when the organisation hides as many names as it may. */
  readonly hide: (organizationId: OrganizationId, name: string) => Promise<boolean>;
  readonly restore: (organizationId: OrganizationId, name: string) => Promise<void>;
}

/** In days. */
export interface RetentionPorts {
  /** For all organisations; undefined: none. */
  readonly deploymentDays: number | undefined;
  /** The organisation's own; null: none. */
  readonly read: (organizationId: OrganizationId) => Promise<number | null>;
  /** Durable on return. */
  readonly set: (organizationId: OrganizationId, days: number | null) => Promise<void>;
}

export interface ErasurePorts {
  /** @returns undefined when the erasure takes longer than a call may wait. @throws GatelogError `erasure_in_progress`. */
  readonly erase: (organizationId: OrganizationId, userId: string) => Promise<Erasure | undefined>;
  /** Call it once the caller has got the receipt. */
  readonly acknowledge: (erasure: Erasure) => Promise<void>;
}

interface RowsPage {
  readonly limit: number;
  readonly offset: number;
}

export interface GivenAlert {
  readonly rule: AlertRule;
  readonly channels: readonly GivenChannel[];
}

/** Rules that alert. Changes are durable on return; undefined is the answer for an unknown rule. */
export interface AlertPorts {
  readonly list: (organizationId: OrganizationId, page: RowsPage) => Promise<readonly ShownAlert[]>;
  readonly find: (organizationId: OrganizationId, id: Uuid) => Promise<ShownAlert | undefined>;
  readonly add: (organizationId: OrganizationId, given: GivenAlert) => Promise<Result<ShownAlert>>;
  readonly replace: (organizationId: OrganizationId, id: Uuid, given: GivenAlert) => Promise<Result<ShownAlert> | undefined>;
  /** What {@link put} would change. @param upcoming names of webhooks that will be there by then. */
  readonly changeOf: (
    organizationId: OrganizationId,
    given: GivenAlert,
    upcoming: ReadonlySet<string>,
  ) => Result<{ readonly id: Uuid | null; readonly fields: readonly FieldChange[] }>;
  /** Stores a rule under its name. Durable on return. */
  readonly put: (organizationId: OrganizationId, given: GivenAlert) => Promise<Result<ShownAlert>>;
  readonly remove: (organizationId: OrganizationId, id: Uuid) => Promise<boolean>;
  readonly states: (organizationId: OrganizationId, id: Uuid, page: RowsPage) => readonly ShownState[] | undefined;
  readonly incidents: (organizationId: OrganizationId, id: Uuid, page: RowsPage) => Promise<readonly ShownIncident[] | undefined>;
  readonly history: (organizationId: OrganizationId, id: Uuid, page: RowsPage) => Promise<readonly ShownHistoryRow[] | undefined>;
  readonly deliveries: (organizationId: OrganizationId, id: Uuid, page: RowsPage) => Promise<readonly AlertDeliveryItem[] | undefined>;
  /** @param range of the evaluations, Unix milliseconds. */
  readonly preview: (
    organizationId: OrganizationId,
    rule: Omit<AlertRule, 'name'>,
    range: { readonly from: number; readonly to: number },
    signal: AbortSignal,
  ) => Promise<Result<AlertPreview>>;
  /** Sends a test message. @returns how many channels get one. */
  readonly test: (organizationId: OrganizationId, id: Uuid) => Promise<Result<number> | undefined>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Saved views. Changes are durable on return. */
export interface ViewPorts {
  /** @param page absent: every page. */
  readonly list: (organizationId: OrganizationId, page: ViewPage | undefined) => Promise<readonly SavedView[]>;
  readonly add: (organizationId: OrganizationId, view: View) => Promise<SavedView | 'too_many' | 'name_taken'>;
  readonly replace: (organizationId: OrganizationId, id: Uuid, view: View) => Promise<SavedView | 'unknown' | 'name_taken'>;
  /** @returns false for an unknown view. */
  readonly remove: (organizationId: OrganizationId, id: Uuid) => Promise<boolean>;
}

/** Boards of charts. Changes are durable on return. */
export interface BoardPorts {
  readonly list: (organizationId: OrganizationId) => Promise<readonly BoardSummary[]>;
  readonly find: (organizationId: OrganizationId, id: Uuid) => Promise<StoredBoard | undefined>;
  readonly add: (organizationId: OrganizationId, board: Board) => Promise<StoredBoard | 'too_many' | 'name_taken'>;
  /** @param given the board, and the version that it takes the place of. */
  readonly replace: (
    organizationId: OrganizationId,
    id: Uuid,
    given: { readonly board: Board; readonly version: number },
  ) => Promise<{ readonly stored: StoredBoard } | BoardRefusal>;
  /** @returns false for an unknown board. */
  readonly remove: (organizationId: OrganizationId, id: Uuid) => Promise<boolean>;
}

export interface RedactionRulePorts {
  readonly list: (organizationId: OrganizationId) => Promise<readonly RedactionRule[]>;
  /** Durable on return. */
  readonly replace: (organizationId: OrganizationId, rules: readonly RedactionRule[]) => Promise<void>;
}

/** A refused price: its provider is unknown, or the list has it twice. */
export interface PriceRefusal {
  readonly refused: 'provider' | 'twice';
  /** In the list. */
  readonly index: number;
  /** The name of the provider, or of the model. */
  readonly text: string;
}

export interface PricePorts {
  readonly list: (organizationId: OrganizationId) => Promise<readonly StoredPrice[]>;
  /** Durable on return. @returns the prices, with providers named as in records, or the refusal; nothing is changed then. */
  readonly replace: (
    organizationId: OrganizationId,
    prices: readonly StoredPrice[],
  ) => Promise<{ readonly prices: readonly StoredPrice[] } | PriceRefusal>;
  /**
   * Recomputes the costs of stored requests and writes those that differ; durable and visible on return.
   * @param read runs once the work may begin.
   */
  readonly apply: (principal: Principal, read: () => Promise<readonly RepricedRequest[]>, isTrial: boolean) => Promise<RepriceReport>;
  /** Explains the cost of a stored request. @throws GatelogError `metadata_unavailable`. */
  readonly explain: (organizationId: OrganizationId, request: BilledRequest) => CostExplanation;
}

export interface ImportPorts {
  /** Of one line. */
  readonly maxLineBytes: number;
  /**
   * Takes lines into the caller's organisation; durable on return. @param isTrial stores nothing. @throws GatelogError `service_busy`,
   * `erasure_in_progress`, among others; nothing of the lines is taken then.
   */
  readonly take: (principal: Principal, lines: readonly ImportLine[], isTrial: boolean) => Promise<ImportOutcome>;
}

export interface ExportPorts {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** How many run at once. */
  readonly turns: FairSemaphore;
  /**
   * Waits a little until the organisation's ended calls that arrived before a time are stored. @returns when the oldest arrived that is
   * open or not stored even then; undefined without one. All are Unix milliseconds. @throws GatelogError while nobody can tell.
   */
  readonly oldestUnstored: (organizationId: OrganizationId, beforeMs: number, signal: AbortSignal) => Promise<number | undefined>;
}

/** Parts that fail, and parts that work but lag. */
export interface ApiHealth {
  readonly failing: readonly string[];
  readonly degraded: readonly string[];
}

export interface MetricsPorts {
  /** Scrapes must send it; undefined: no key is needed. */
  readonly key: string | undefined;
  /** How the service as a whole is, from the same metrics. */
  readonly figures: () => Promise<HealthFigures>;
  /** The metrics of all processes, in Prometheus' text format. */
  readonly page: () => Promise<string>;
}

/** A call of the Model Context Protocol, whose key has been checked. */
export interface McpCall {
  readonly request: Request;
  readonly key: string;
  /** Calls the API. */
  readonly fetch: (address: string, init: RequestInit) => Promise<Response>;
}

export interface ApiPorts {
  readonly answerMcp: (call: McpCall) => Promise<Response>;
  /** Of pages that this listener serves. */
  readonly ownOrigins: () => readonly string[];
  readonly takeLog: TakeLog;
  readonly takeSpans: TakeSpans;
  /** @returns undefined for an unknown key. */
  readonly verifyKey: (keyHash: string) => Principal | undefined | Promise<Principal | undefined>;
  readonly explainRejection: (key: string | undefined) => GatelogError;
  readonly failedKeys: AuthFailureLimiter;
  readonly run: RunStatement;
  /** Durable and visible on return. @throws GatelogError `not_found`. */
  readonly changeRequest: (principal: Principal, requestId: RequestId, change: Change) => Promise<void>;
  readonly sessions: SessionPorts;
  readonly jobs: JobPorts;
  /** @returns the requests whose records are still in flight to the store. */
  readonly inFlightOf: (organizationId: OrganizationId, requestIds: readonly RequestId[]) => Promise<readonly RequestId[]>;
  /** Every request whose response ended before this time, Unix milliseconds, is in the store; undefined: nobody can tell. */
  readonly freshUntil: () => Promise<number | undefined>;
  /** An address of both bodies that needs no key and is valid for an hour. */
  readonly bodyAddressOf: (organizationId: OrganizationId, requestId: RequestId) => string;
  readonly checkBodyAddress: BodyAddresses['check'];
  readonly properties: PropertyPorts;
  readonly storedValues: StoredValues;
  /** @returns the replaced spelling, if any. */
  readonly declareProperty: (organizationId: OrganizationId, name: string) => Promise<string | undefined>;
  readonly rateLimits: RateLimitPorts;
  readonly apiKeys: ApiKeys;
  /** @returns undefined for an unknown organisation. */
  readonly organizationName: (organizationId: OrganizationId) => Promise<string | undefined>;
  readonly browserSessions: BrowserSessions;
  /** Cookies go over https only. */
  readonly secureCookies: boolean;
  readonly providerKeys: ProviderKeyVault;
  /** The models that the organisation reaches without a provider key in the call. @throws GatelogError `metadata_unavailable`. */
  readonly models: (organizationId: OrganizationId, storedProviders: ReadonlySet<string>) => readonly ModelItem[];
  /** All models of the deployment's price list, as JSON. */
  readonly modelRegistry: () => RawJson<RegistryAnswer['data']>;
  readonly redactionRules: RedactionRulePorts;
  readonly webhooks: Webhooks;
  readonly alerts: AlertPorts;
  readonly views: ViewPorts;
  readonly boards: BoardPorts;
  readonly prices: PricePorts;
  readonly retention: RetentionPorts;
  readonly erasures: ErasurePorts;
  readonly imports: ImportPorts;
  readonly health: () => Promise<ApiHealth>;
  readonly observe: Observe;
  /** Has the families of `api/http/latency.ts`. */
  readonly meter: Meter;
  readonly metrics: MetricsPorts;
  /** Milliseconds. */
  readonly monotonic: () => number;
  readonly exports: ExportPorts;
  readonly streams: Pick<Streams, 'open'>;
  readonly site: SitePorts;
  readonly bodyMaxBytes: number;
  /** Origins of pages that may call the API; `*`: all. */
  readonly corsOrigins: readonly string[];
  /** Maximum bytes of recorded bodies and properties in one response; a single request's are always shown. */
  readonly answerMaxBytes: number;
  readonly answerMemory: ResponseMemory;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** For the hints of empty responses. */
  readonly knownNames: KnownNames;
  readonly hintLookUps: HintLookUps;
}
