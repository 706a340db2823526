import { fail, type Finding, ok, warn } from './finding.ts';
import { issuerOf } from './issuers.ts';

const check = 'key';
const make = 'On the machine of the service, "gatelog keys create --org NAME --permissions rw" makes one.';

/** Characters of our keys that lists show. */
const shownCharacters = 14;
const ours = /^sk-(?:svc|helicone)-/;

/** A key as it may be shown. */
export function masked(key: string): string {
  const shown = ours.test(key) ? Math.min(shownCharacters, Math.floor(key.length / 2)) : Math.min(4, Math.floor(key.length / 4));
  return `${key.slice(0, shown)}…`;
}

/** Whether a text can be a key of ours. @returns undefined when it can. */
export function formOfKey(key: string | undefined): Finding | undefined {
  if (key === undefined || key === '') return fail(check, 'GATELOG_API_KEY is not set.', `Set it to a key of your organisation. ${make}`);
  if (/^["'].*["']$/s.test(key)) return fail(check, 'GATELOG_API_KEY holds quotation marks.', 'Leave them out.');
  if (/^bearer\s/i.test(key)) return fail(check, 'GATELOG_API_KEY begins with "Bearer".', 'Leave the word out: the key alone.');
  if (!/^[\u0021-\u007e]+$/.test(key)) {
    return fail(check, 'GATELOG_API_KEY holds spaces, line breaks or other characters that keys do not have.', 'Copy the key again.');
  }
  const issuer = ours.test(key) ? undefined : issuerOf(key);
  if (issuer === undefined) return undefined;
  return fail(
    check,
    `${masked(key)} is a key of ${issuer}, not of Gatelog; it was sent to nobody.`,
    `Set GATELOG_API_KEY to a key of Gatelog. ${make}`,
  );
}

/** What a key may do. */
const meanings: Readonly<Record<string, string>> = {
  admin: 'reads, sends, changes records and settings',
  rw: 'reads, sends and changes records',
  r: 'reads',
};

/** A key that reads. @param permissions undefined: the service does not tell. */
export function keyThatReads(key: string, permissions: string | undefined): Finding {
  const meaning = permissions === undefined ? 'it reads' : `${permissions}: it ${meanings[permissions] ?? 'reads'}`;
  return ok(check, `${masked(key)} is valid; ${meaning}`);
}

/** A key that the service refuses. @param says the service's sentence. */
export function refusedKey(
  key: string,
  { code, says, permissions }: { readonly code: string; readonly says: string; readonly permissions: string | undefined },
): Finding {
  if (code === 'permission_denied') {
    const remedy = 'Use a key with the permission r or rw: "gatelog keys create --org NAME --permissions r" makes one.';
    const what = permissions === 'w' ? 'it may send calls and logs, and read nothing' : 'it may not read';
    return warn(check, `${masked(key)} is valid; ${what}.`, remedy);
  }
  if (code === 'wrong_region') return fail(check, `${masked(key)}: ${says}`, "Use the address of the key's region, or a key of this one.");
  if (code === 'too_many_failures') return fail(check, says, 'Wait as long as the sentence says, then run this again with the right key.');
  return fail(
    check,
    `${masked(key)} is refused: ${says}`,
    '"gatelog keys list" on the machine of the service shows the keys that there are.',
  );
}
