import { providerDeclaration } from '../../model/providers/providers.ts';
import { GatelogError } from '../../model/errors.ts';
import { amazonKeysStay, signedForAmazon, withAmazonToken, withoutSignature } from '../credentials/amazon.ts';
import { checkLimits, needsBody, bufferedJson } from '../limits/call-limits.ts';
import type { EstimatedRequest, FoundSummary, SentBody } from '../../model/record/body-summary.ts';
import {
  type AuthenticatedCall,
  type Call,
  type RequestPlan,
  type FallbackTarget,
  isDisconnected,
  type Target,
  type RetryPlan,
} from '../call/call.ts';
import type { PlanPorts } from '../call/ports.ts';
import { credentialsFor } from '../credentials/credentials.ts';
import { fallbacksOfModels } from '../directives/fallbacks.ts';
import { planFallbackTargets } from '../retry/fallback-targets.ts';
import { harmless } from '../http/headers.ts';
import { inlineMaxBytes } from '../bodies/threads.ts';
import { findModelField } from '../json/model-field.ts';
import { withoutProvider } from '../models/no-provider.ts';
import { type Addressed, modelUnread, wantsStreamUsage, addIncludeUsage } from '../models/outgoing-body.ts';
import { isCompressed, mayBeJson, type RequestBody } from '../http/request-body.ts';
import { isNeverRepeated, type Route } from '../routing/routes.ts';
import type { ListedTarget } from '../directives/targets.ts';
import { planTargets } from '../retry/listed-targets.ts';

export interface Arrived {
  /** By the path alone, before the body's model was read. */
  readonly pathRoute: Route;
  readonly body: RequestBody;
}

/**
 * Decides everything about a call but its record: addresses, credentials and outgoing bodies, of fallbacks too.
 * @throws GatelogError why the call is rejected.
 */
export function planRequest(ports: PlanPorts, admitted: AuthenticatedCall, arrived: Arrived, addressed: Addressed): RequestPlan {
  const targets = admitted.call.head.directives.attempts?.targets;
  return targets === undefined
    ? planByPath(ports, admitted, arrived, addressed)
    : planListedTargets(ports, admitted, arrived.body, targets);
}

function planByPath(ports: PlanPorts, admitted: AuthenticatedCall, arrived: Arrived, addressed: Addressed): RequestPlan {
  const { call } = admitted;
  const { route, furtherModels } = addressed;
  const { destination } = route;
  const target = typeof destination === 'string' ? undefined : destination.target(route.path);
  const bodyWithUsage = addIncludeUsage(call, route, addressed.outgoing);
  const outgoing = bodyWithUsage === undefined ? addressed.outgoing : { buffered: bodyWithUsage };
  const usageRequested = bodyWithUsage !== undefined;
  const signed = call.head.amazon === undefined ? undefined : signedForAmazon(ports, call, { route, target, outgoing });
  const credentials = signed ?? credentialsOf(ports, admitted, arrived, addressed);
  const passed = passedTo(call, addressed, signed !== undefined);
  const first: Target = {
    route,
    target,
    credentials,
    passed,
    outgoing,
    usageRequested,
    model: addressed.model,
    bodyOverride: undefined,
  };
  const isSingleAttempt = (call.head.directives.attempts === undefined && furtherModels === undefined) || isNeverRepeated(destination);
  const {
    retryPlan,
    warnings,
    model = addressed.model,
  } = isSingleAttempt ? single : planRetries(ports, admitted, arrived, { addressed, first });
  const withUsageWarning =
    wantsStreamUsage(call, route) && !('buffered' in outgoing) ? [...warnings, usageNotAppliedWarning(arrived.body)] : warnings;
  const withModelWarning = modelUnread(call, arrived.pathRoute, arrived.body)
    ? [...withUsageWarning, modelNotReadWarning]
    : withUsageWarning;
  const allWarnings =
    call.head.amazon !== undefined && providerDeclaration(route.provider).signedByAws !== true
      ? [...withModelWarning, amazonKeysStay]
      : withModelWarning;
  // TRICKY: every member by name. Spreading `first` took 4 % of a plain call's time.
  return {
    route,
    target,
    credentials,
    passed,
    outgoing,
    usageRequested,
    model,
    bodyOverride: undefined,
    retryPlan,
    warnings: allWarnings,
    cache: undefined,
    rateLimit: undefined,
    billedSummaries: undefined,
  };
}

