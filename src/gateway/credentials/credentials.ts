import { hashKey, holdsOurKey, looksLikeOurKey } from '../../auth/api-key.ts';
import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import { filterHeaders, type HeaderList } from '../../platform/http/header-list.ts';
import { authHeaders } from '../routing/provider-table.ts';
import { customProviderName, type Route } from '../routing/routes.ts';
import type { ProviderKeys } from './stored-keys.ts';

/** Knows keys by their hashes. `undefined`: no such key. */
export type VerifyKey = (keyHash: string) => Principal | undefined | Promise<Principal | undefined>;

/** There were credentials, yet none is a key of ours: the one to speak about in the answer. */
export interface AuthFailure {
  readonly rejectedKey: string;
}

/** Who calls, and what is left for the provider. */
export interface Authentication {
  readonly principal: Principal;
  /** Credential lines that pass to the provider, name and value in turn. No key of ours is among them. */
  readonly providerCredentials: readonly string[];
}

/** What a call's credential lines say, before anybody knows whether a key is good. */
export interface ParsedCredentials {
  /** The lines that were read, name and value in turn, and the value of `Svc-Auth`. */
  readonly lines: HeaderList;
  readonly auth: string | undefined;
  /** Hashes of the keys of ours, in the order in which they are tried. */
  readonly keyHashes: readonly string[];
  /** The key to speak about when none of them is good. */
  readonly rejectedKey: string;
  readonly providerCredentials: readonly string[];
}

/** A request with more keys of ours than this is not looked through: each may cost a look-up. */
const maxKeysTried = 4;

/** Of these much is read, by many patterns, before anybody knows who calls. A cloud's token has some KiB. */
const maxCredentialLines = 16;
const maxCredentialParts = 16;
const maxCredentialCharacters = 32 * 1024;

/**
 * Finds the keys of ours on a request: in `Svc-Auth` (then every other credential is the provider's), else among the usual credential lines,
 * also in the double form `Bearer <provider key>, Bearer <our key>`. A provider's key is never looked up.
 * @throws GatelogError `missing_key` when there is no credential at all, or `Svc-Auth` is malformed; `malformed_request` for more than is read.
 */
function readCredentials(lines: HeaderList, auth: string | undefined): ParsedCredentials {
  checkCredentials(lines, auth);
  const sent = keysOnCall(lines, auth);
  const [first] = sent;
  if (auth === undefined && !sent.some(looksLikeOurKey)) refuseBareKey(lines);
  if (first === undefined) {
    throw new GatelogError(
      'missing_key',
      'This gateway needs a key: send "Svc-Auth: Bearer <your Gatelog key>", or use it as the API key of your client.',
    );
  }
  const ours = sent.filter(looksLikeOurKey).slice(0, maxKeysTried);
  return {
    lines,
    auth,
    keyHashes: ours.map(hashKey),
    rejectedKey: ours[0] ?? first,
    providerCredentials: providerCredentialsOf(lines),
  };
}

/** A key of ours without its scheme is no credential, and "no key" would not say what to mend. @throws GatelogError `missing_key`. */
function refuseBareKey(lines: HeaderList): void {
  const isBare = lines.some((line, index) => index % 2 === 1 && isAuthorization(lines[index - 1] ?? '') && looksLikeOurKey(line.trim()));
  if (!isBare) return;
  throw new GatelogError(
    'missing_key',
    'The Authorization header holds a Gatelog key without its scheme; write "Authorization: Bearer <your Gatelog key>".',
  );
}

