import { bearerKey, hashKey, holdsOurKey, looksLikeOurKey } from '../../auth/api-key.ts';
import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import { filterHeaders, type HeaderList } from '../../platform/http/header-list.ts';
import { customProviderName, providerDeclaration } from '../../model/providers/providers.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { authHeaders } from '../routing/provider-table.ts';
import type { Route } from '../routing/routes.ts';
import type { ProviderKeys } from './stored-keys.ts';

/** @returns undefined for an unknown key. */
export type VerifyKey = (keyHash: string) => Principal | undefined | Promise<Principal | undefined>;

export interface AuthFailure {
  /** The credential to name in the error. */
  readonly rejectedKey: string;
}

export interface Authentication {
  readonly principal: Principal;
  /** Credential headers for the provider. No key of ours is among them. */
  readonly providerCredentials: readonly string[];
}

/** The credentials of a call before verification. */
export interface ParsedCredentials {
  readonly headers: HeaderList;
  /** Value of `Svc-Auth`. */
  readonly auth: string | undefined;
  /** Hashes of our keys, in the order of verification. */
  readonly keyHashes: readonly string[];
  /** The key to name in the error when none is valid. */
  readonly rejectedKey: string;
  readonly providerCredentials: readonly string[];
}

/** Each may cost a look-up. */
const maxKeysTried = 4;

/** Bounds the work before the key is verified. A cloud's token has some KiB. */
const maxCredentialLines = 16;
const maxCredentialParts = 16;
const maxCredentialCharacters = 32 * 1024;

/**
 * Finds our keys: in `Svc-Auth` (then every other credential is the provider's), else among the usual credential headers, also in the
 * double form `Bearer <provider key>, Bearer <our key>`. A provider's key is never looked up.
 * @throws GatelogError `missing_key` without any credential or for a malformed `Svc-Auth`; `malformed_request` above the limits.
 */
function readCredentials(headers: HeaderList, auth: string | undefined): ParsedCredentials {
  checkCredentials(headers, auth);
  const sent = keysOnCall(headers, auth);
  const [first] = sent;
  if (auth === undefined && !sent.some(looksLikeOurKey)) refuseBareKey(headers);
  if (first === undefined) {
    throw new GatelogError(
      'missing_key',
      'This gateway needs a key: send "Svc-Auth: Bearer <your Gatelog key>", or use it as the API key of your client.',
    );
  }
  const ours = sent.filter(looksLikeOurKey).slice(0, maxKeysTried);
  return {
    headers,
    auth,
    keyHashes: ours.map(hashKey),
    rejectedKey: ours[0] ?? first,
    providerCredentials: providerCredentialsOf(headers),
  };
}

/** Reports a key without its scheme, for which "no key" would be misleading. @throws GatelogError `missing_key`. */
function refuseBareKey(headers: HeaderList): void {
  const isBare = headers.some(
    (line, index) => index % 2 === 1 && isAuthorization(headers[index - 1] ?? '') && looksLikeOurKey(line.trim()),
  );
  if (!isBare) return;
  throw new GatelogError(
    'missing_key',
    'The Authorization header holds a Gatelog key without its scheme; write "Authorization: Bearer <your Gatelog key>".',
  );
}

function checkCredentials(headers: HeaderList, auth: string | undefined): void {
  const isReadable =
    headers.length <= 2 * maxCredentialLines &&
    (auth?.length ?? 0) <= maxCredentialCharacters &&
    headers.every((line) => line.length <= maxCredentialCharacters && !hasMoreParts(line));
  if (isReadable) return;
  throw new GatelogError(
    'malformed_request',
    `A request has at most ${maxCredentialLines} lines with credentials, each of ${maxCredentialCharacters} characters and ${maxCredentialParts} parts with commas between them at most.`,
  );
}

function hasMoreParts(line: string): boolean {
  let parts = 1;
  for (let at = line.indexOf(','); at !== -1 && parts <= maxCredentialParts; at = line.indexOf(',', at + 1)) parts += 1;
  return parts > maxCredentialParts;
}

