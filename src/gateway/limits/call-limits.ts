import type { Tags } from '../../model/record/exchange.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { LimitPolicy } from '../../model/limit-policy.ts';
import type { Money } from '../../model/pricing/money.ts';
import type { Observe } from '../../model/observation.ts';
import type { Principal } from '../../model/principal.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Directives } from '../directives/directives.ts';
import { withAliases } from '../http/headers.ts';
import { type RateLimitDecision, RateLimitExceeded, type LimitWindows, reserve } from './reserve.ts';
import type { EstimatedRequest } from '../../model/record/body-summary.ts';
import type { RequestBody } from '../http/request-body.ts';

export interface CallLimits {
  readonly windows: LimitWindows;
  /** The stored policies of an organisation that apply to a key; the same empty list where there are none. */
  readonly storedPolicies: (organizationId: OrganizationId, keyId: string) => readonly LimitPolicy[];
  /** Upper bound of the cost. */
  readonly estimateCost: (organizationId: OrganizationId, call: EstimatedRequest) => Money;
  /** The end user in the body; empty without one. */
  readonly readUser: (call: EstimatedRequest) => string;
}

const none: readonly LimitPolicy[] = [];

/** The stored policies and the one in the header. Allocates nothing for a call without any. */
export function policiesOf(
  { storedPolicies }: CallLimits,
  { organizationId, keyId }: Principal,
  { limitPolicy }: Directives,
): readonly LimitPolicy[] {
  const stored = storedPolicies(organizationId, keyId);
  if (limitPolicy === undefined) return stored.length === 0 ? none : stored;
  return [...stored, limitPolicy];
}

/** Whether a policy reads the body: a budget for size and model, a limit by user for a user without a header. */
export function needsBody(policies: readonly LimitPolicy[], { tags }: Directives): boolean {
  return policies.some(({ unit, segment }) => unit === 'cents' || (segment?.of === 'user' && tags.userId === undefined));
}

export interface LimitPorts {
  readonly callLimits: CallLimits;
  readonly clock: Clock;
  readonly observe: Observe;
}

export interface LimitedRequest {
  readonly organizationId: OrganizationId;
  readonly requestId: string;
  readonly directives: Directives;
  readonly outgoing: EstimatedRequest;
  /** The call as its fallbacks send it; read only by budgets, because each may have a body of its own. */
  readonly alternatives: () => Iterable<EstimatedRequest>;
  readonly policies: readonly LimitPolicy[];
}

/** @throws as {@link reserve} does. */
export function checkLimits(ports: LimitPorts, request: LimitedRequest): RateLimitDecision {
  const { organizationId, requestId, directives, outgoing, alternatives, policies } = request;
  const { windows, estimateCost, readUser } = ports.callLimits;
  const { tags, aliased } = directives;
  const call = {
    organizationId,
    requestId,
    userId: once(() => tags.userId ?? readUser(outgoing)),
    property: (name: string) => propertyNamed(tags, name),
    estimate: once(() => {
      let max = estimateCost(organizationId, outgoing);
      // One attempt is billed, so the most expensive one is the upper bound.
      for (const alternative of alternatives()) max = larger(max, estimateCost(organizationId, alternative));
      return max;
    }),
  };
  try {
    // Not the arrival: the upload may have taken longer than a window.
    const decision = reserve({ windows, observe: ports.observe }, policies, call, ports.clock.now());
    return aliased ? { ...decision, lines: withAliases(decision.lines) } : decision;
  } catch (error) {
    throw aliased && error instanceof RateLimitExceeded
      ? new RateLimitExceeded(error.message, error.usedUp, withAliases(error.lines))
      : error;
  }
}

function larger(one: Money, other: Money): Money {
  return one > other ? one : other;
}

/** Memoizes for several budgets. */
function once<Value>(find: () => Value): () => Value {
  let found: { readonly value: Value } | undefined;
  return () => (found ??= { value: find() }).value;
}

export function bufferedJson(body: RequestBody, isJson: boolean): Buffer | undefined {
  return 'buffered' in body && isJson && body.buffered.length > 0 ? body.buffered : undefined;
}

/** Prefers the exact spelling, then the last one. Session headers are properties too. */
function propertyNamed(tags: Tags, name: string): string | undefined {
  const { sessionId, sessionName, sessionPath } = sessionProperties;
  const all = [
    ...tags.properties,
    { name: sessionId, value: tags.sessionId },
    { name: sessionName, value: tags.sessionName },
    { name: sessionPath, value: tags.sessionPath },
  ].filter(({ value }) => value !== undefined);
  const lower = name.toLowerCase();
  const found = all.findLast((property) => property.name === name) ?? all.findLast((property) => property.name.toLowerCase() === lower);
  return found?.value;
}