function checkCredentials(lines: HeaderList, auth: string | undefined): void {
  const isReadable =
    lines.length <= 2 * maxCredentialLines &&
    (auth?.length ?? 0) <= maxCredentialCharacters &&
    lines.every((line) => line.length <= maxCredentialCharacters && !hasMoreParts(line));
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
 * The credentials that each connection sent last. A client sends the same ones in every call, and to read and hash them costs more than to
 * see that they are the same. What a connection sent is compared only with what it sent itself, and forgotten with it.
 */
export class CredentialCache {
  private readonly latest = new WeakMap<object, ParsedCredentials>();

  /** What these lines say. @throws as {@link readCredentials} does. */
  read(connection: object, lines: HeaderList, auth: string | undefined): ParsedCredentials {
    const known = this.latest.get(connection);
    if (known !== undefined && known.auth === auth && areSame(known.lines, lines)) return known;
    const sent = readCredentials(lines, auth);
    this.latest.set(connection, sent);
    return sent;
  }
}

function areSame(first: HeaderList, second: HeaderList): boolean {
  return first.length === second.length && first.every((line, index) => line === second[index]);
}

/** Whose keys these are. Synchronous when the verifier is. */
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

/** Texts on a call that may be keys of ours, the accepted one among them. */
export function keysOnCall(lines: HeaderList, auth: string | undefined): readonly string[] {
  return auth === undefined ? keysOf(lines) : [keyOfAuth(auth)];
}

/** The caller's credentials for the provider: all that is no key of ours, accepted or not. */
export function providerCredentialsOf(lines: HeaderList): readonly string[] {
  const credentials: string[] = [];
  for (let index = 0; index + 1 < lines.length; index += 2) {
    const name = lines[index] ?? '';
    const value = lines[index + 1] ?? '';
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

/** Every text on the request that may be a key. */
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

function bearerKey(text: string): string | undefined {
  return /^\s*Bearer +(\S+)\s*$/i.exec(text)?.[1];
}

/** An `Authorization` value without the tokens that hold a key of ours; as it was, byte for byte, when there are none (a signature may hold commas too). */
function withoutOurTokens(value: string): string | undefined {
  const parts = value.split(',');
  const others = parts.filter((part) => !holdsOurKey(part) && !holdsOurKey(basicCredentials(part)));
  if (others.length === parts.length) return value;
  return others.length === 0 ? undefined : others.join(',').trim();
}

/** User and password of the scheme Basic, as text; empty for any other. */
function basicCredentials(text: string): string {
  const coded = /^\s*Basic\s+(\S+)\s*$/i.exec(text)?.[1];
  return coded === undefined ? '' : Buffer.from(coded, 'base64').toString('latin1');
}

/** A path and query without the parameters that hold a key of ours (some clients send theirs as `?key=…`), and such segments left empty. */
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
 * Credential lines for the provider: the caller's, else of the key that the organisation has stored, else the deployment's own. The stored keys
 * are asked only where the caller has none.
 * @throws GatelogError `no_provider_key` when there is none of them, and as the stored keys do.
 */
export function credentialsFor(route: Route, { principal, providerCredentials }: Authentication, keys: ProviderKeys): readonly string[] {
  const sent = callerCredentialsFor(route, providerCredentials);
  if (hasCallerCredential(route, sent)) return sent;
  const kept = storedCredentials(route, principal.organizationId, keys);
  if (kept !== undefined) return kept;
  throw new GatelogError(
    'no_provider_key',
    `No key for the provider ${route.provider}. Send your Gatelog key as "Svc-Auth: Bearer <Gatelog key>" and the provider's key as usual, or ${missingKeyHint(route)}.`,
  );
}

/**
 * Of what a caller sent as credentials the lines that may go where the route leads. On OpenAI's surface go none in which only others than its
 * provider take their keys, and what is signed for Amazon goes to no other provider that we know: whoever calls it so has not meant it.
 */
export function callerCredentialsFor(route: Route, sent: HeaderList): HeaderList {
  return sent.length === 0 ? sent : filterHeaders(sent, (name, value) => !isOthers(route, name, value));
}

/** Headers in which some providers alone take their keys. */
const ownersOfHeaders: ReadonlyMap<string, readonly string[]> = new Map([
  ['x-api-key', ['anthropic']],
  ['x-goog-api-key', ['gemini', 'vertex']],
  ['api-key', ['azure', 'openai']],
]);

/** Whether a credential line is meant for another provider than the route's. */
function isOthers({ provider, routedByModel }: Route, name: string, value: string): boolean {
  if (isAuthorization(name)) return isAwsSignature(value) && provider !== 'bedrock' && provider !== customProviderName;
  return routedByModel && ownersOfHeaders.get(name)?.includes(provider) === false;
}

/** Whether the value of an `Authorization` is a signature of Amazon's. */
export function isAwsSignature(authorization: string): boolean {
  return /^\s*AWS4-/i.test(authorization);
}

/** Whether the caller's own credential is there: among its lines, or in the query where the provider takes it there. */
export function hasCallerCredential({ destination, path }: Route, sent: HeaderList): boolean {
  return sent.length > 0 || (typeof destination !== 'string' && destination.takesQueryKey && /[?&]key=[^&]/.test(path));
}

/**
 * Credential lines of a key that is not the caller's: the organisation's stored one, else the deployment's own. What is answered in this process
 * needs none.
 * @param keyName of the stored key, which then is the only one that will do.
 * @returns undefined when there is none. @throws GatelogError as the stored keys do.
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

/** How there comes to be such a key, to follow "or". */
export function missingKeyHint({ provider, destination }: Route): string {
  const prefix = `GATELOG_PROVIDER_${provider.toUpperCase()}`;
  return typeof destination === 'string' || destination.keyHeader === undefined
    ? `set ${prefix}_URL for this deployment, so that a stored key or ${prefix}_KEY belongs to a known address`
    : `store one for your organisation with POST /v1/provider-keys of the API, or set ${prefix}_KEY for this deployment`;
}
