import { providerDeclaration } from '../../model/providers/providers.ts';
import { filterHeaders, type HeaderList } from '../../platform/http/header-list.ts';
import { GatelogError } from '../../model/errors.ts';
import type { JsonObject } from '../../model/text.ts';
import { amazonKeysOf, amazonKeysStay, isToBeSigned, signedForAmazon, withAmazonToken, withoutSignature } from '../credentials/amazon.ts';
import type { AuthenticatedCall, Call, FallbackTarget } from '../call/call.ts';
import type { PlanPorts } from '../call/ports.ts';
import { callerCredentialsFor, providerCredentialsOf } from '../credentials/credentials.ts';
import { defaultFailures } from '../directives/fallbacks.ts';
import { harmless, withoutSecretParameters } from '../http/headers.ts';
import { findModelField } from '../json/model-field.ts';
import { wantsStreamUsage, addIncludeUsage } from '../models/outgoing-body.ts';
import { MembersOfBody, type ReplacedBody } from '../bodies/replaced-members.ts';
import type { RequestBody } from '../http/request-body.ts';
import { readRequestHead, type RequestHead } from '../directives/request-head.ts';
import { type Route, routeToTarget } from '../routing/routes.ts';
import { readStreamOptions, lacksIncludeUsage, includeUsageMaxBytes } from '../relay/stream-usage.ts';
import type { ListedTarget } from '../directives/targets.ts';

/** Maximum size of an override as JSON. */
const overrideMaxBytes = 64 * 1024;
/** Maximum size of a body with an override, which is processed in the event loop. */
const overriddenMaxBytes = 1024 * 1024;

/** All targets of a call whose caller lists them, the first attempt's among them. */
export interface PlannedTargets {
  readonly targets: readonly FallbackTarget[];
  readonly warnings: readonly string[];
}

interface Shared {
  readonly ports: PlanPorts;
  readonly call: Call;
  readonly body: RequestBody;
  /** Without the caller's secret parameters, which were for another address. */
  readonly path: string;
  /** Scanned once, if an override needs it. */
  members?: MembersOfBody | undefined;
  streamOptions?: ReturnType<typeof readStreamOptions>;
}

/**
 * Decides everything about the targets that a caller lists. Of the caller's headers, only those without a credential go there: each entry
 * has credentials of its own, for its address alone.
 * @throws GatelogError `invalid_directive` with the path of the entry, or `body_too_large`.
 */
export function planTargets(
  ports: PlanPorts,
  { call }: AuthenticatedCall,
  body: RequestBody,
  targets: readonly ListedTarget[],
): PlannedTargets {
  const shared: Shared = { ports, call, body, path: withoutSecretParameters(call.path) };
  const planned = targets.map((target, index) => {
    try {
      const route = routeToTarget(target.targetUrl, shared.path, ports.targets, 'target-url');
      const head = readRequestHead(target.headers);
      const keysStay = head.amazon !== undefined && providerDeclaration(route.provider).signedByAws !== true;
      const onCodes = index === 0 ? defaultFailures : (targets[index - 1]?.onCodes ?? defaultFailures);
      return { target: planTarget(shared, target, { route, head, onCodes }), keysStay };
    } catch (error) {
      if (!(error instanceof GatelogError) || error.status >= 500 || error.code === 'body_too_large') throw error;
      throw new GatelogError('invalid_directive', `${target.path}: ${error.message}`, { details: { path: target.path }, cause: error });
    }
  });
  const warnings = planned.some(({ keysStay }) => keysStay) ? [amazonKeysStay] : [];
  return { targets: planned.map(({ target }) => target), warnings };
}

interface TargetParts {
  readonly route: Route;
  readonly head: RequestHead;
  /** Of the previous entry. */
  readonly onCodes: ListedTarget['onCodes'];
}

