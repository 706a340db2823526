import type { JsonObject } from '../../model/text.ts';

/** Max fields read of one form; requests of known formats have about a dozen. */
const maxParts = 64;
/** Max head and text of one field; a longer one counts as a file. */
const maxHeadBytes = 4 * 1024;
const maxValueBytes = 256 * 1024;

export function isForm(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType);
}

/**
 * Text fields of a `multipart/form-data` body by name, without files; of equal names the last counts. A truncated body yields its complete
 * fields, an invalid one none.
 */
export function readForm(body: Buffer, contentType: string): JsonObject {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return {};
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const fields: [string, string][] = [];
  // The first delimiter may be at the very beginning, without a line end before it.
  let start = body.indexOf(delimiter.subarray(2));
  for (let part = 0; start !== -1 && part < maxParts; part += 1) {
    const from = start + (part === 0 ? delimiter.length - 2 : delimiter.length);
    const end = body.indexOf(delimiter, from);
    if (end === -1) break;
    const field = readField(body.subarray(from, end));
    if (field !== undefined) fields.push(field);
    start = end;
  }
  return Object.fromEntries(fields);
}

function boundaryOf(contentType: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s";]{1,200}))/i.exec(contentType) ?? [];
  return quoted ?? plain;
}

/** @returns undefined for a file or a field without a name. */
function readField(part: Buffer): [name: string, value: string] | undefined {
  const headEnd = part.subarray(0, maxHeadBytes).indexOf('\r\n\r\n');
  if (headEnd === -1 || part.length - headEnd > maxValueBytes) return undefined;
  const head = part.toString('utf8', 0, headEnd);
  const [, disposition] = /^content-disposition:(.*)$/im.exec(head) ?? [];
  if (disposition === undefined || /;\s*filename\*?=/i.test(disposition)) return undefined;
  const [, quoted, plain] = /;\s*name=(?:"([^"]*)"|([^\s";]+))/i.exec(disposition) ?? [];
  const name = quoted ?? plain;
  return name === undefined ? undefined : [name, part.toString('utf8', headEnd + 4)];
}
