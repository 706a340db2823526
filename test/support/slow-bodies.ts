const mebi = 1024 * 1024;
/** The default bound of what the gateway holds. */
const heldMaxBytes = 16 * mebi;

/** A call that was made to keep others waiting. */
export interface SlowCall {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: () => Buffer;
}

/** As many repetitions between a beginning and an end as the bound has room for. */
function filled(start: string, unit: (index: number) => string, end: string): Buffer {
  const body = Buffer.alloc(heldMaxBytes - 64, ' ');
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

/** What kept a worker busy for seconds each, at 16 MiB. */
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
];
