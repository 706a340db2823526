import { looksLikeOurKey } from '../auth/api-key.ts';
import { GatelogError } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { forEachHeader, type RawHeaders } from './headers.ts';

/** Headers in which official clients send a provider's key, and so may send ours. */
export const credentialHeaders: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']);

/** Knows keys. `undefined`: no such key. */
export type VerifyKey = (key: string) => Principal | undefined | Promise<Principal | undefined>;

/** There were credentials, yet none is a key of ours: the one to speak about in the answer. */
export interface Rejection {
  readonly rejectedKey: string;
}

/** Who calls, and what is left for the provider. */
export interface Admission {
  readonly principal: Principal;
  /** Credential lines that pass to the provider, name and value in turn. Ours is not among them. */
  readonly providerCredentials: readonly string[];
}

interface Candidate {
  readonly key: string;
  /** The header's value without this key; undefined when nothing of it is left. */
  readonly rest: string | undefined;
  readonly header: string;
}

/**
 * Finds our key on a request: in `Svc-Auth` (then every other credential is the provider's), else among the usual credential headers, also in
 * the double form `Bearer <provider key>, Bearer <our key>`.
 * Synchronous when the verifier is.
 * @throws GatelogError `missing_key` when there is no credential at all, or `Svc-Auth` is malformed.
 */
export function admit(raw: RawHeaders, auth: string | undefined, verify: VerifyKey): Admission | Rejection | Promise<Admission | Rejection> {
  const candidates = auth === undefined ? findCandidates(raw) : [authCandidate(auth)];
  if (candidates.length === 0) {
    throw new GatelogError('missing_key', 'This gateway needs a key: send "Svc-Auth: Bearer <your Gatelog key>", or use it as the API key of your client.');
  }
  return tryCandidates(raw, candidates, verify);
}

function tryCandidates(raw: RawHeaders, candidates: readonly Candidate[], verify: VerifyKey): Admission | Rejection | Promise<Admission | Rejection> {
  for (const [index, candidate] of candidates.entries()) {
    const principal = verify(candidate.key);
    if (principal instanceof Promise) {
      const later = candidates.slice(index + 1);
      return principal.then((found) => (found === undefined ? tryOthers(raw, candidate, later, verify) : admission(raw, found, candidate)));
    }
    if (principal !== undefined) return admission(raw, principal, candidate);
  }
  // Of several, a key that reads like ours is the one that the caller meant for us; it comes last in the double form.
  return { rejectedKey: (candidates.find(({ key }) => looksLikeOurKey(key)) ?? candidates.at(-1))?.key ?? '' };
}

function tryOthers(raw: RawHeaders, refused: Candidate, others: readonly Candidate[], verify: VerifyKey): Rejection | Admission | Promise<Admission | Rejection> {
  return others.length === 0 ? { rejectedKey: refused.key } : tryCandidates(raw, others, verify);
}

function admission(raw: RawHeaders, principal: Principal, used: Candidate): Admission {
  const providerCredentials: string[] = [];
  forEachHeader(raw, (name, lower, value) => {
    if (!credentialHeaders.has(lower)) return;
    const left = lower === used.header && (value === used.key || value.includes(used.key)) ? used.rest : value;
    if (left !== undefined) providerCredentials.push(name, left);
  });
  return { principal, providerCredentials };
}

function authCandidate(auth: string): Candidate {
  const key = /^Bearer +(\S+)$/i.exec(auth.trim())?.[1];
  if (key === undefined) throw new GatelogError('missing_key', 'Svc-Auth must be written "Bearer <your Gatelog key>".');
  return { key, rest: undefined, header: 'svc-auth' };
}

function findCandidates(raw: RawHeaders): Candidate[] {
  const candidates: Candidate[] = [];
  forEachHeader(raw, (_name, lower, value) => {
    if (lower === 'authorization') candidates.push(...bearerCandidates(value));
    else if (credentialHeaders.has(lower)) candidates.push({ key: value.trim(), rest: undefined, header: lower });
  });
  return candidates;
}

/** Each token of `Bearer a, Bearer b`, with what the header would be without it. */
function bearerCandidates(value: string): Candidate[] {
  const parts = value.split(',').map((part) => part.trim());
  return parts.flatMap((part, index) => {
    const key = /^Bearer +(\S+)$/i.exec(part)?.[1];
    if (key === undefined) return [];
    const others = parts.filter((_other, position) => position !== index);
    return [{ key, rest: others.length === 0 ? undefined : others.join(', '), header: 'authorization' }];
  });
}
