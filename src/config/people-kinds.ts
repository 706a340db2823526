import { type PersonPermissions, personPermissions } from '../model/people.ts';
import type { Reading } from './reading.ts';

/** What people of a group are in an organisation, which is written by its name or identifier. `*`: everybody who is admitted. */
export interface GroupRole {
  readonly group: string;
  readonly organization: string;
  readonly permissions: PersonPermissions;
}

const maxEntries = 1000;
const maxWord = 255;

/** Visible ASCII characters without spaces, which may be shown. */
export function readWord(text: string): Reading<string> {
  if (!/^[\x21-\x7e]+$/.test(text)) return { problem: 'holds a space or a character outside visible ASCII' };
  return text.length > maxWord ? { problem: `has ${text.length} characters` } : { value: text };
}

export function readScopes(text: string): Reading<readonly string[]> {
  const scopes = text.split(/\s+/).filter((scope) => scope !== '');
  const wrong = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  if (wrong !== undefined) return { problem: `has the entry ${JSON.stringify(wrong)}, which is not a scope` };
  return scopes.includes('openid') ? { value: Object.freeze(scopes) } : { problem: 'does not name the scope openid' };
}

export function readAdmitted(text: string): Reading<readonly string[]> {
  const entries = listed(text);
  const wrong = entries.find(
    (entry) => entry.startsWith('@') && !/^@[\p{L}\p{N}][\p{L}\p{N}.-]*\.[\p{L}\p{N}-]*[\p{L}\p{N}]$/u.test(entry),
  );
  if (wrong !== undefined) return { problem: `has the entry ${JSON.stringify(wrong)}, which is not the domain of a mail address` };
  return tooMany(entries) ?? { value: Object.freeze(entries.map((entry) => (entry.startsWith('@') ? entry.toLowerCase() : entry))) };
}

export function readRoles(text: string): Reading<readonly GroupRole[]> {
  const roles: GroupRole[] = [];
  for (const entry of listed(text)) {
    // A name of a group may have `=` and that of an organisation `:`, and none of both the other.
    const [, group = '', organization = '', given = ''] = /^(.+)=(.+):([a-z]+)$/.exec(entry) ?? [];
    const permissions = personPermissions.find((one) => one === given);
    if (permissions === undefined) return { problem: `has the entry ${JSON.stringify(entry)}, which is not group=organisation:role` };
    roles.push({ group: group.trim(), organization: organization.trim(), permissions });
  }
  return tooMany(roles) ?? { value: Object.freeze(roles) };
}

function tooMany(entries: readonly unknown[]): { readonly problem: string } | undefined {
  return entries.length > maxEntries ? { problem: `has ${entries.length} entries, and at most ${maxEntries} are read` } : undefined;
}

function listed(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
