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
import type { FoundFacts } from '../bodies/threads.ts';
import type { RequestBody } from '../http/request-body.ts';

/** A call as it goes out, for whoever understands bodies. */
export interface BilledRequest {
  readonly method: string;
  readonly provider: string;
  /** Path and query at the provider; of a call that is answered in this process, those of its route. */
  readonly path: string;
  /** Undefined: it was not read whole, or holds no JSON. */
  readonly body: Buffer | undefined;
  /** What was found in a body that is too large to be parsed here. */
  readonly found: FoundFacts | undefined;
  /** `Svc-Model-Override`, which tells the price where the model itself has none. */
  readonly modelOverride: string | undefined;
  /** When it came, Unix milliseconds: the price of that time holds. */
  readonly at: number;
}

/** What limits need from the rest of the program. */
export interface CallLimits {
  readonly windows: LimitWindows;
  /** The policies that an organisation has stored and that hold for a key; always the same list where there are none. */
  readonly storedPolicies: (organizationId: OrganizationId, keyId: string) => readonly LimitPolicy[];
  /** What a call of an organisation costs at most. */
  readonly estimateCost: (organizationId: OrganizationId, call: BilledRequest) => Money;
  /** The end user whom a body names; empty without one. */
  readonly readUser: (call: BilledRequest) => string;
}

const none: readonly LimitPolicy[] = [];

/** All policies that hold for a call, the stored ones and the one in its header. Makes nothing for a call without any. */
export function policiesOf(
  { storedPolicies }: CallLimits,
  { organizationId, keyId }: Principal,
  { limitPolicy }: Directives,
): readonly LimitPolicy[] {
  const stored = storedPolicies(organizationId, keyId);
  if (limitPolicy === undefined) return stored.length === 0 ? none : stored;
  return [...stored, limitPolicy];
}

/** Whether a policy needs to look into the body: a budget for its size and model, a limit by user for a user who is in no header. */
export function needsBody(policies: readonly LimitPolicy[], { tags }: Directives): boolean {
  return policies.some(({ unit, segment }) => unit === 'cents' || (segment?.of === 'user' && tags.userId === undefined));
}

export interface LimitPorts {
  readonly callLimits: CallLimits;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** A call whose limits are asked. */
export interface LimitedRequest {
  readonly organizationId: OrganizationId;
  readonly requestId: string;
  readonly directives: Directives;
  readonly outgoing: BilledRequest;
  /** As which it may go out instead when that fails; asked only by a budget, as each may have a body of its own. */
  readonly alternatives: () => Iterable<BilledRequest>;
  readonly policies: readonly LimitPolicy[];
}

/**
 * Asks the limits of a call.
 * @throws as {@link reserve} does.
 */
export function checkLimits(ports: LimitPorts, asked: LimitedRequest): RateLimitDecision {
  const { organizationId, requestId, directives, outgoing, alternatives, policies } = asked;
  const { windows, estimateCost, readUser } = ports.callLimits;
  const { tags, aliased } = directives;
  const call = {
    organizationId,
    requestId,
    userId: once(() => tags.userId ?? readUser(outgoing)),
    property: (name: string) => propertyNamed(tags, name),
    estimate: once(() => {
      let most = estimateCost(organizationId, outgoing);
      // Of all attempts one is answered, so one is billed: the dearest of them is what the call can cost.
      for (const way of alternatives()) most = larger(most, estimateCost(organizationId, way));
      return most;
    }),
  };
  try {
    // Not the time at which the call came: its upload may have taken longer than a window is.
    const grant = reserve({ windows, observe: ports.observe }, policies, call, ports.clock.now());
    return aliased ? { ...grant, lines: withAliases(grant.lines) } : grant;
  } catch (error) {
    throw aliased && error instanceof RateLimitExceeded
      ? new RateLimitExceeded(error.message, error.usedUp, withAliases(error.lines))
      : error;
  }
}

function larger(one: Money, other: Money): Money {
  return one > other ? one : other;
}

/** Several budgets ask the same. */
function once<Value>(find: () => Value): () => Value {
  let found: { readonly value: Value } | undefined;
  return () => (found ??= { value: find() }).value;
}

/** The body when it can be looked into. */
export function bufferedJson(body: RequestBody, isJson: boolean): Buffer | undefined {
  return 'whole' in body && isJson && body.whole.length > 0 ? body.whole : undefined;
}

/** The value of a property, the exact spelling before others, a later one before an earlier; session headers are properties too. */
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
