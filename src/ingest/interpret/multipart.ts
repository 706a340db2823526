import type { JsonObject } from '../../model/text.ts';

/** Fields that are read of one form; a request of a known format has a dozen. */
const maxParts = 64;
/** Head of one field, and its text. What is longer is a file, whatever it says. */
const maxHeadBytes = 4 * 1024;
const maxValueBytes = 256 * 1024;

/** True for the content type of a form that may hold files. */
export function isForm(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType);
}

/**
 * The text fields of a `multipart/form-data` body by their names; files are left out, of a name given twice the last counts. A body that was
 * cut off gives the fields that came whole, one that is no form gives none.
 */
export function readForm(body: Buffer, contentType: string): JsonObject {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return {};
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const fields: [string, string][] = [];
  // The first delimiter may stand at the very beginning, where no line ends before it.
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

/** @returns undefined for a file, and for what has no name. */
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
