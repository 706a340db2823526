type WideCoding = 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

const charset = /;\s*charset\s*=\s*"?utf-?(16|32)(le|be)?\b/i;
const marks: readonly (readonly [mark: readonly number[], coding: WideCoding])[] = [
  // Before the shorter marks that these begin with.
  [[0xff, 0xfe, 0, 0], 'utf-32le'],
  [[0, 0, 0xfe, 0xff], 'utf-32be'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
const byteOrderMark = 0xfeff;
const replacement = 0xfffd;
const lastCodePoint = 0x10_ffff;
const lastOfOneUnit = 0xffff;

/**
 * Converts text in UTF-16 or UTF-32 to UTF-8, the only encoding in which texts are read and searched; other bytes stay. The content type,
 * a byte order mark or the NULs of the first character show the encoding.
 * @param isText the content type is textual. Otherwise, without a stated charset, only bytes that decode without NULs and replacement
 * characters are converted.
 */
export function asUtf8(bytes: Buffer, contentType: string, isText: boolean): Buffer {
  const stated = charset.exec(contentType);
  const detected = detectCoding(bytes);
  if (stated === null && detected === undefined) return bytes;
  const coding = detected ?? (`utf-${stated?.[1] ?? '16'}${(stated?.[2] ?? 'le').toLowerCase()}` as WideCoding);
  const text = coding.startsWith('utf-16') ? textOfUtf16(bytes, coding) : textOfUtf32(bytes, coding === 'utf-32le');
  const isSure = isText || stated !== null || !/[\u0000\ufffd]/.test(text);
  return isSure ? Buffer.from(text) : bytes;
}

/** Assumes an ASCII first character, as JSON has. */
function detectCoding(bytes: Buffer): WideCoding | undefined {
  const [first, second, third, fourth] = bytes;
  if (fourth === undefined || (first !== 0 && second !== 0 && first !== 0xff && first !== 0xfe)) return undefined;
  const marked = marks.find(([mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (marked !== undefined) return marked[1];
  if (first === 0) {
    if (second !== 0) return 'utf-16be';
    return third === 0 && fourth !== 0 ? 'utf-32be' : undefined;
  }
  if (second !== 0) return undefined;
  return third === 0 && fourth === 0 ? 'utf-32le' : 'utf-16le';
}

/** Drops a character that is cut in the middle. */
function textOfUtf16(bytes: Buffer, coding: string): string {
  return new TextDecoder(coding).decode(bytes.subarray(0, bytes.length - (bytes.length % 2)));
}

function textOfUtf32(bytes: Buffer, isLittle: boolean): string {
  const units = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const read = isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    if (at === 0 && read === byteOrderMark) continue;
    const point = read > lastCodePoint ? replacement : read;
    if (point <= lastOfOneUnit) length = units.writeUInt16LE(point, length);
    else {
      const beyond = point - lastOfOneUnit - 1;
      length = units.writeUInt16LE(0xd800 + (beyond >> 10), length);
      length = units.writeUInt16LE(0xdc00 + (beyond & 0x3ff), length);
    }
  }
  return units.toString('utf16le', 0, length).toWellFormed();
}
