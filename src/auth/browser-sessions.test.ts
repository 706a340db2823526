import { expect, test } from 'vitest';
import type { MetadataDatabase } from '../metadata/database.ts';
import { makeBrowserSessions } from './browser-sessions.ts';

const secret = Buffer.alloc(32, 7);
/** Of which nothing is asked for the names of cookies. */
const database = { queries: { selectFrom: () => query }, prepare: () => ({}) } as unknown as MetadataDatabase;
const query = { select: () => query, where: () => query };

test.each([
  { isSecure: false, basePath: '', session: '', signIn: '' },
  { isSecure: false, basePath: '/tools', session: '', signIn: '' },
  { isSecure: true, basePath: '', session: '__Host-', signIn: '__Secure-' },
  { isSecure: true, basePath: '/tools', session: '__Secure-', signIn: '__Secure-' },
])('names say from where browsers take the cookies, secure: $isSecure, path: "$basePath"', ({ isSecure, basePath, session, signIn }) => {
  const { cookieName, signInCookieName } = makeBrowserSessions({ database, secret, isSecure, basePath, now: Date.now });
  const name = /gatelog_session_[0-9a-f]{8}$/.exec(cookieName)?.[0] ?? '';
  expect([cookieName, signInCookieName]).toEqual([session + name, `${signIn}${name}_sign_in`]);
});