/**
 * The last credentials of each connection. A client sends the same ones in every call, and comparing them is cheaper than parsing and
 * hashing. Credentials are compared only within one connection, and forgotten with it.
 */
export class CredentialCache {
  private readonly latest = new WeakMap<object, ParsedCredentials>();

  /** @throws as {@link readCredentials} does. */
  read(connection: object, headers: HeaderList, auth: string | undefined): ParsedCredentials {
    const known = this.latest.get(connection);
    if (known !== undefined && known.auth === auth && areSame(known.headers, headers)) return known;
    const sent = readCredentials(headers, auth);
    this.latest.set(connection, sent);
    return sent;
  }
}

function areSame(first: HeaderList, second: HeaderList): boolean {
  return first.length === second.length && first.every((line, index) => line === second[index]);
}

/** Synchronous when the verifier is. */
export function authenticate(
  sent: ParsedCredentials,
  verify: VerifyKey,
  tried = 0,
): Authentication | AuthFailure | Promise<Authentication | AuthFailure> {
  const { keyHashes, rejectedKey, providerCredentials } = sent;
  const keyHash = keyHashes[tried];
  if (keyHash === undefined) return { rejectedKey };
  const verdict = verify(keyHash);
  const settle = (principal: Principal | undefined): Authentication | AuthFailure | Promise<Authentication | AuthFailure> =>
    principal === undefined ? authenticate(sent, verify, tried + 1) : { principal, providerCredentials };
  return verdict instanceof Promise ? verdict.then(settle) : settle(verdict);
}

/** Texts that may be our keys, the valid one among them. */
export function keysOnCall(headers: HeaderList, auth: string | undefined): readonly string[] {
  return auth === undefined ? keysOf(headers) : [keyOfAuth(auth)];
}

/** All credentials but our keys, valid or not. */
export function providerCredentialsOf(headers: HeaderList): readonly string[] {
  const credentials: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    const left = isAuthorization(name) ? withoutOurTokens(value) : holdsOurKey(value) ? undefined : value;
    if (left !== undefined) credentials.push(name, left);
  }
  return credentials;
}

function keyOfAuth(auth: string): string {
  const key = bearerKey(auth);
  if (key === undefined) throw new GatelogError('missing_key', 'Svc-Auth must be written "Bearer <your Gatelog key>".');
  return key;
}

function keysOf(credentials: HeaderList): string[] {
  const keys: string[] = [];
  for (let index = 0; index + 1 < credentials.length; index += 2) {
    const value = credentials[index + 1] ?? '';
    if (isAuthorization(credentials[index] ?? '')) keys.push(...value.split(',').map((part) => bearerKey(part) ?? ''));
    else keys.push(value.trim());
  }
  return keys.filter((key) => key !== '');
}

function isAuthorization(name: string): boolean {
  return name.toLowerCase() === 'authorization';
}

/** Removes tokens with a key of ours. Without any, every byte stays, because a signature may contain commas too. */
function withoutOurTokens(value: string): string | undefined {
  const parts = value.split(',');
  const others = parts.filter((part) => !holdsOurKey(part) && !holdsOurKey(basicCredentials(part)));
  if (others.length === parts.length) return value;
  return others.length === 0 ? undefined : others.join(',').trim();
}

/** `user:password`; empty for other schemes. */
function basicCredentials(text: string): string {
  const coded = /^\s*Basic\s+(\S+)\s*$/i.exec(text)?.[1];
  return coded === undefined ? '' : Buffer.from(coded, 'base64').toString('latin1');
}