function planListedTargets(
  ports: PlanPorts,
  admitted: AuthenticatedCall,
  body: RequestBody,
  targets: readonly ListedTarget[],
): RequestPlan {
  const retry = admitted.call.head.directives.attempts?.retry;
  const isRepeatable = 'buffered' in body && body.buffered.length > 0;
  const { targets: planned, warnings } = planTargets(ports, admitted, body, targets);
  const [first, ...fallbacks] = planned;
  if (first === undefined) throw new RangeError('A list of targets is never empty.');
  const why = 'buffered' in body ? noBodyWarning : singleAttemptWarning(body);
  return {
    ...first,
    retryPlan: 'buffered' in body ? { retry, fallbacks: isRepeatable ? fallbacks : [] } : undefined,
    warnings: isRepeatable || fallbacks.length === 0 ? warnings : [...warnings, why],
    cache: undefined,
    rateLimit: undefined,
    billedSummaries: undefined,
  };
}

interface Retries {
  readonly retryPlan: RetryPlan | undefined;
  readonly warnings: readonly string[];
  /** As in a {@link Target}. */
  readonly model: string | undefined;
}

const single: Retries = { retryPlan: undefined, warnings: [], model: undefined };

function usageNotAppliedWarning(body: RequestBody): string {
  return `Svc-Stream-Usage was not applied: the body is compressed or ${whyNotBuffered(body)}; ask in the body (stream_options.include_usage)`;
}

const modelNotReadWarning =
  'the call went by its path alone, so that a provider in the model of its body was not looked for: the body is compressed or over GATELOG_ROUTE_MAX_BYTES';

function singleAttemptWarning(body: RequestBody): string {
  return `there is one attempt only: the body is ${whyNotBuffered(body)}, and what is not held cannot be sent again`;
}

function whyNotBuffered(body: RequestBody): string {
  return !('buffered' in body) && body.isCrowded === true
    ? 'not held, as those of other calls take what there is for them (GATELOG_HELD_BODIES_BYTES)'
    : 'over GATELOG_ROUTE_MAX_BYTES';
}

const noBodyWarning = 'Svc-Fallbacks was not applied: the call has no body';

function planRetries(
  ports: PlanPorts,
  admitted: AuthenticatedCall,
  { pathRoute, body }: Arrived,
  { addressed, first }: { readonly addressed: Addressed; readonly first: Target },
): Retries {
  const { retry, fallbacks = [] } = admitted.call.head.directives.attempts ?? {};
  const { outgoing, furtherModels } = addressed;
  if (!('buffered' in body) || !('buffered' in outgoing)) return { ...single, warnings: [singleAttemptWarning(body)] };
  if (body.buffered.length === 0) {
    return { retryPlan: { retry, fallbacks: [] }, warnings: fallbacks.length === 0 ? [] : [noBodyWarning], model: undefined };
  }
  const listed = furtherModels === undefined ? fallbacks : [...fallbacksOfModels(furtherModels), ...fallbacks];
  const model = findModelField(outgoing.buffered)?.text;
  const { isPicked } = addressed;
  const from = {
    pathRoute,
    body: body.buffered,
    field: findModelField(body.buffered),
    outgoing: outgoing.buffered,
    model,
    first,
    isPicked,
  };
  const planned = planFallbackTargets(ports, admitted, from, listed);
  refuseExcluded(planned.slice(furtherModels?.length ?? 0), addressed.excluded);
  return { retryPlan: { retry, fallbacks: planned }, warnings: [], model: furtherModels === undefined ? undefined : model };
}

/** A provider that the body's model list excludes is excluded from the fallbacks of the header too. */
function refuseExcluded(fallbacks: readonly FallbackTarget[], excluded: ReadonlySet<string> | undefined): void {
  const target = fallbacks.find(({ route }) => excluded?.has(route.provider) === true);
  if (target === undefined) return;
  throw new GatelogError('invalid_model', `${target.fallback.path} leads to ${target.route.provider}, which the body's model excludes.`);
}

/** The caller's headers for the first target. */
function passedTo({ head }: Call, { isPicked }: Addressed, isSigned: boolean): Target['passed'] {
  if (isPicked) return harmless(head.passed);
  return isSigned ? withoutSignature(head.passed) : head.passed;
}

