import type { HashCredential } from '../../auth/sealing.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { HeaderList } from '../../platform/http/header-list.ts';
import { InternTable } from '../../platform/http/intern-table.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { secretsOfQuery } from '../http/headers.ts';
import type { ProviderTarget } from '../routing/base-url.ts';
import { isAwsSignature } from './credentials.ts';

/** What a call is sent with. */
export interface SentTo {
  /** Undefined where it is sent nowhere. */
  readonly target: ProviderTarget | undefined;
  readonly credentials: readonly string[];
  /** The caller's headers that go there beside the credentials. */
  readonly passed: HeaderList;
}

/**
 * Tells by which credential a call was made that a later one completes, and that later one, so that only the same credential completes it
 * (docs/internals/decisions/0026-who-completes-a-call.md). The record has a keyed hash, never the credential.
 */
export class CredentialHashes {
  private readonly hash: HashCredential;
  /** The last one of each connection, forgotten with it: a client sends the same credential in every call. */
  private readonly latest = new WeakMap<object, { readonly sent: readonly string[]; readonly hash: string }>();

  constructor(hash: HashCredential) {
    this.hash = hash;
  }

  /** @param connection of the caller. @returns undefined for a call that completes none and that none completes: nearly every one. */
  of(connection: object, organizationId: OrganizationId, to: SentTo | undefined): string | undefined {
    if (to?.target === undefined || !mayBeInBackground.test(to.target.path)) return undefined;
    const sent = [organizationId, queryOf(to.target.path), ...secretValues(to)];
    const known = this.latest.get(connection);
    if (known !== undefined && areSame(known.sent, sent)) return known.hash;
    const [, query = '', ...values] = sent;
    const hash = this.hash(JSON.stringify([organizationId, ...secretsOf(query, values)]));
    this.latest.set(connection, { sent, hash });
    return hash;
  }
}

const mayBeInBackground = new RegExp(String.raw`(?:${wireProfile.backgroundPaths.join('|')})(?:[/?]|$)`);

function queryOf(path: string): string {
  const queryAt = path.indexOf('?');
  return queryAt === -1 ? '' : path.slice(queryAt);
}

/** Values of the headers with secrets, as they are sent. */
function secretValues({ credentials, passed }: SentTo): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < credentials.length; index += 2) {
    if (!credentialNames.of(credentials[index] ?? '').isOfSignature) values.push(credentials[index + 1] ?? '');
  }
  for (let index = 0; index + 1 < passed.length; index += 2) {
    if (passedNames.at(index >> 1, passed[index] ?? '').isSecret) values.push(passed[index + 1] ?? '');
  }
  return values;
}

/**
 * The secrets by themselves, in one order and each once: clients send a key now in one header, now in another, now in the query. Of an
 * AWS signature, which is made for each call, the identifier of the key.
 */
function secretsOf(query: string, values: readonly string[]): readonly string[] {
  return [...new Set([...secretsOfQuery(query), ...values.map(secretIn)])].toSorted();
}

function secretIn(value: string): string {
  const keyId = isAwsSignature(value) ? /Credential=([^/,\s]+)/i.exec(value)?.[1] : undefined;
  return keyId ?? value.replace(/^\s*Bearer\s+/i, '').trim();
}

function areSame(first: readonly string[], second: readonly string[]): boolean {
  return first.length === second.length && first.every((text, index) => text === second[index]);
}

/** Headers that come with an AWS signature, and differ from call to call. */
const ofSignature = /^x-amz-/i;
/** Headers in which providers that we do not know take keys. Not cookies: a provider sets those in its reply to a first call. */
const likeSecret = /(?:^|[-_])(?:(?:api|access|subscription|functions?|auth)-?key|token|secret|password|authorization|auth)$/i;

const credentialNames = new InternTable((name) => ({ isOfSignature: ofSignature.test(name) }));
const passedNames = new InternTable((name) => ({ isSecret: likeSecret.test(name) && !ofSignature.test(name) }));
