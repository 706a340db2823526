import { providerDeclaration } from '../../model/providers/providers.ts';
import { bedrockHost, bedrockService } from '../../providers/amazon/wire.ts';
import { GatelogError } from '../../model/errors.ts';
import { type AwsKeys, signAws } from './aws-signature.ts';
import { isAwsSignature } from './credentials.ts';
import type { Clock } from '../../platform/clock.ts';
import { filterHeaders, type HeaderList } from '../../platform/http/header-list.ts';
import type { RequestHead } from '../directives/request-head.ts';
import type { RequestBody } from '../http/request-body.ts';
import type { ProviderTarget } from '../routing/base-url.ts';
import type { ProviderTable } from '../routing/provider-table.ts';
import type { Route } from '../routing/routes.ts';

export interface AmazonPorts {
  readonly providers: Pick<ProviderTable, 'bedrockRegion'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** A call that may be signed. */
export interface SignedCall {
  readonly request: { readonly method?: string | undefined };
  readonly head: RequestHead;
}

/** A target whose credentials are not known yet. */
export interface UnsignedTarget {
  readonly route: Route;
  /** Undefined for a built-in target. */
  readonly target: ProviderTarget | undefined;
  readonly outgoing: RequestBody;
}

/** Whether a call is signed with AWS keys of its caller, for which its body is needed. */
export function isToBeSigned({ amazon }: RequestHead, { provider }: Route): boolean {
  return (
    amazon !== undefined && providerDeclaration(provider).signedByAws === true && ('aws-access-key' in amazon || 'aws-secret-key' in amazon)
  );
}

/** For `svc-warning`, on a call to another provider. */
export const amazonKeysStay =
  'the keys in aws-access-key and aws-secret-key were not sent on: they go to Bedrock only, for which they sign';

/**
 * Signs a call to Bedrock with the caller's keys, which are not sent themselves. The caller's own signature is for our host, so it is
 * replaced.
 * @returns undefined for a call without keys, or to another provider.
 * @throws GatelogError `malformed_request` for half a pair of keys, `body_too_large` for a body that is not buffered.
 */
export function signedForAmazon(
  ports: AmazonPorts,
  { request, head }: SignedCall,
  { route, target, outgoing }: UnsignedTarget,
): HeaderList | undefined {
  if (target === undefined || !isToBeSigned(head, route)) return undefined;
  const keys = amazonKeysOf(head);
  if (!('buffered' in outgoing)) {
    throw new GatelogError(
      'body_too_large',
      'A call to Bedrock with aws-access-key is signed with its body, which may have up to GATELOG_ROUTE_MAX_BYTES.',
    );
  }
  const { host, hostname } = new URL(target.origin);
  const region = route.region ?? regionOfHost(hostname) ?? ports.providers.bedrockRegion;
  const signed = { method: request.method ?? 'GET', host, path: target.path, body: outgoing.buffered };
  return signAws(keys, signed, { region, service: bedrockService, at: ports.clock.now() });
}

/** @throws GatelogError `malformed_request` for half a pair of keys. */
export function amazonKeysOf({ amazon = {} }: RequestHead): AwsKeys {
  const accessKey = amazon['aws-access-key'] ?? '';
  const secretKey = amazon['aws-secret-key'] ?? '';
  if (accessKey === '' || secretKey === '') {
    throw new GatelogError(
      'malformed_request',
      'A call to Bedrock is signed with aws-access-key and aws-secret-key; only one of them is here.',
    );
  }
  return { accessKey, secretKey, sessionToken: amazon['aws-session-token'] ?? amazon['x-amz-security-token'] };
}

function regionOfHost(hostname: string): string | undefined {
  return bedrockHost.exec(hostname)?.[1];
}

const signatureHeaders: ReadonlySet<string> = new Set(['x-amz-date', 'x-amz-content-sha256']);

export function withoutSignature(lines: HeaderList): HeaderList {
  return filterHeaders(lines, (name) => !signatureHeaders.has(name));
}

/** Adds the session token where the caller's own client signed for Bedrock. */
export function withAmazonToken(credentials: HeaderList, { amazon }: RequestHead, { provider }: Route): HeaderList {
  const token = amazon?.['x-amz-security-token'];
  if (token === undefined || providerDeclaration(provider).signedByAws !== true || !credentials.some(isAwsSignature)) return credentials;
  return [...credentials, 'x-amz-security-token', token];
}
