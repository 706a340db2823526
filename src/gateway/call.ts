import type { ServerResponse } from 'node:http';
import type { AuthFailureLimiter } from '../auth/failed-keys.ts';
import type { EgressPolicy } from '../egress/target-guard.ts';
import type { GatelogError } from '../model/errors.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { LimitPolicy } from '../model/limit-policy.ts';
import type { Observe } from '../model/observation.ts';
import type { JsonObject } from '../model/text.ts';
import type { Clock } from '../platform/clock.ts';
import type { SpoolWriter } from '../spool/writer.ts';
import type { ProviderTarget } from './routing/base-url.ts';
import type { CacheFill } from './cache/fill.ts';
import type { CacheStatus } from './cache/status.ts';
import type { CallLog } from './call-log.ts';
import type { CallLimits } from './limits/call-limits.ts';
import type { CallsInFlight } from './http/concurrency.ts';
import type { Authentication, CredentialCache, VerifyKey } from './credentials/credentials.ts';
import type { Fallback } from './directives/fallbacks.ts';
import type { GiveFeedback } from './feedback.ts';
import type { RequestIdentity, RequestIdClaims } from './record/identify.ts';
import type { HeaderList } from '../platform/http/header-list.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import type { FoundFacts, LargeBodies } from './bodies/threads.ts';
import type { BodyHold, HeldBodies } from './bodies/memory.ts';
import type { LoopTurns } from './limits/loop-turns.ts';
import type { RateLimitDecision } from './limits/reserve.ts';
import type { GatewayMeter } from './metrics.ts';
import type { KnownModels } from './builtin/model-list.ts';
import type { MakerOfModel } from './routing/by-model.ts';
import type { ProviderTable } from './routing/provider-table.ts';
import type { Relay } from './relay/relay.ts';
import type { SingleFlight } from './cache/single-flight.ts';
import type { ResponseSink } from './upstream/response-sink.ts';
import type { RequestBody } from './http/request-body.ts';
import type { RequestHead } from './directives/request-head.ts';
import type { RetryPolicy } from './retry/policy.ts';
import type { Route } from './routing/routes.ts';
import type { ProviderKeys } from './credentials/stored-keys.ts';
import type { ExchangeRecorder } from './record/recorder.ts';
import type { Upstream } from './upstream/upstream.ts';

export interface ForwardLimits {
  /** JSON bodies up to this size are read for the model's name. */
  readonly routeMaxBytes: number;
  readonly requestMaxBytes: number;
  /** Recorded bytes of each body. */
  readonly recordMaxBytes: number;
  /** Attempts of one call, retries and fallbacks together. */
  readonly maxAttempts: number;
  /** After this time since its first attempt began a call is not sent to the same place again, milliseconds. */
  readonly retryWithinMs: number;
  /** A larger reply is not kept in the response cache. */
  readonly cachedResponseMaxBytes: number;
  /** Longest time for which a client may take nothing of the reply that waits for it, milliseconds. */
  readonly clientStallMs: number;
}

/** What the gateway needs from the rest of the program. */
export interface ForwardPorts {
  readonly credentials: CredentialCache;
  readonly verifyKey: VerifyKey;
  /** Why a key that is not one of ours is not accepted. */
  readonly explainRejection: (key: string) => GatelogError;
  readonly failedKeys: AuthFailureLimiter;
  readonly requestIdClaims: RequestIdClaims;
  readonly providers: ProviderTable;
  /** Which addresses callers may name themselves. */
  readonly targets: EgressPolicy;
  readonly knownModels: KnownModels;
  readonly makerOf: MakerOfModel;
  readonly giveFeedback: GiveFeedback;
  readonly providerKeys: ProviderKeys;
  readonly upstream: Upstream;
  readonly callsInFlight: CallsInFlight;
  readonly spool: SpoolWriter;
  /** False while the spool has no room: calls go on, unrecorded. */
  readonly hasSpoolRoom: () => boolean;
  /** False while it has no room for more of the bodies of calls that are being recorded: what is on record of them is cut there. */
  readonly takesSpoolParts: () => boolean;
  /** Header in which a proxy in front of us names the caller's country, lower case; undefined: none is to be trusted. */
  readonly countryHeader: string | undefined;
  readonly limits: ForwardLimits;
  readonly callLimits: CallLimits;
  readonly largeBodies: LargeBodies;
  readonly heldBodies: HeldBodies;
  readonly turns: LoopTurns;
  readonly meter: GatewayMeter;
  /** Undefined: calls are not told of one by one. */
  readonly callLog?: CallLog | undefined;
  readonly cache: SingleFlight;
  readonly clock: Clock;
  /** Chance, from 0 to 1, 1 excluded: for how long a retry waits. */
  readonly random: () => number;
  readonly observe: Observe;
}

