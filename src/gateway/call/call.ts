import type { ServerResponse } from 'node:http';
import type { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { LimitPolicy } from '../../model/limit-policy.ts';
import type { JsonObject } from '../../model/text.ts';
import type { ProviderTarget } from '../routing/base-url.ts';
import type { CacheFill } from '../cache/fill.ts';
import type { CacheStatus } from '../cache/status.ts';
import type { Authentication } from '../credentials/credentials.ts';
import type { Fallback } from '../directives/fallbacks.ts';
import type { RequestIdentity } from '../record/identify.ts';
import type { HeaderList } from '../../platform/http/header-list.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import type { FoundSummary } from '../../model/record/body-summary.ts';
import type { BodyReservation } from '../bodies/memory.ts';
import type { RateLimitDecision } from '../limits/reserve.ts';
import type { Relay } from '../relay/relay.ts';
import type { ResponseSink } from '../upstream/response-sink.ts';
import type { RequestBody } from '../http/request-body.ts';
import type { RequestHead } from '../directives/request-head.ts';
import type { RetryPolicy } from '../directives/retry-policy.ts';
import type { Route } from '../routing/routes.ts';
import type { ExchangeRecorder } from '../record/recorder.ts';

export interface Call {
  readonly request: IncomingRequest;
  readonly response: ServerResponse;
  readonly openedAt: number;
  readonly startedAt: number;
  /** Path and query without keys of ours. */
  readonly path: string;
  readonly head: RequestHead;
  /** The memory reserved for its body; undefined for a small one. */
  bodyReservation: BodyReservation | undefined;
}

/** A call with a valid key. It has an identifier and will be on record. */
export interface AuthenticatedCall {
  readonly call: Call;
  readonly admission: Authentication;
  readonly identity: RequestIdentity;
  /** Monotonic time at which the wait for its body began. */
  readonly admittedAt: number;
  /** Usually none. */
  readonly policies: readonly LimitPolicy[];
  /** A directive that cannot be carried out, or limits that are not known. */
  readonly refusal: GatelogError | undefined;
}

export interface RecordedCall {
  readonly call: Call;
  readonly organizationId: OrganizationId;
  /** Of the caller's key. */
  readonly keyHash: string;
  readonly recorder: ExchangeRecorder;
  readonly relay: Relay;
  /** The relay, or the cache fill before it. */
  readonly sink: ResponseSink;
  /** The sink, where the response is captured for the cache. */
  readonly cacheFill?: CacheFill;
}

/** Where an attempt goes, and what it sends. */
export interface Target {
  readonly route: Route;
  /** Undefined for a built-in target. */
  readonly target: ProviderTarget | undefined;
  readonly credentials: readonly string[];
  /** The caller's headers that go there beside the credentials. */
  readonly passed: HeaderList;
  readonly outgoing: RequestBody;
  /** `include_usage` was added to the body. */
  readonly usageRequested: boolean;
  /** The model in this body, where the caller's own body names another one, a list, or a provider with it. */
  readonly model: string | undefined;
  /** Members that replace those of the caller's body; they are recorded. */
  readonly bodyOverride: JsonObject | undefined;
}

export interface FallbackTarget extends Target {
  readonly fallback: Fallback;
  /** Members that replace those of the first target's body. */
  readonly replaced: JsonObject | undefined;
  /** Upper bound of its body's size, known before the body is made. */
  readonly outgoingMaxBytes: number;
}

export interface RetryPlan {
  readonly retry: RetryPolicy | undefined;
  readonly fallbacks: readonly FallbackTarget[];
}

/** The first target of a call, and everything decided with it. */
export interface RequestPlan extends Target {
  /** Undefined for a single attempt. */
  readonly retryPlan: RetryPlan | undefined;
  /** For `svc-warning`. */
  readonly warnings: readonly string[];
  /** Undefined for a call without the response cache. */
  readonly cache: CacheStatus | undefined;
  /** Undefined for a call without limits, and before they are checked. */
  readonly rateLimit: RateLimitDecision | undefined;
  /** Summaries for the limits of bodies too large to be parsed in the event loop: of this target, then of each fallback. */
  readonly billedSummaries: readonly FoundSummary[] | undefined;
}

export function isDisconnected({ request, response }: Call): boolean {
  return response.destroyed || request.socket.destroyed;
}
