const mebi = 1024 * 1024;
/** Default of the gateway's memory for the bodies in flight. */
const maxBodyBytes = 16 * mebi;

/** A call that is designed to keep others waiting. */
export interface SlowCall {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: () => Buffer;
  /** Number of concurrent calls for a smaller body; undefined: as many as for the largest ones. */
  readonly times?: number;
}

/** Repeats `unit` between a beginning and an end until the body is full. */
function filled(start: string, unit: (index: number) => string, end: string, maxBytes = maxBodyBytes - 64): Buffer {
  const body = Buffer.alloc(maxBytes, ' ');
  let at = body.write(start);
  for (let index = 0; ; index += 1) {
    const text = unit(index);
    if (at + text.length + end.length + 1 > body.length) break;
    at += body.write(text, at);
  }
  body.write(end, at);
  return body;
}

const model = '"model":"gpt-4o"';
const cached = { 'svc-cache-enabled': 'true' };
const budget = { 'svc-ratelimit-policy': '100000000;w=3600;u=cents' };
const byUser = { 'svc-ratelimit-policy': '100000000;w=3600;s=user' };
const fallbacks = { 'svc-fallbacks': JSON.stringify(Array.from({ length: 10 }, (_, index) => ({ model: `gpt-4o-${index}` }))) };
const objects = (): Buffer => filled(`{${model},"messages":[`, () => '{},', '{}]}');
const chat = (): Buffer =>
  filled(`{"messages":[`, () => '{"role":"user","content":"hello there, how are you doing today?"},', `{}],${model}}`);
const words = (start: string): Buffer => filled(`{"model":"echo/e",${start}"messages":[{"role":"user","content":"`, () => 'a ', '"}]}');

/** Bodies that the event loop handles itself, as many at once as have the bytes of three of the largest. */
const scannedInline = { maxBytes: mebi, times: 48 };
const parsedInline = { maxBytes: mebi / 16, times: 768 };

/** Bodies that once kept a worker busy for seconds each at 16 MiB, and many concurrent smaller ones. */
export const slowCalls: readonly SlowCall[] = [
  { what: 'cache: members', headers: cached, body: () => filled(`{${model}`, (index) => `,"a${index}":1`, '}') },
  {
    what: 'cache: members, the last first',
    headers: cached,
    body: () => filled(`{${model}`, (index) => `,"a${9_999_999 - index}":1`, '}'),
  },
  { what: 'cache: one name', headers: cached, body: () => filled(`{${model}`, () => ',"a":1', '}') },
  {
    what: 'cache: names with escapes, some ignored',
    headers: { ...cached, 'svc-cache-ignore-keys': 'b' },
    body: () => filled(`{${model}`, () => String.raw`,"\u0061":1`, '}'),
  },
  { what: 'budget: objects', headers: budget, body: objects },
  { what: 'limit by user: objects', headers: byUser, body: objects },
  {
    what: 'budget: a million objects in a chat',
    headers: budget,
    body: () => filled(`{${model},"messages":[`, () => '{"a":"b"        },', '{}]}'),
  },
  { what: 'budget: levels', headers: budget, body: () => Buffer.from(`{${model},"a":${'['.repeat(8_000_000)}${']'.repeat(8_000_000)}}`) },
  { what: 'budget: text', headers: budget, body: () => filled(`{${model},"messages":[{"role":"user","content":"`, () => 'hello ', '"}]}') },
  { what: 'budget: a chat, ten fallbacks', headers: { ...budget, ...fallbacks }, body: chat },
  { what: 'limit of calls: a chat, ten fallbacks', headers: { 'svc-ratelimit-policy': '1000000;w=3600', ...fallbacks }, body: chat },
  { what: 'the model, many times', headers: {}, body: () => filled('{', () => `${model},`, `${model}}`) },
  { what: 'short strings', headers: {}, body: () => filled('{"messages":[', () => '"a",', `1],${model}}`) },
  {
    what: 'Svc-Stream-Usage: lists',
    headers: { 'svc-stream-usage': 'true' },
    body: () => filled(`{${model},"stream":true,"messages":[`, () => '[],', '1]}'),
  },
  { what: 'echo: words', headers: {}, body: () => words('') },
  { what: 'echo: words, a stream', headers: {}, body: () => words('"stream":true,') },
  { what: 'echo: objects', headers: {}, body: () => filled('{"model":"echo/e","messages":[', () => '{},', '{}]}') },
  {
    what: `${scannedInline.times} of 1 MiB, cache: one name`,
    headers: cached,
    times: scannedInline.times,
    body: () => filled(`{${model}`, () => ',"a":1', '}', scannedInline.maxBytes),
  },
  {
    what: `${scannedInline.times} of 1 MiB, the model, many times`,
    headers: {},
    times: scannedInline.times,
    body: () => filled('{', () => `${model},`, `${model}}`, scannedInline.maxBytes),
  },
  {
    what: `${scannedInline.times} of 1 MiB, budget: objects`,
    headers: budget,
    times: scannedInline.times,
    body: () => filled(`{${model},"messages":[`, () => '{},', '{}]}', scannedInline.maxBytes),
  },
  {
    what: `${parsedInline.times} of 64 KiB, budget: objects`,
    headers: budget,
    times: parsedInline.times,
    body: () => filled(`{${model},"messages":[`, () => '{},', '{}]}', parsedInline.maxBytes),
  },
];
