import type { AddressNotes } from '../relay/address-notes.ts';
import type { UnpackingTime } from '../relay/unpacking-time.ts';
import type { ClientAddressOf } from '../../platform/http/client-address.ts';
import type { AuthFailureLimiter } from '../../auth/auth-failure-limiter.ts';
import type { EgressPolicy } from '../../egress/target-guard.ts';
import type { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import type { TakeLog } from '../../model/record/sent-log.ts';
import type { TakeSpans } from '../../model/record/sent-spans.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CallSpool } from '../../spool/busy-series.ts';
import type { BodyMemory } from '../bodies/memory.ts';
import type { LargeBodies } from '../bodies/threads.ts';
import type { CodingTurns } from '../cache/coding-turns.ts';
import type { SingleFlight } from '../cache/single-flight.ts';
import type { CallLog } from '../observation/call-log.ts';
import type { CredentialHashes } from '../credentials/credential-hashes.ts';
import type { CredentialCache, VerifyKey } from '../credentials/credentials.ts';
import type { GiveFeedback } from '../builtin/feedback.ts';
import type { CallsInFlight } from '../http/concurrency.ts';
import type { CallLimits } from '../limits/call-limits.ts';
import type { EventLoopScheduler } from '../limits/event-loop-scheduler.ts';
import type { GatewayMeter } from '../observation/metrics.ts';
import type { RequestIdClaims } from '../record/identify.ts';
import type { RoutingPorts } from '../models/by-model.ts';
import type { Upstream } from '../upstream/upstream.ts';

export interface ForwardLimits {
  /** A JSON body up to this size is buffered, to read its model. */
  readonly routeMaxBytes: number;
  readonly requestMaxBytes: number;
  /** Recorded bytes of each body. */
  readonly recordMaxBytes: number;
  /** Attempts of one call, retries and fallbacks together. */
  readonly maxAttempts: number;
  /** A call is not retried at one target after this time since its first attempt, milliseconds. */
  readonly retryWithinMs: number;
  /** A larger response is not cached. */
  readonly cachedResponseMaxBytes: number;
  /** Maximum time for which a client may read nothing of a waiting response, milliseconds. */
  readonly clientStallMs: number;
  /** Of a log. */
  readonly logMaxBytes: number;
  /** Of a request with spans. */
  readonly spansMaxBytes: number;
}

/** For planning a call. */
export interface PlanPorts extends RoutingPorts {
  readonly callLimits: CallLimits;
  readonly clock: Clock;
  readonly observe: Observe;
  /** Which addresses callers may name themselves. */
  readonly targets: EgressPolicy;
  readonly limits: ForwardLimits;
}

/** For recording a call and relaying its response. */
export interface ExchangePorts {
  /** The series for an exchange of an organisation that begins now. */
  readonly spool: { readonly of: (organizationId: OrganizationId) => CallSpool };
  /** False while the spool is full: calls go on unrecorded. */
  readonly hasSpoolSpace: (organizationId: OrganizationId) => boolean;
  /** False while the spool takes no more body parts: recorded bodies are cut there. */
  readonly takesSpoolParts: () => boolean;
  readonly requestIdClaims: RequestIdClaims;
  readonly credentialHashes: CredentialHashes;
  /** Header in which a trusted proxy names the caller's country, lower case. */
  readonly countryHeader: string | undefined;
  /** The gateway's own address without a trailing slash, where the deployment names one. */
  readonly publicUrl: string | undefined;
  readonly limits: ForwardLimits;
  readonly meter: GatewayMeter;
  readonly callLog?: CallLog | undefined;
  readonly addressNotes?: AddressNotes | undefined;
  readonly unpackingTime: UnpackingTime;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** For sending a call to a provider, or answering it in this process. */
export interface DispatchPorts extends Pick<PlanPorts, 'providers' | 'knownModels' | 'providerKeys' | 'limits' | 'observe'> {
  readonly upstream: Upstream;
  readonly giveFeedback: GiveFeedback;
  readonly largeBodies: LargeBodies;
}

export interface ForwardPorts extends PlanPorts, ExchangePorts, DispatchPorts {
  readonly takeLog: TakeLog;
  readonly takeSpans: TakeSpans;
  /** Whether headers of coding agents name sessions. */
  readonly agentSessions: boolean;
  readonly credentials: CredentialCache;
  readonly verifyKey: VerifyKey;
  /** Why a rejected key is not valid. */
  readonly explainRejection: (key: string) => GatelogError;
  readonly failedKeys: AuthFailureLimiter;
  readonly clientAddressOf: ClientAddressOf;
  readonly callsInFlight: CallsInFlight;
  readonly bodyMemory: BodyMemory;
  readonly scheduler: EventLoopScheduler;
  readonly cache: SingleFlight;
  readonly codingTurns: CodingTurns;
  /** From 0 to 1, 1 excluded: jitter of retries. */
  readonly random: () => number;
}
