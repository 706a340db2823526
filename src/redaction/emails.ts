const atSign = /@|%40/gi;
/** The characters of RFC 5322 without those that separate fields of URLs and forms. */
const localCharacter = /[\p{L}\p{N}.!$%'*+^_`{|}~-]/u;
const isAsciiLocal = Array.from({ length: 128 }, (_, code) => localCharacter.test(String.fromCodePoint(code)));
/** RFC 5321 limits the local part to 64 characters; earlier ones are not part of the address. */
const maxLocalLength = 64;
const domain = /[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})){1,10}/uy;

/**
 * Replaces e-mail addresses. TRICKY: searches outwards from the at sign. A pattern that starts with the local part takes quadratic time on
 * a run of letters, and a base64 image is a run of millions.
 */
export function redactEmails(text: string, replacement: string): string {
  let result = '';
  let done = 0;
  for (const { index, 0: sign } of text.matchAll(atSign)) {
    if (index < done) continue;
    const start = startOfLocalPart(text, done, index);
    domain.lastIndex = index + sign.length;
    if (start === index || !domain.test(text)) continue;
    result += text.slice(done, start) + replacement;
    done = domain.lastIndex;
  }
  return done === 0 ? text : result + text.slice(done);
}

function startOfLocalPart(text: string, from: number, end: number): number {
  let start = end;
  for (const min = Math.max(from, end - maxLocalLength); start > min;) {
    // Looked up, since a text of nothing but `%40` asks 64 times for each.
    const isLocal = isAsciiLocal[text.charCodeAt(start - 1)];
    if (isLocal === false) break;
    if (isLocal === true) {
      start -= 1;
      continue;
    }
    // A character outside the basic plane has two code units.
    const step = start - 2 >= min && (text.codePointAt(start - 2) ?? 0) > 0xffff ? 2 : 1;
    if (!localCharacter.test(text.slice(start - step, start))) break;
    start -= step;
  }
  return start;
}