/** Where the gateway chose the provider, the caller's own credential is not for it. */
function credentialsOf(ports: PlanPorts, admitted: AuthenticatedCall, arrived: Arrived, addressed: Addressed): readonly string[] {
  const { call, admission } = admitted;
  const { route, isPicked, model } = addressed;
  try {
    const own = credentialsFor(route, isPicked ? { ...admission, providerCredentials: [] } : admission, ports.providerKeys);
    return call.head.amazon === undefined ? own : withAmazonToken(own, call.head, route);
  } catch (error) {
    if (!(error instanceof GatelogError) || error.code !== 'no_provider_key' || !route.routedByModel || model !== undefined) throw error;
    throw withoutProvider(error, { body: arrived.body, isJson: mayBeJson(call.request), names: ports.providers.names });
  }
}

/**
 * Checks the limits of a call that is about to be sent.
 * @throws RateLimitExceeded, among others.
 */
export function withLimits(ports: PlanPorts, { call, admission, identity, policies }: AuthenticatedCall, plan: RequestPlan): RequestPlan {
  // A call that is not sent, or a cache hit, consumes no quota.
  if (policies.length === 0 || plan.cache?.kind === 'hit' || isDisconnected(call)) return plan;
  const rateLimit = checkLimits(ports, {
    organizationId: admission.principal.organizationId,
    requestId: identity.requestId,
    directives: call.head.directives,
    policies,
    outgoing: estimatedRequestOf(call, plan, plan.billedSummaries?.[0]),
    alternatives: () => alternativesOf(call, plan),
  });
  return { ...plan, rateLimit };
}

/** The call as each fallback sends it, one at a time, because each may have a body of its own. */
function* alternativesOf(call: Call, { retryPlan, billedSummaries: found }: RequestPlan): Generator<EstimatedRequest, void, undefined> {
  for (const [index, target] of retryPlan?.fallbacks.entries() ?? []) yield estimatedRequestOf(call, target, found?.[index + 1]);
}

export function estimatedRequestOf(
  { request, head, openedAt }: Call,
  plannedTarget: Target,
  found: FoundSummary | undefined,
): EstimatedRequest {
  const { route, target } = plannedTarget;
  return {
    method: request.method ?? 'GET',
    provider: route.provider,
    path: target?.path ?? route.path,
    body: found === undefined ? bufferedJson(plannedTarget.outgoing, readsJson({ request, head })) : undefined,
    found,
    modelOverride: head.directives.tags.modelOverride,
    at: openedAt,
  };
}

/** A listed target may set a content type that the caller did not. */
function readsJson({ request, head }: Pick<Call, 'request' | 'head'>): boolean {
  return mayBeJson(request) || (head.directives.attempts?.targets !== undefined && !isCompressed(request));
}

/**
 * The outgoing bodies of a call whose limits need to parse them, where together they are too large for the event loop.
 * @returns undefined for nearly every call.
 */
export function bodiesToParse({ call, policies }: AuthenticatedCall, plan: RequestPlan): readonly SentBody[] | undefined {
  if (policies.length === 0) return undefined;
  const { outgoing, retryPlan } = plan;
  if (!('buffered' in outgoing)) return undefined;
  // A budget estimates every fallback.
  const fallbacks = retryPlan?.fallbacks ?? [];
  if (fallbacks.reduce((sum, { outgoingMaxBytes }) => sum + outgoingMaxBytes, outgoing.buffered.length) <= inlineMaxBytes) return undefined;
  if (!readsJson(call) || !needsBody(policies, call.head.directives)) return undefined;
  return [sentBodyOf(plan), ...fallbacks.map(sentFallbackOf)];
}

export function sentBodyOf({ route, target, outgoing, bodyOverride }: Target): SentBody {
  const bytes = 'buffered' in outgoing ? outgoing.buffered.length : 0;
  return { provider: route.provider, path: target?.path ?? route.path, replaced: bodyOverride, bytes };
}

function sentFallbackOf({ route, target, replaced, outgoingMaxBytes }: FallbackTarget): SentBody {
  return { provider: route.provider, path: target?.path ?? route.path, replaced, bytes: outgoingMaxBytes };
}