/** Removes query parameters with a key of ours (some clients send `?key=…`), and empties such path segments. */
export function withoutOurKeys(path: string): string {
  if (!holdsOurKey(path)) return path;
  const queryAt = path.includes('?') ? path.indexOf('?') : path.length;
  const segments = path.slice(0, queryAt).split('/');
  const parameters = path.slice(queryAt + 1).split('&');
  const pathname = segments.map((segment) => (holdsOurKey(segment) ? '' : segment)).join('/');
  const query = parameters.filter((parameter) => parameter !== '' && !holdsOurKey(parameter)).join('&');
  return query === '' ? pathname : `${pathname}?${query}`;
}

/**
 * The provider's credential headers: the caller's, else the organisation's stored key, else the deployment's.
 * @throws GatelogError `no_provider_key` without any of them, and as the stored keys do.
 */
export function credentialsFor(route: Route, { principal, providerCredentials }: Authentication, keys: ProviderKeys): readonly string[] {
  const sent = callerCredentialsFor(route, providerCredentials);
  if (hasCallerCredential(route, sent)) return sent;
  const stored = storedCredentials(route, principal.organizationId, keys);
  if (stored !== undefined) return stored;
  throw new GatelogError(
    'no_provider_key',
    `No key for the provider ${route.provider}. Send your Gatelog key as "Svc-Auth: Bearer <Gatelog key>" and the provider's key as usual, or ${missingKeyHint(route)}.`,
  );
}

/**
 * The caller's credentials that may be sent to the route's provider. On OpenAI's API, headers in which only other providers take keys are
 * dropped; an AWS signature goes to no other known provider.
 */
export function callerCredentialsFor(route: Route, sent: HeaderList): HeaderList {
  return sent.length === 0 ? sent : filterHeaders(sent, (name, value) => !isOthers(route, name, value));
}

/** Headers in which only some providers take keys. */
const ownersOfHeaders: ReadonlyMap<string, readonly string[]> = new Map(
  wireProfile.keyHeaders.flatMap(({ name, owners }) => (owners === undefined ? [] : [[name, owners] as const])),
);

/** Whether a credential is meant for another provider than the route's. */
function isOthers({ provider, routedByModel }: Route, name: string, value: string): boolean {
  if (isAuthorization(name)) {
    return isAwsSignature(value) && providerDeclaration(provider).signedByAws !== true && provider !== customProviderName;
  }
  return routedByModel && ownersOfHeaders.get(name)?.includes(provider) === false;
}

export function isAwsSignature(authorization: string): boolean {
  return /^\s*AWS4-/i.test(authorization);
}

/** In a header, or in the query if the provider takes it there. */
export function hasCallerCredential({ destination, path }: Route, sent: HeaderList): boolean {
  return sent.length > 0 || (typeof destination !== 'string' && destination.takesQueryKey && /[?&]key=[^&]/.test(path));
}

/**
 * The credential headers of the organisation's stored key, else the deployment's. Built-in targets need none.
 * @param keyName only the stored key of this name is used then.
 * @throws GatelogError as the stored keys do.
 */
export function storedCredentials(
  { provider, destination }: Route,
  organizationId: OrganizationId,
  keys: ProviderKeys,
  keyName?: string,
): readonly string[] | undefined {
  const { keyHeader, deploymentCredentials } = typeof destination === 'string' ? keyless : destination;
  const stored = keyHeader === undefined ? undefined : keys.find(organizationId, provider, keyName);
  if (keyHeader !== undefined && stored !== undefined) return authHeaders(keyHeader, stored);
  return keyName === undefined ? deploymentCredentials : undefined;
}

const keyless = { keyHeader: undefined, deploymentCredentials: [] } as const;

/** How to provide such a key; follows "or". */
export function missingKeyHint({ provider, destination }: Route): string {
  const prefix = `GATELOG_PROVIDER_${provider.toUpperCase()}`;
  return typeof destination === 'string' || destination.keyHeader === undefined
    ? `set ${prefix}_URL for this deployment, so that a stored key or ${prefix}_KEY belongs to a known address`
    : `store one for your organisation with POST /v1/provider-keys of the API, or set ${prefix}_KEY for this deployment`;
}