/** One call on its way through. */
export interface Call {
  readonly request: IncomingRequest;
  readonly response: ServerResponse;
  readonly openedAt: number;
  readonly startedAt: number;
  /** Path and query, keys of ours cut out. */
  readonly path: string;
  readonly head: RequestHead;
  /** What its body has of the budget for bodies; undefined for a small one. */
  hold: BodyHold | undefined;
}

/** A call of an accepted key: it has an identifier and will be on record. */
export interface AuthenticatedCall {
  readonly call: Call;
  readonly admission: Authentication;
  readonly identity: RequestIdentity;
  /** Monotonic time at which its body was waited for. */
  readonly admittedAt: number;
  /** How long its body was waited for, milliseconds; told only to those who refuse it. */
  readonly waitedMs?: number;
  /** Limits that hold for it, usually none. */
  readonly policies: readonly LimitPolicy[];
  /** What it came with, as far as that is here; told only to those who refuse it. */
  readonly refused?: { readonly body: RequestBody; readonly plan?: RequestPlan };
}

/** A call on record, with its way back. */
export interface RecordedCall {
  readonly call: Call;
  readonly organizationId: OrganizationId;
  /** Of the caller's key. */
  readonly keyHash: string;
  readonly recorder: ExchangeRecorder;
  readonly relay: Relay;
  /** Where the reply goes to: the relay, or what stands before it. */
  readonly sink: ResponseSink;
  /** Where the reply is kept for equal calls: what the sink is. */
  readonly cacheFill?: CacheFill;
}

/** One place for a call, and what goes there. */
export interface Target {
  readonly route: Route;
  /** Undefined: it is answered in this process. */
  readonly target: ProviderTarget | undefined;
  readonly credentials: readonly string[];
  /** Lines of the caller's head that go there beside the credentials, name and value in turn. */
  readonly passed: HeaderList;
  /** The body as it goes out. */
  readonly outgoing: RequestBody;
  /** The question for a stream's usage was added to it. */
  readonly usageAsked: boolean;
  /** The model that this body asks for, where the caller's own body names another, or several, or its provider with it. */
  readonly model: string | undefined;
  /** Members that the caller has put into this body in place of those of the one that arrived, which the record is told of. */
  readonly bodyOverride: JsonObject | undefined;
}

/** A place that a call goes to when it failed at the one before. */
export interface FallbackTarget extends Target {
  readonly fallback: Fallback;
  /** Members that stand in its body in place of the first one's; all else of it is the same. */
  readonly replaced: JsonObject | undefined;
  /** Of its body at most, without making it. */
  readonly outgoingMaxBytes: number;
}

/** What is done about a failed attempt. */
export interface RetryPlan {
  readonly retry: RetryPolicy | undefined;
  readonly fallbacks: readonly FallbackTarget[];
}

/** What a call becomes once its route is decided: its first place, and what follows. */
export interface RequestPlan extends Target {
  /** Undefined: there is one attempt. */
  readonly onward: RetryPlan | undefined;
  /** What could not be done as asked, for `svc-warning`. */
  readonly warnings: readonly string[];
  /** How the response cache stands to it; undefined for a call without it. */
  readonly cache: CacheStatus | undefined;
  /** What its limits said; undefined for a call without any, or not asked yet. */
  readonly grant: RateLimitDecision | undefined;
  /** What limits have to know of a body that is too large to be parsed here: of it, and of those of its fallbacks. Undefined: of no such one. */
  readonly found: readonly FoundFacts[] | undefined;
}

/** True when the client closed its connection. */
export function isDisconnected({ request, response }: Call): boolean {
  return response.destroyed || request.socket.destroyed;
}
