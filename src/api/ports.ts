import type { ModelItem } from '../contract/models.ts';
import type { BilledRequest, CostExplanation } from '../model/pricing/billed-request.ts';
import type { Change } from '../model/change.ts';
import type { GatelogError } from '../model/errors.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import type { Observe } from '../model/observation.ts';
import type { Principal } from '../model/principal.ts';
import type { RedactionRule } from '../model/redaction-rule.ts';
import type { RepricedRequest, RepriceReport } from '../model/pricing/reprice.ts';
import type { StoredPrice } from '../model/pricing/stored-price.ts';
import type { StoredLimit } from '../metadata/organization/rate-limits.ts';
import type { Erasure } from '../model/erasure.ts';
import type { BodyAddresses } from '../auth/body-address.ts';
import type { AuthFailureLimiter } from '../auth/failed-keys.ts';
import type { ProviderKeyVault } from '../auth/provider-keys.ts';
import type { AnswerMemory } from './http/answer-memory.ts';
import type { HintLookUps } from './page/hint-look-ups.ts';
import type { Meter } from '../platform/metrics/meter.ts';
import type { KnownNames } from '../query/hints/known-names.ts';
import type { RunStatement } from '../store/read/run.ts';

/** Changes of whole sessions; durable and visible to every later read when they return. @throws GatelogError `not_found`, among others. */
export interface SessionPorts {
  readonly setProperties: (principal: Principal, sessionId: string, values: ReadonlyMap<string, string>) => Promise<void>;
  readonly rate: (principal: Principal, sessionId: string, rating: boolean) => Promise<void>;
  /** An empty tag takes the tag away. */
  readonly tag: (principal: Principal, sessionId: string, tag: string) => Promise<void>;
  /** True when a request of the session is still on its way to the store. */
  readonly isInFlight: (organizationId: OrganizationId, sessionId: string) => Promise<boolean>;
}

/** The limits that organisations store. */
export interface RateLimitPorts {
  readonly list: (organizationId: OrganizationId) => Promise<readonly StoredLimit[]>;
  /** Durable when it returns. @returns a key among them that the organisation does not have; nothing is changed then. */
  readonly replace: (
    organizationId: OrganizationId,
    limits: readonly StoredLimit[],
  ) => Promise<{ readonly unknownKey: string } | undefined>;
}

/** How long records are kept, in days. */
export interface RetentionPorts {
  /** The deployment's, which holds for all organisations; undefined: none. */
  readonly deploymentDays: number | undefined;
  /** An organisation's own; null: none. */
  readonly read: (organizationId: OrganizationId) => Promise<number | null>;
  /** Durable when it returns. */
  readonly set: (organizationId: OrganizationId, days: number | null) => Promise<void>;
}

/** Erasures of users. */
export interface ErasurePorts {
  /** @returns the erasure once it is done; undefined when it goes on for longer than a caller is kept waiting. @throws GatelogError `erasure_in_progress`. */
  readonly erase: (organizationId: OrganizationId, userId: string) => Promise<Erasure | undefined>;
  /** Its receipt has been handed over. */
  readonly acknowledge: (erasure: Erasure) => Promise<void>;
}

/** The redaction rules that organisations store. */
export interface RedactionRulePorts {
  readonly list: (organizationId: OrganizationId) => Promise<readonly RedactionRule[]>;
  /** Durable when it returns. */
  readonly replace: (organizationId: OrganizationId, rules: readonly RedactionRule[]) => Promise<void>;
}

/** A price that is not stored: for a provider that nobody knows, or the second one of its kind. */
export interface PriceRefusal {
  readonly refused: 'provider' | 'twice';
  /** Its place in the list. */
  readonly index: number;
  /** The provider, or the model. */
  readonly text: string;
}

/** What requests cost. */
export interface PricePorts {
  /** The prices that an organisation has stored. */
  readonly list: (organizationId: OrganizationId) => Promise<readonly StoredPrice[]>;
  /** Durable when it returns. @returns the prices, with providers by their names in records; or why nothing was changed. */
  readonly replace: (
    organizationId: OrganizationId,
    prices: readonly StoredPrice[],
  ) => Promise<{ readonly prices: readonly StoredPrice[] } | PriceRefusal>;
  /** Computes the costs of stored requests again and writes those that are others; durable and visible when it returns. @param read reads them, when it may begin. */
  readonly apply: (principal: Principal, read: () => Promise<readonly RepricedRequest[]>, isTrial: boolean) => Promise<RepriceReport>;
  /** Why a stored request costs what it costs. @throws GatelogError `metadata_unavailable`. */
  readonly explain: (organizationId: OrganizationId, request: BilledRequest) => CostExplanation;
}

/** Which parts do not work at the moment, and which do and are behind. */
export interface ApiHealth {
  readonly failing: readonly string[];
  readonly degraded: readonly string[];
}

/** The numbers of the whole tree of processes. */
export interface MetricsPorts {
  /** The key that they ask for; undefined: none. */
  readonly key: string | undefined;
  /** The page that Prometheus reads. */
  readonly page: () => Promise<string>;
}

/** What the API needs from the rest of the program. */
export interface ApiPorts {
  /** `undefined`: no such key. */
  readonly verifyKey: (keyHash: string) => Principal | undefined | Promise<Principal | undefined>;
  readonly explainRejection: (key: string | undefined) => GatelogError;
  readonly failedKeys: AuthFailureLimiter;
  readonly run: RunStatement;
  /** Durable and visible when it returns. @throws GatelogError `not_found`. */
  readonly changeRequest: (principal: Principal, requestId: RequestId, change: Change) => Promise<void>;
  readonly sessions: SessionPorts;
  /** Those of an organisation's requests whose records are still on their way to the store. */
  readonly inFlightOf: (organizationId: OrganizationId, requestIds: readonly RequestId[]) => Promise<readonly RequestId[]>;
  /** Address at which both bodies of a request can be read without a key, for an hour. */
  readonly bodyAddressOf: (organizationId: OrganizationId, requestId: RequestId) => string;
  readonly checkBodyAddress: BodyAddresses['check'];
  /** @returns the other spelling of the name that the declaration replaced, when there was one. */
  readonly declareProperty: (organizationId: OrganizationId, name: string) => Promise<string | undefined>;
  readonly rateLimits: RateLimitPorts;
  readonly providerKeys: ProviderKeyVault;
  /** What an organisation reaches at the gateway with its key alone. @throws GatelogError `metadata_unavailable`. */
  readonly models: (organizationId: OrganizationId, storedProviders: ReadonlySet<string>) => readonly ModelItem[];
  readonly redactionRules: RedactionRulePorts;
  readonly prices: PricePorts;
  readonly retention: RetentionPorts;
  readonly erasures: ErasurePorts;
  readonly health: () => Promise<ApiHealth>;
  readonly observe: Observe;
  /** Has the families of `api/http/latency.ts`. */
  readonly meter: Meter;
  readonly metrics: MetricsPorts;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonic: () => number;
  readonly bodyMaxBytes: number;
  /** Origins of pages that may call the API; `*`: of any. */
  readonly corsOrigins: readonly string[];
  /** Bytes of all recorded bodies and properties that one answer holds; a single request's are always shown. */
  readonly answerMaxBytes: number;
  readonly answerMemory: AnswerMemory;
  /** For the hints of empty answers. */
  readonly knownNames: KnownNames;
  readonly hintLookUps: HintLookUps;
}
