import { describe, expect, it, test } from 'vitest';
import type { GroupRole } from '../../config/people-kinds.ts';
import { type PersonIdentity, identityOf } from './identity.ts';
import { isAdmitted, rolesOf } from './roles.ts';

const issuer = 'https://accounts.example.com';
const of = (claims: Readonly<Record<string, unknown>>, groupsClaim = 'groups'): PersonIdentity =>
  identityOf(issuer, 'ada', claims, groupsClaim);

describe('what an issuer says of a person', () => {
  it.each<readonly [string, Readonly<Record<string, unknown>>, string, readonly string[]]>([
    ['a list', { groups: ['a', 'b'] }, 'groups', ['a', 'b']],
    ['one text', { groups: 'a' }, 'groups', ['a']],
    ['what is no text is none', { groups: ['a', 7, null, { b: 1 }] }, 'groups', ['a']],
    ['nothing', {}, 'groups', []],
    ['inside of another claim', { realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
    ['a claim whose name has dots', { 'https://example.com/groups': ['a'] }, 'https://example.com/groups', ['a']],
    ['no member of every object', {}, 'constructor.name', []],
  ])('groups: %s', (_what, claims, name, groups) => {
    expect(of(claims, name).groups).toEqual(groups);
  });

  test('a mail address counts as verified only where the issuer says so', () => {
    expect(of({ email: 'Ada@Example.com', email_verified: true }).verifiedMail).toBe('ada@example.com');
    for (const verified of [false, undefined, 1, 'yes', null]) {
      expect(of({ email: 'a@b.c', email_verified: verified }).verifiedMail).toBeNull();
    }
  });

  test('names are texts for people: without control characters, bounded', () => {
    expect(of({ name: '  Ada\u0000\u001b[31m\nL  ' }).account.name).toBe('Ada  [31m L');
    expect(of({ name: 'x'.repeat(5000) }).account.name).toHaveLength(200);
    expect(of({ preferred_username: 'ada' }).account.name).toBe('ada');
    expect(of({ name: { toString: () => 'x' } }).account.name).toBeNull();
  });

  test('groups that it has left out, and too many of them, are refused: a part would give or take the wrong permissions', () => {
    expect(() => of({ _claim_names: { groups: 'src1' } })).toThrow(/left the groups of this account out/);
    expect(() => of({ groups: Array.from({ length: 2001 }, (_, number) => `g${number}`) })).toThrow(/names too many/);
  });
});

const person = (groups: readonly string[], verifiedMail: string | null = null): PersonIdentity => ({
  account: { issuer, subject: 'ada', name: null, mail: null },
  verifiedMail,
  groups,
});

test.each<readonly [string, PersonIdentity, boolean]>([
  ['by a group', person(['engineering']), true],
  ['by the domain of a verified mail address', person([], 'ada@example.com'), true],
  ['not by a domain below it', person([], 'ada@evil.example.com'), false],
  ['not by a domain that ends in it', person([], 'ada@evilexample.com'), false],
  ['not by a part before the last @', person([], '"x@example.com"@evil.example'), false],
  ['not by a group of the name of a domain', person(['example.com']), false],
  ['not by a group in another case', person(['Engineering']), false],
])('admitted %s', (_what, identity, isIn) => {
  expect(isAdmitted(identity, ['engineering', '@example.com'])).toBe(isIn);
});

test('of several groups the widest role holds, in each organisation', () => {
  const rows: readonly GroupRole[] = [
    { group: '*', organization: 'default', permissions: 'r' },
    { group: 'engineering', organization: 'default', permissions: 'rw' },
    { group: 'leads', organization: 'default', permissions: 'admin' },
    { group: 'leads', organization: 'other', permissions: 'r' },
  ];
  expect(Object.fromEntries(rolesOf(person([]), rows))).toEqual({ default: 'r' });
  expect(Object.fromEntries(rolesOf(person(['engineering']), rows))).toEqual({ default: 'rw' });
  expect(Object.fromEntries(rolesOf(person(['leads', 'engineering']), rows))).toEqual({ default: 'admin', other: 'r' });
});