function planTarget(shared: Shared, { path: field, bodyOverride }: ListedTarget, { route, head, onCodes }: TargetParts): FallbackTarget {
  const { ports, call, body } = shared;
  const target = typeof route.destination === 'string' ? undefined : route.destination.target(route.path);
  const replaced = bodyOverride === undefined ? undefined : replacedIn(shared, bodyOverride);
  const makeOutgoing = (): RequestBody => {
    const sent = replaced === undefined ? body : { buffered: replaced.make() };
    const found = addIncludeUsage(call, route, sent);
    return found === undefined ? sent : { buffered: found };
  };
  const usageRequested = requestsUsage(shared, route, bodyOverride);
  const isSigned = isToBeSigned(head, route);
  // Rejects half a key pair before anything is sent.
  if (isSigned) amazonKeysOf(head);
  const own = withAmazonToken(callerCredentialsFor(route, providerCredentialsOf(head.credentials)), head, route);
  const signed = { ...call, head: { ...call.head, amazon: head.amazon } };
  const bytes = replaced?.bytes ?? ('buffered' in body ? body.buffered.length : 0);
  return {
    route,
    target,
    // The signature covers the body, which is made when needed.
    get credentials() {
      return isSigned ? (signedForAmazon(ports, signed, { route, target, outgoing: makeOutgoing() }) ?? own) : own;
    },
    passed: headersFor(call.head.passed, isSigned ? withoutSignature(head.passed) : head.passed),
    get outgoing() {
      return makeOutgoing();
    },
    usageRequested,
    model: modelIn(body, bodyOverride),
    bodyOverride,
    fallback: { path: field, on: onCodes, followsOne: true },
    replaced: bodyOverride,
    outgoingMaxBytes: bytes + (usageRequested ? includeUsageMaxBytes : 0),
  };
}

/** The entry's headers, and those of the caller that hold no credential and that the entry does not set. */
function headersFor(sent: HeaderList, own: HeaderList): HeaderList {
  const names = new Set(own.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  return [...filterHeaders(harmless(sent), (name) => !names.has(name)), ...own];
}

function replacedIn(shared: Shared, bodyOverride: JsonObject): ReplacedBody {
  const { ports, body } = shared;
  if (Buffer.byteLength(JSON.stringify(bodyOverride)) > overrideMaxBytes) {
    throw new GatelogError('invalid_directive', `bodyKeyOverride takes ${overrideMaxBytes} bytes at most.`);
  }
  // A body that is not recorded whole could not be recorded as sent either.
  const maxBytes = Math.min(overriddenMaxBytes, ports.limits.recordMaxBytes);
  const tooLarge = `bodyKeyOverride takes bodies of ${maxBytes} bytes at most, also as they are sent.`;
  if (!('buffered' in body) || body.buffered.length > maxBytes) throw new GatelogError('body_too_large', tooLarge);
  shared.members ??= MembersOfBody.of(body.buffered);
  if (shared.members === undefined) {
    throw new GatelogError('invalid_directive', 'bodyKeyOverride cannot be applied: the body is no JSON object, or compressed.');
  }
  const replaced = shared.members.replace(bodyOverride);
  if (replaced.bytes > maxBytes) throw new GatelogError('body_too_large', tooLarge);
  return replaced;
}

/** Whether `include_usage` is added for this target, without making its body. */
function requestsUsage(shared: Shared, route: Route, bodyOverride: JsonObject | undefined): boolean {
  const { call, body } = shared;
  if (!wantsStreamUsage(call, route) || !('buffered' in body)) return false;
  const found = (shared.streamOptions ??= readStreamOptions(body.buffered));
  if (found === undefined) return false;
  const { stream = found.isStream, stream_options: options = found.options } = bodyOverride ?? {};
  return lacksIncludeUsage({ isStream: stream === true, options });
}

function modelIn(body: RequestBody, bodyOverride: JsonObject | undefined): string | undefined {
  if (bodyOverride !== undefined && Object.hasOwn(bodyOverride, 'model')) {
    return typeof bodyOverride['model'] === 'string' ? bodyOverride['model'] : undefined;
  }
  return 'buffered' in body ? findModelField(body.buffered)?.text : undefined;
}
