/** The at sign, also as addresses and forms write it. */
const atSign = /@|%40/gi;
/** Of what RFC 5322 allows, not what parts the fields of addresses and forms. */
const localCharacter = /[\p{L}\p{N}.!$%'*+^_`{|}~-]/u;
/** RFC 5321 allows 64; what stands before is no part of an address. */
const maxLocal = 64;
const domain = /[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})){1,10}/uy;

/**
 * Replaces e-mail addresses.
 * TRICKY: looked for from the at sign outwards. A pattern that begins with the part before it takes the square of the length of a run of
 * letters, and a picture in base64 is one of millions.
 */
export function redactEmails(text: string, replacement: string): string {
  let result = '';
  let done = 0;
  for (const { index, 0: sign } of text.matchAll(atSign)) {
    if (index < done) continue;
    const start = startOfLocal(text, done, index);
    domain.lastIndex = index + sign.length;
    if (start === index || !domain.test(text)) continue;
    result += text.slice(done, start) + replacement;
    done = domain.lastIndex;
  }
  return done === 0 ? text : result + text.slice(done);
}

function startOfLocal(text: string, from: number, end: number): number {
  let start = end;
  for (const least = Math.max(from, end - maxLocal); start > least;) {
    // A character beyond the first plane has two units.
    const step = start - 2 >= least && (text.codePointAt(start - 2) ?? 0) > 0xffff ? 2 : 1;
    if (!localCharacter.test(text.slice(start - step, start))) break;
    start -= step;
  }
  return start;
}
