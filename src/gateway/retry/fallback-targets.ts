import type { HeaderList } from '../../platform/http/header-list.ts';
import { GatelogError } from '../../model/errors.ts';
import { isToBeSigned, signedForAmazon, withoutSignature } from '../credentials/amazon.ts';
import type { AuthenticatedCall, Call, FallbackTarget, Target } from '../call/call.ts';
import type { PlanPorts } from '../call/ports.ts';
import { hasCallerCredential, missingKeyHint, storedCredentials, callerCredentialsFor } from '../credentials/credentials.ts';
import type { Fallback } from '../directives/fallbacks.ts';
import { harmless, withoutSecretParameters } from '../http/headers.ts';
import { replaceModel } from '../bodies/shape.ts';
import type { ModelField } from '../json/model-field.ts';
import { wantsStreamUsage, addIncludeUsage } from '../models/outgoing-body.ts';
import { withIncludeUsage, includeUsageMaxBytes } from '../relay/stream-usage.ts';
import { resolveModel } from '../models/by-model.ts';
import { type Route, routeByPath, routeToProvider, routeToTarget } from '../routing/routes.ts';

/** The first attempt, from which the fallbacks are derived. */
export interface FirstAttempt {
  /** By the path alone, or by `Svc-Target-Url`. */
  readonly pathRoute: Route;
  /** The caller's body, and the position of its model. */
  readonly body: Buffer;
  readonly field: ModelField | undefined;
  /** The body for the first provider, before `include_usage` is added. */
  readonly outgoing: Buffer;
  readonly model: string | undefined;
  readonly first: Target;
  /** The gateway chose the provider, so the caller's credential is not for it. */
  readonly isPicked: boolean;
}

/**
 * Decides everything about the fallbacks before the call is sent, so that none proves impossible when it is needed.
 * @throws GatelogError `invalid_directive`, with the path of the fallback.
 */
export function planFallbackTargets(
  ports: PlanPorts,
  admitted: AuthenticatedCall,
  from: FirstAttempt,
  fallbacks: readonly Fallback[],
): readonly FallbackTarget[] {
  return fallbacks.map((fallback) => {
    try {
      return planFallback(ports, admitted, from, fallback);
    } catch (error) {
      // An error of ours is not a fault in the caller's list.
      if (!(error instanceof GatelogError) || error.status >= 500) throw error;
      throw new GatelogError('invalid_directive', `${fallback.path}: ${error.message}`, {
        details: { path: fallback.path },
        cause: error,
      });
    }
  });
}

function planFallback(ports: PlanPorts, admitted: AuthenticatedCall, from: FirstAttempt, fallback: Fallback): FallbackTarget {
  const { call } = admitted;
  const { route: named, model, isPicked } = resolveRoute(ports, admitted, from, fallback);
  const isSameAddress = leadsToSameTarget(named, from.first);
  // With a key named by the fallback, the caller's own would be a second one, even at the same address.
  const keepsQuery = isSameAddress && fallback.keyName === undefined;
  const route = keepsQuery ? named : { ...named, path: withoutSecretParameters(named.path) };
  const mayUseCallerKey = isSameAddress && !isPicked && !from.isPicked;
  const target = typeof route.destination === 'string' ? undefined : route.destination.target(route.path);
  const makeBody = bodyMaker(from, model);
  const usageRequested = wantsStreamUsage(call, route) && (from.first.usageRequested || lacksUsageInBody(call, from));
  const makeOutgoing = (): { readonly buffered: Buffer } => {
    const body = makeBody();
    return { buffered: addIncludeUsage(call, route, { buffered: body }) ?? body };
  };
  const isSigned = mayUseCallerKey && fallback.keyName === undefined && isToBeSigned(call.head, route);
  const signed = isSigned ? signedForAmazon(ports, call, { route, target, outgoing: makeOutgoing() }) : undefined;
  return {
    route,
    target,
    credentials: signed ?? credentialsOf(ports, admitted, { route, mayUseCallerKey, keyName: fallback.keyName }),
    passed: passedTo(call.head.passed, mayUseCallerKey, isSigned),
    // Made when needed: ten bodies at once would hold ten times the caller's.
    get outgoing() {
      return makeOutgoing();
    },
    // Bodies that differ only in their model all get `include_usage`, or none does, except at a provider that does not support it.
    usageRequested,
    model: model ?? from.model,
    bodyOverride: undefined,
    fallback,
    replaced: model === undefined ? undefined : { model },
    outgoingMaxBytes: bodyBytes(from, model) + (usageRequested ? includeUsageMaxBytes : 0),
  };
}

