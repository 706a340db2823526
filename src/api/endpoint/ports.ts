import type { McpCall } from '../../mcp/http.ts';
import type { RedactionRules } from '../../metadata/organization/redaction-rules.ts';
import type { makeDashboard } from '../parts/dashboard.ts';
import type { Exports } from '../parts/exports.ts';
import type { Properties } from '../parts/properties.ts';
import type { RateLimits } from '../parts/rate-limits.ts';
import type { Alerts } from '../../alerts/alerts.ts';
import type { SessionChanges } from '../../ingest/changes/session-changes.ts';
import type { TakeImports } from '../../ingest/imports/open.ts';
import type { BulkJobs } from '../../jobs/bulk/bulk-jobs.ts';
import type { ErasurePorts, RetentionPorts } from '../../jobs/removals.ts';
import type { PricePorts } from '../../jobs/request-costs.ts';
import type { HealthFiguresInTime } from '../../contract/health.ts';
import type { ModelItem } from '../../contract/models/list.ts';
import type { RegistryAnswer } from '../../contract/models/registry.ts';
import type { Audit } from '../../audit/open.ts';
import type { NoteAudit } from '../../model/audit.ts';
import type { Change } from '../../model/change.ts';
import type { GatelogError } from '../../model/errors.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { RawJson } from '../../model/json/raw.ts';
import type { Observe } from '../../model/observation.ts';
import type { Principal } from '../../model/principal.ts';
import type { TakeLog } from '../../model/record/sent-log.ts';
import type { TakeSpans } from '../../model/record/sent-spans.ts';
import type { BodyAddresses, BodyAddressOwner } from '../../auth/body-address.ts';
import type { BrowserSessions } from '../../auth/browser-sessions.ts';
import type { AuthFailureLimiter } from '../../auth/auth-failure-limiter.ts';
import type { ApiKeys } from '../../auth/api-keys.ts';
import type { People } from '../../auth/people/people.ts';
import type { ProviderKeyVault } from '../../auth/provider-keys.ts';
import type { ResponseMemory } from '../http/response-memory.ts';
import type { Streams } from '../stream/streams.ts';
import type { SitePorts } from '../site/site.ts';
import type { StoredValues } from '../parts/stored-values.ts';
import type { HintLookUps } from '../parts/hint-look-ups.ts';
import type { Meter } from '../../platform/metrics/meter.ts';
import type { LimitUsageItem } from '../../contract/settings/limit-usage.ts';
import type { SharedWork } from '../../platform/shared-work.ts';
import type { KnownNames } from '../../query/hints/known-names.ts';
import type { Webhooks } from '../../events/webhooks.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';

/** Parts that fail, and parts that work but lag. */
export interface ApiHealth {
  readonly failing: readonly string[];
  readonly degraded: readonly string[];
}

export interface MetricsPorts {
  /** Scrapes must send it; undefined: no key is needed. */
  readonly key: string | undefined;
  /** How the service as a whole is, from the same metrics. */
  readonly figures: () => Promise<HealthFiguresInTime>;
  /** The metrics of all processes, in Prometheus' text format. */
  readonly page: () => Promise<string>;
}

export interface ApiPorts extends ReturnType<typeof makeDashboard> {
  readonly answerMcp: (call: McpCall) => Promise<Response>;
  /** Of pages that this listener serves. */
  readonly serverOrigins: () => readonly string[];
  readonly takeLog: TakeLog;
  readonly takeSpans: TakeSpans;
  /** @returns undefined for an unknown key. */
  readonly verifyKey: (keyHash: string) => Principal | undefined | Promise<Principal | undefined>;
  readonly explainRejection: (key: string | undefined) => GatelogError;
  readonly failedKeys: AuthFailureLimiter;
  readonly run: RunStatement;
  /** Durable and visible on return. @throws GatelogError `not_found`. */
  readonly changeRequest: (principal: Principal, requestId: RequestId, change: Change) => Promise<void>;
  /** Durable and visible to every later read on return. */
  readonly sessions: Pick<SessionChanges, 'setProperties' | 'rate' | 'tag' | 'isInFlight'>;
  readonly jobs: Pick<BulkJobs, 'order' | 'find' | 'list' | 'cancel' | 'undo'>;
  /** @returns the requests whose records are still in flight to the store. */
  readonly inFlightOf: (organizationId: OrganizationId, requestIds: readonly RequestId[]) => Promise<readonly RequestId[]>;
  /** Every request whose response ended before this time, Unix milliseconds, is in the store; undefined: nobody can tell. */
  readonly freshUntil: () => Promise<number | undefined>;
  /** An address of both bodies that needs no key and is valid for an hour. */
  readonly bodyAddressOf: (owner: BodyAddressOwner, requestId: RequestId) => string;
  readonly checkBodyAddress: BodyAddresses['check'];
  readonly properties: Properties;
  readonly storedValues: StoredValues;
  /** @returns the replaced spelling, if any. */
  readonly declareProperty: (organizationId: OrganizationId, name: string) => Promise<string | undefined>;
  readonly rateLimits: RateLimits;
  /** What is asked for at the moment of how full limits are. */
  readonly limitUsages: SharedWork<readonly LimitUsageItem[]>;
  readonly apiKeys: ApiKeys;
  /** @returns undefined for an unknown organisation. */
  readonly organizationName: (organizationId: OrganizationId) => Promise<string | undefined>;
  readonly browserSessions: BrowserSessions;
  readonly people: People;
  readonly noteAudit: NoteAudit;
  readonly searchAudit: Audit['search'];
  /** Address of the API, as browsers see it. */
  readonly baseUrl: () => string;
  /** Cookies go over https only. */
  readonly secureCookies: boolean;
  readonly providerKeys: ProviderKeyVault;
  /** The models that the organisation reaches without a provider key in the call. @throws GatelogError `metadata_unavailable`. */
  readonly models: (organizationId: OrganizationId, storedProviders: ReadonlySet<string>) => readonly ModelItem[];
  /** All models of the deployment's price list, as JSON. */
  readonly modelRegistry: () => RawJson<RegistryAnswer['data']>;
  readonly redactionRules: Pick<RedactionRules, 'list' | 'replace'>;
  readonly webhooks: Webhooks;
  readonly alerts: Alerts;
  readonly prices: PricePorts;
  readonly retention: RetentionPorts;
  readonly erasures: ErasurePorts;
  readonly imports: TakeImports;
  readonly health: () => Promise<ApiHealth>;
  readonly observe: Observe;
  /** Has the families of `api/http/latency.ts`. */
  readonly meter: Meter;
  readonly metrics: MetricsPorts;
  /** Milliseconds. */
  readonly monotonic: () => number;
  readonly exports: Exports;
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
