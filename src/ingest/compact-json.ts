const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Deeper than that it is left to others whether it can be written at all. */
const mostDepth = 500;

/**
 * Whether JSON is as it would be written anew: without white space between its values, and with nothing escaped that need not be. To write such a text again
 * takes longer than to read it, and loses digits of long numbers. @param json valid JSON. @returns false where it is not sure.
 */
export function isCompactJson(json: string): boolean {
  if (json.includes('\\u') || json.includes('\\/')) return false;
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const unit = json.charCodeAt(index);
    if (unit === quote) {
      index = endOfString(json, index + 1);
    } else if (unit <= space) {
      return false;
    } else if (unit === openBracket || unit === openBrace) {
      depth += 1;
      if (depth > mostDepth) return false;
    } else if (unit === closeBracket || unit === closeBrace) {
      depth -= 1;
    }
  }
  return true;
}

/** Where the quotation mark stands that ends the string whose characters begin at `start`. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start);
  while (end !== -1 && isEscaped(json, end, start)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, index: number, start: number): boolean {
  let first = index;
  while (first > start && json.charCodeAt(first - 1) === backslash) first -= 1;
  return (index - first) % 2 === 1;
}
