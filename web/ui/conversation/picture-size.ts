export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** The size stands near the beginning, in JPEG behind what a camera noted. */
const readCharacters = 4 * Math.ceil((64 * 1024) / 3);

/** The size of a picture in a data address, as its file says; undefined where the file says none at its beginning. */
export function pictureSize(source: string): PictureSize | undefined {
  const data = source.slice(source.indexOf(',') + 1, source.indexOf(',') + 1 + readCharacters).replaceAll(/\s/g, '');
  const bytes = bytesOf(data.slice(0, data.length - (data.length % 4)));
  if (bytes.length < 30) return undefined;
  const view = new DataView(bytes.buffer);
  const text = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  if (text(1, 4) === 'PNG') return { width: view.getUint32(16), height: view.getUint32(20) };
  if (text(0, 4) === 'GIF8') return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return webpSize(view, text(12, 16));
  return view.getUint16(0) === 0xff_d8 ? jpegSize(view) : undefined;
}

function bytesOf(data: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function webpSize(view: DataView, chunk: string): PictureSize | undefined {
  const low24 = (at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
  if (chunk === 'VP8X') return { width: low24(24) + 1, height: low24(27) + 1 };
  if (chunk === 'VP8 ') return { width: view.getUint16(26, true) % 16_384, height: view.getUint16(28, true) % 16_384 };
  if (chunk !== 'VP8L') return undefined;
  // Two numbers of 14 bits.
  const bits = view.getUint32(21, true);
  return { width: (bits % 16_384) + 1, height: (Math.floor(bits / 16_384) % 16_384) + 1 };
}

/** The size stands in the segment that starts the frame: C0 to CF, without the tables C4, C8 and CC. */
function jpegSize(view: DataView): PictureSize | undefined {
  for (let at = 2; at + 9 < view.byteLength;) {
    const marker = view.getUint16(at);
    if (marker < 0xff_00) return undefined;
    const isFrame = marker >= 0xff_c0 && marker <= 0xff_cf && ![0xff_c4, 0xff_c8, 0xff_cc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}
