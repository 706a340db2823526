import { GatelogError } from '../../model/errors.ts';
import { type Account, peopleLimits } from '../../model/people.ts';

/** What an issuer says of a person at one moment. */
export interface PersonIdentity {
  readonly account: Account;
  /** In lower case; null: the issuer has none, or has not verified it. */
  readonly verifiedMail: string | null;
  readonly groups: readonly string[];
}

/** A claim's value, of a token or of the issuer's list of what it knows. */
export type Claims = Readonly<Record<string, unknown>>;

const maxGroups = 2000;

/** Whether claims say what an {@link PersonIdentity} needs, or more must be asked for. */
export function saysAll(claims: Claims, groupsClaim: string): boolean {
  return claimAt(claims, groupsClaim) !== undefined && claims['email'] !== undefined && claims['name'] !== undefined;
}

/** @param groupsClaim the name of a claim, or with dots of one inside of another. @throws GatelogError 403. */
export function identityOf(issuer: string, subject: string, claims: Claims, groupsClaim: string): PersonIdentity {
  if (subject.length > peopleLimits.subjectCharacters) throw refused('names this account by a text that is too long');
  const mail = textOf(claims['email'], peopleLimits.mailCharacters);
  const name = textOf(claims['name'], peopleLimits.nameCharacters) ?? textOf(claims['preferred_username'], peopleLimits.nameCharacters);
  const isVerified = claims['email_verified'] === true || claims['email_verified'] === 'true';
  return {
    account: { issuer, subject, name, mail },
    verifiedMail: isVerified && mail !== null ? mail.toLowerCase() : null,
    groups: groupsOf(claims, groupsClaim),
  };
}

/** @throws GatelogError 403: a part of the groups would give or take what the whole would not. */
function groupsOf(claims: Claims, name: string): readonly string[] {
  const left = claims['_claim_names'];
  const isLeftOut = typeof left === 'object' && left !== null && name in left;
  const given = claimAt(claims, name);
  const groups = (Array.isArray(given) ? given : [given]).filter((group): group is string => typeof group === 'string');
  if (isLeftOut || groups.length > maxGroups) {
    throw refused(
      'has left the groups of this account out, or names too many; let it send those alone that GATELOG_OIDC_ROLES and _ADMIT name',
    );
  }
  return groups;
}

function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Claims)[part];
  }
  return found;
}

/** Without control characters, cut. */
function textOf(value: unknown, maxCharacters: number): string | null {
  if (typeof value !== 'string') return null;
  const text = Array.from(
    value
      .toWellFormed()
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim(),
  )
    .slice(0, maxCharacters)
    .join('');
  return text === '' ? null : text;
}

function refused(what: string): GatelogError {
  return new GatelogError('permission_denied', `The issuer ${what}.`);
}
