import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { encodeAmazonChunks, encodeAmazonEvents } from '../../src/providers/amazon/testing/encode-events.ts';
import type { Dice } from './dice.ts';

/** A hostile body with its headers. */
export interface HostileBody {
  /** Description for fault reports. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const branches = (levels: number): string =>
  `${'{"left":{"response":{"status":{"equals":1}}},"operator":"and","right":'.repeat(levels)}"all"${'}'.repeat(levels)}`;
const shapes = [nested, objects, branches] as const;
const levels = [2, 60, 200, 495, 499, 500, 501, 700, 1000, 2000, 4000, 6000, 7000, 8000, 20_000, 100_000] as const;

const numbers = [
  '0',
  '-0',
  '1e400',
  '-1e400',
  '5e-324',
  '9007199254740993',
  '-9223372036854775809',
  '1E+2',
  '0.1e-7',
  '1.0',
  '1'.repeat(400),
];
const texts = [
  '""',
  '"a"',
  String.raw`"\ud800"`,
  String.raw`"\udc00\ud83d"`,
  String.raw`"\u0000"`,
  String.raw`"\"\\\/\b\f\n\r\t"`,
  '"😀 ü "',
  String.raw`"[[[{{{\"[[["`,
  '"ignore all previous instructions"',
];
const names = [
  'a',
  'model',
  'user',
  'id',
  'usage',
  'messages',
  'choices',
  'content',
  'index',
  '__proto__',
  'constructor',
  'toString',
  '0',
  '',
  String.raw`\ud800`,
  'é',
];

/** A JSON text of any form. */
function value(dice: Dice, depth: number): string {
  const kind = dice.below(depth <= 0 ? 3 : 6);
  if (kind === 0) return dice.of(numbers);
  if (kind === 1) return dice.of(texts);
  if (kind === 2) return dice.of(['null', 'true', 'false', '{}', '[]']);
  const parts = Array.from({ length: dice.below(5) }, () => value(dice, depth - 1));
  if (kind === 3) return `[${parts.join(dice.of([',', ', ', ',\n']))}]`;
  return `{${parts.map((part) => `"${dice.of(names)}":${part}`).join(',')}}`;
}

function wide(dice: Dice): string {
  const count = dice.of([1000, 20_000, 20_000, 100_000, dice.below(50) === 0 ? 1_500_000 : 1000]);
  const one = dice.of(['{}', '[]', '0', '1.5', '""', '{"a":0}', '[[]]', 'null', '"😀"']);
  if (dice.below(3) > 0) return `[${`${one},`.repeat(count)}${one}]`;
  return `{${Array.from({ length: Math.min(count, 100_000) }, (_, index) => `"k${index}":${one}`).join(',')}}`;
}

function deep(dice: Dice): string {
  return dice.of(shapes)(dice.of(levels));
}

/** JSON texts nested in JSON strings. */
function quotedWithin(dice: Dice): string {
  return Array.from({ length: 1 + dice.below(8) }).reduce<string>(
    (inner) =>
      `${'['.repeat(1 + dice.below(490))}${JSON.stringify(inner)}`.replace(
        /^(\[+)(.*)$/s,
        (_, open: string, rest: string) => open + rest + ']'.repeat(open.length),
      ),
    dice.of([nested(300), '{"email":"ann@example.com"}', 'x']),
  );
}

/** A plausible exchange with one unexpected member. */
function jsonText(dice: Dice): string {
  const odd = dice.of([deep, wide, quotedWithin, (of: Dice) => value(of, 5), (of: Dice) => value(of, 3), (of: Dice) => value(of, 8)])(dice);
  const place = dice.below(8);
  if (place === 0) return odd;
  const part = (at: number, usual: string): string => (at === place ? odd : usual);
  const usage = `{"prompt_tokens":${part(1, '3')},"completion_tokens":2,"total_tokens":5,"input_tokens":3,"output_tokens":2}`;
  const message = `{"role":"user","content":${part(2, '"a"')},"tool_calls":${part(3, '[]')}}`;
  return `{"id":"r1","model":${part(4, '"gpt-4o-mini"')},"messages":${part(5, `[${message}]`)},"choices":[{"index":0,"message":${message},"delta":${message}}],"user":${part(6, '"ann"')},"usage":${usage},"x":${part(7, '1')}}`;
}

type Written = readonly [contentType: string, bytes: Buffer];

const events = (dice: Dice): { event: string; data: string }[] =>
  Array.from({ length: 1 + dice.below(6) }, () => ({
    event: dice.of(['message', 'chunk', 'error', 'content_block_delta', 'messageStart']),
    data: jsonText(dice),
  }));

const writers: readonly ((dice: Dice) => Written)[] = [
  (dice) => ['application/json', Buffer.from(jsonText(dice))],
  (dice) => ['application/json', Buffer.from(jsonText(dice))],
  (dice) => ['application/json; charset=utf-16', Buffer.from(`\ufeff${jsonText(dice)}`, 'utf16le')],
  (dice) => ['application/json; charset=utf-16', Buffer.from(jsonText(dice), 'utf16le').swap16()],
  (dice) => [
    'text/event-stream',
    Buffer.from(
      events(dice)
        .map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`)
        .join(''),
    ),
  ],
  (dice) => [
    'text/event-stream; charset=utf-8',
    Buffer.from(dice.of(['\r', '\n', 'data:\n\n', 'data: "\n', ':\n', 'data: {}\n\n']).repeat(dice.of([1, 1000, 100_000]))),
  ],
  (dice) => [
    'application/x-ndjson',
    Buffer.from(
      events(dice)
        .map(({ data }) => data)
        .join('\n'),
    ),
  ],
  (dice) => ['application/vnd.amazon.eventstream', encodeAmazonEvents(events(dice).filter(({ event }) => event !== 'error'))],
  (dice) => ['application/vnd.amazon.eventstream', encodeAmazonChunks(events(dice))],
  (dice) => [
    'multipart/form-data; boundary=b',
    Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="${dice.of(names)}"\r\n\r\n${jsonText(dice)}\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n--b--\r\n`,
    ),
  ],
  (dice) => ['application/x-www-form-urlencoded', Buffer.from(`model=a&x=${encodeURIComponent(value(dice, 3))}`)],
  (dice) => [dice.of(['text/plain', 'text/html', 'application/xml', '']), Buffer.from(jsonText(dice))],
  (dice) => [dice.of(['image/png', 'application/octet-stream', '', 'application/json', 'text/plain']), dice.bytes(dice.below(400))],
];

type Encode = (bytes: Buffer) => Buffer;
const fastest = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const codings: readonly (readonly [string, Encode])[] = [
  ['gzip', (bytes) => gzipSync(bytes)],
  ['x-gzip', (bytes) => gzipSync(bytes)],
  ['br', (bytes) => brotliCompressSync(bytes, fastest)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['Deflate', (bytes) => deflateRawSync(bytes)],
  ['identity', (bytes) => bytes],
];

/** A body of any kind, in any content codings, complete or cut. */
export function hostileBody(dice: Dice): HostileBody {
  const [contentType, written] = dice.of(writers)(dice);
  const layers = Array.from({ length: dice.of([0, 0, 0, 0, 1, 1, 2, 5, 6, 9]) }, () => dice.of(codings));
  const encoded = layers.reduce((bytes, [, encode]) => encode(bytes), written);
  const codingNames = dice.below(20) === 0 ? Array.from({ length: 200 }, () => 'gzip') : layers.map(([name]) => name);
  const coding = dice.below(30) === 0 ? dice.of(['zstd', 'gzip', 'constructor', ',,gzip,']) : codingNames.join(', ');
  const bytes = dice.below(15) === 0 ? encoded.subarray(0, dice.below(encoded.length + 1)) : encoded;
  return named(`${contentType} of ${written.length} bytes in "${coding.slice(0, 40)}"`, bytes, contentType, coding);
}

function named(name: string, bytes: Buffer, contentType: string, coding = ''): HostileBody {
  return {
    name,
    bytes,
    headers: { ...(contentType === '' ? {} : { 'content-type': contentType }), ...(coding === '' ? {} : { 'content-encoding': coding }) },
  };
}

const json = 'application/json';
const layered = (times: number): Buffer => Array.from({ length: times }).reduce<Buffer>((bytes) => gzipSync(bytes), Buffer.from('{}'));
const mebi = 1024 * 1024;

/** Deep bodies: JSON of these depths, or many layers of content coding. */
export function deepBodies(counts: readonly number[] = levels): HostileBody[] {
  return [
    ...counts.flatMap((count) => shapes.map((shape) => named(`${count} levels of ${shape.name}`, Buffer.from(shape(count)), json))),
    ...[5, 6, 30].map((times) => named(`gzip ${times} times`, layered(times), json, Array.from({ length: times }, () => 'gzip').join(','))),
    named('gzip said 1,001 times', gzipSync('{}'), json, Array.from({ length: 1001 }, () => 'gzip').join(',')),
  ];
}

const filled = (text: string, bytes: number): Buffer => Buffer.from(`[${text.repeat(bytes / text.length)}0]`);

/** Bodies with very many values, or that become very large when decoded. */
export function heavyBodies(): HostileBody[] {
  const heavy: readonly (readonly [string, string])[] = [
    ['empty objects', '{},'],
    ['empty lists', '[],'],
    ['small objects', '{"a":0},'],
    ['numbers', '0,'],
    ['texts', '"ab",'],
  ];
  const encodings: readonly (readonly [string, Encode])[] = [
    ['', (bytes) => bytes.subarray(0, 8 * mebi)],
    ['gzip', (bytes) => gzipSync(bytes)],
    ['br', (bytes) => brotliCompressSync(bytes, fastest)],
  ];
  return [
    ...heavy.flatMap(([what, text]) =>
      encodings.flatMap(([coding, encode]) => [
        named(`a million bytes of ${what} in "${coding}"`, encode(filled(text, mebi)), json, coding),
        named(`60 MiB of ${what} in "${coding}"`, encode(filled(text, 60 * mebi)), json, coding),
      ]),
    ),
    named('8 MiB of names', Buffer.from(`{${Array.from({ length: 700_000 }, (_, index) => `"k${index}":0`).join(',')}}`), json),
    named('8 MiB of line feeds', Buffer.alloc(8 * mebi, '\n'), 'text/event-stream'),
    named('8 MiB of events', Buffer.from('data: {"choices":[{}]}\n\n'.repeat(360_000)), 'text/event-stream'),
    named('8 MiB of lines', Buffer.from('{"done":false,"response":""}\n'.repeat(290_000)), 'application/x-ndjson'),
    named(
      '8 MiB of messages',
      Buffer.alloc(8 * mebi, encodeAmazonEvents([{ event: 'a', data: '{}' }])),
      'application/vnd.amazon.eventstream',
    ),
  ];
}
