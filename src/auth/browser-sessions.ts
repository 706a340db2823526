import { hash, hkdfSync, randomBytes } from 'node:crypto';
import type { MetadataDatabase } from '../metadata/database.ts';
import { addBrowserSession, endBrowserSession, makeBrowserSessionLookUp } from '../metadata/organization/browser-sessions.ts';
import { sessionCookiePrefix } from './session-cookie.ts';

/** A session as the holder of its token sees it. */
export interface OpenSession {
  /** SHA-256 of the key for which it stands. */
  readonly keyHash: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** Sessions of browsers. Each stands for a key and ends with it, after twelve hours, or when the browser signs out. */
export interface BrowserSessions {
  /** Of the cookie. Cookies ignore ports: a name of its own keeps two deployments on one host from signing each other out. */
  readonly cookieName: string;
  /** Of the stage of a sign-in with an account, whose cookie holds for the callback alone. */
  readonly signInCookieName: string;
  /** Durable on return. @param keyHash of a valid key. */
  readonly begin: (keyHash: string) => Promise<OpenSession & { readonly token: string }>;
  /** @returns undefined for a token that is unknown or has expired. */
  readonly find: (token: string) => OpenSession | undefined;
  readonly end: (token: string) => Promise<void>;
}

export const sessionSeconds = 12 * 60 * 60;
/** The oldest of a key ends when one more begins. */
const maxSessionsOfKey = 100;
const tokenBytes = 32;

export interface BrowserSessionOptions {
  readonly database: MetadataDatabase;
  /** The deployment's. */
  readonly secret: Uint8Array;
  /** Cookies go over https only. */
  readonly isSecure: boolean;
  /** Below which pages are; empty: none. */
  readonly basePath: string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A token is random and is stored as its hash only. */
export function makeBrowserSessions({ database, secret, isSecure, basePath, now }: BrowserSessionOptions): BrowserSessions {
  const lookUp = makeBrowserSessionLookUp(database);
  const deployment = Buffer.from(hkdfSync('sha256', secret, '', 'gatelog: name of the session cookie', 4)).toString('hex');
  const name = `${sessionCookiePrefix}${deployment}`;
  return {
    // Browsers take `__Host-` from this very host alone, so that no neighbour of the domain puts in one of its own; it needs the path `/`.
    // `__Secure-` they take over https alone.
    cookieName: isSecure ? `${basePath === '' ? '__Host-' : '__Secure-'}${name}` : name,
    signInCookieName: `${isSecure ? '__Secure-' : ''}${name}_sign_in`,
    begin: async (keyHash) => {
      const token = randomBytes(tokenBytes).toString('base64url');
      const createdAt = now();
      const expiresAt = createdAt + sessionSeconds * 1000;
      await addBrowserSession(database, { tokenHash: hashOf(token), keyHash, createdAt, expiresAt }, maxSessionsOfKey);
      return { token, keyHash, expiresAt };
    },
    find: (token) => {
      const found = lookUp(hashOf(token));
      return found === undefined || found.expiresAt <= now() ? undefined : { keyHash: found.keyHash, expiresAt: found.expiresAt };
    },
    end: (token) => endBrowserSession(database, hashOf(token)),
  };
}

function hashOf(token: string): string {
  return hash('sha256', token, 'hex');
}