function passedTo(headers: HeaderList, mayUseCallerKey: boolean, isSigned: boolean): HeaderList {
  if (!mayUseCallerKey) return harmless(headers);
  return isSigned ? withoutSignature(headers) : headers;
}

/** A first provider without support for `include_usage` says nothing about the body, so the body is inspected. */
function lacksUsageInBody(call: Call, { first, outgoing }: FirstAttempt): boolean {
  return !wantsStreamUsage(call, first.route) && withIncludeUsage(outgoing) !== undefined;
}

/**
 * Whether a route leads to the target of the caller's credential: the same provider at the same base address.
 * TRICKY: behind one proxy several providers share an origin and differ only in their paths.
 */
function leadsToSameTarget({ provider, destination, path }: Route, first: Target): boolean {
  if (typeof destination === 'string' || first.target === undefined || provider !== first.route.provider) return false;
  const { origin, basePath } = destination.target(path);
  return origin === first.target.origin && basePath === first.target.basePath;
}

/** A route, and the model to request if it differs from the first attempt's. */
interface ResolvedRoute {
  readonly route: Route;
  readonly model: string | undefined;
  readonly isPicked?: true;
}

function resolveRoute(
  ports: PlanPorts,
  { call, admission }: AuthenticatedCall,
  { pathRoute, first }: FirstAttempt,
  fallback: Fallback,
): ResolvedRoute {
  const { request, head } = call;
  const { provider, targetUrl, model } = fallback;
  if (targetUrl !== undefined) return { route: routeToTarget(targetUrl, pathRoute.path, ports.targets, 'target_url'), model };
  if (provider !== undefined) {
    // The route that the call would have without `Svc-Target-Url`.
    const byPath =
      head.directives.targetUrl === undefined
        ? pathRoute
        : routeByPath(request.method ?? 'GET', pathRoute.path, ports.providers, head.client);
    return { route: routeToNamed(ports, byPath, provider), model };
  }
  if (model === undefined) return { route: first.route, model };
  const from = { route: pathRoute, organizationId: admission.principal.organizationId };
  return (pathRoute.routedByModel ? resolveModel(from, model, ports) : undefined) ?? { route: pathRoute, model };
}

function routeToNamed({ providers }: PlanPorts, byPath: Route, provider: string): Route {
  const route = routeToProvider(byPath.path, provider, providers);
  if (route === undefined) {
    throw new GatelogError('invalid_directive', `no provider is called "${provider}"; known are ${providers.names.join(', ')}.`);
  }
  if (byPath.routedByModel) return route;
  if (byPath.provider === route.provider) return byPath;
  throw new GatelogError(
    'invalid_directive',
    `the path is ${byPath.provider}'s own API, which ${provider} does not serve. Call OpenAI's surface (/v1/…) to fall back to another provider, or name a target_url or a model.`,
  );
}

/** @throws GatelogError if the body has no model to replace. */
function bodyMaker({ body, field, outgoing }: FirstAttempt, model: string | undefined): () => Buffer {
  if (model === undefined) return () => outgoing;
  if (field !== undefined) return () => replaceModel(body, field, model);
  throw new GatelogError('invalid_directive', 'the body is no JSON object with a model, so its model cannot be replaced.');
}

function bodyBytes({ body, field, outgoing }: FirstAttempt, model: string | undefined): number {
  if (model === undefined || field === undefined) return outgoing.length;
  return body.length - (field.end - field.start) + Buffer.byteLength(JSON.stringify(model)) - 2;
}

interface KeyLookup {
  readonly route: Route;
  /** The caller's own credential may go there. */
  readonly mayUseCallerKey: boolean;
  readonly keyName: string | undefined;
}

/**
 * Credential headers of a fallback: the stored key that it names; else the caller's own, if it may go there; else the provider's stored
 * key or the deployment's.
 */
function credentialsOf(
  ports: PlanPorts,
  { admission }: AuthenticatedCall,
  { route, mayUseCallerKey, keyName }: KeyLookup,
): readonly string[] {
  const { principal, providerCredentials } = admission;
  const sent = callerCredentialsFor(route, providerCredentials);
  if (keyName === undefined && mayUseCallerKey && hasCallerCredential(route, sent)) return sent;
  const stored = storedCredentials(route, principal.organizationId, ports.providerKeys, keyName);
  if (stored !== undefined) return stored;
  throw new GatelogError(
    'invalid_directive',
    keyName === undefined
      ? `there is no key for ${route.provider}, and the caller's own goes to the first provider only; ${missingKeyHint(route)}.`
      : `no stored key of ${route.provider} is called "${keyName}".`,
  );
}
