import { derivedTexts } from '../../sql/derived-texts.ts';
import type { Fragment } from '../../sql/sql.ts';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedactionRules } from '../../metadata/organization/redaction-rules.ts';
import type { ExchangeOpen } from '../../model/record/exchange.ts';
import { type RedactionKind, redactionTargets, type RedactionRule } from '../../model/redaction-rule.ts';
import { systemClock } from '../../platform/clock.ts';
import { encodeAmazonChunks, encodeAmazonEvents } from '../../providers/amazon/testing/encode-events.ts';
import type { ServerSentEvent } from '../../providers/format/sse.ts';
import { chatResponse, type ExchangeSketch, type IngestRig, openRig, SpoolRig } from '../testing/ingest-harness.ts';
import { redactedPlaceholder } from './redact-texts.ts';

let rig: IngestRig;
let spool: SpoolRig;
let rules: RedactionRules;

beforeAll(async () => {
  rig = await openRig();
  spool = new SpoolRig(rig);
  rules = new RedactionRules(rig.database, systemClock);
  await rig.database.queries.insertInto('organizations').values({ id: spool.organizationId, name: 'ours', created_at: 0 }).execute();
});
afterAll(() => rig.close());

/** Planted secrets, one of each kind; the last is what a pattern finds. */
const secrets = ['ann.lee@example.com', '4111 1111 1111 1111', 'sk-proj-Ab3dEf6hIj9kLm2nOp5q', 'EMP-123456'];
const all = secrets.join(', ');
const rule = (kind: RedactionKind, pattern: string | null = null): RedactionRule => ({
  kind,
  pattern,
  replacement: `[${kind}]`,
  appliesTo: redactionTargets,
});
const everyKind = [rule('email'), rule('card'), rule('key'), rule('regex', 'EMP-[0-9]{6}')];
const redacted = '[email], [card], [key], [regex]';

const chat: Partial<ExchangeOpen> = { provider: 'openai', path: '/v1/chat/completions' };
const chatWith = (content: string, rest: object = {}): string =>
  JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }], ...rest });
const amazonStream = { headers: { 'content-type': 'application/vnd.amazon.eventstream' } };
const eventStream = { headers: { 'content-type': 'text/event-stream' } };

function chunk(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'gpt-4o', choices })}\n\n`;
}

/** A stream of OpenAI's that says a text letter by letter. */
function streamOf(content: string): string {
  return `${Array.from(content, chunk).join('')}data: [DONE]\n\n`;
}

/** A conversation of Bedrock's that says a text letter by letter. */
function conversationOf(content: string): ServerSentEvent[] {
  return Array.from(content, (text) => ({
    event: 'contentBlockDelta',
    data: JSON.stringify({ contentBlockIndex: 0, delta: { text } }),
  }));
}

const plainText: ExchangeSketch = {
  open: { headers: { 'content-type': 'text/plain' } },
  head: { headers: { 'content-type': 'text/plain' } },
};
const sketches: Readonly<Record<string, ExchangeSketch>> = {
  json: {
    open: chat,
    request: chatWith(all, { user: all, metadata: { [all]: [4111111111111111] } }),
    response: chatResponse.replace('Hello.', all),
  },
  stream: { open: chat, request: chatWith('hi', { stream: true }), head: eventStream, response: streamOf(all) },
  'a stream of another make': { open: { provider: 'custom' }, head: eventStream, response: `data: ${all}\n\n` },
  'a stream that no format puts together': { open: { provider: 'custom', path: '/v1/other' }, head: eventStream, response: streamOf(all) },
  'lines that no format puts together': {
    open: { provider: 'custom', path: '/v1/other' },
    head: { headers: { 'content-type': 'application/x-ndjson' } },
    response: Array.from(all, (piece) => `${JSON.stringify({ piece })}\n`).join(''),
  },
  'binary messages': {
    open: { provider: 'bedrock', path: '/model/amazon.nova-lite-v1:0/converse-stream' },
    head: amazonStream,
    response: encodeAmazonEvents(conversationOf(all)),
  },
  'binary messages that no format puts together': {
    open: { provider: 'bedrock', path: '/model/amazon.nova-lite-v1:0/invoke-with-response-stream' },
    head: amazonStream,
    response: encodeAmazonChunks(conversationOf(all)),
  },
  'binary messages of which one is corrupt': {
    open: { provider: 'bedrock', path: '/model/amazon.nova-lite-v1:0/converse-stream' },
    head: amazonStream,
    response: Buffer.concat([encodeAmazonEvents(conversationOf(all)), Buffer.alloc(16, 1)]),
  },
  text: {
    open: { headers: { 'content-type': 'text/plain' } },
    request: all,
    head: { headers: { 'content-type': 'text/plain' } },
    response: all,
  },
  'compressed JSON': {
    open: { ...chat, headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
    request: gzipSync(chatWith(all)),
  },
  'bytes of a form': {
    open: { headers: { 'content-type': 'multipart/form-data; boundary=b' } },
    request: Buffer.from(`--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n${all}\r\n--b--\r\n\u0000ÿ`, 'latin1'),
  },
  'bytes in an unknown coding': {
    head: { headers: { 'content-type': 'application/json', 'content-encoding': 'zstd' } },
    response: Buffer.from([1, 0, 255]),
  },
  'an error': { open: chat, head: { status: 400 }, response: JSON.stringify({ error: { message: `Incorrect API key: ${all}` } }) },
  'names of models': {
    open: { ...chat, model: `gpt-4o ${all}`, tags: { properties: [], modelOverride: `mine ${all}` } },
    request: JSON.stringify({ model: all, messages: [] }),
    response: JSON.stringify({ ...(JSON.parse(chatResponse) as object), id: `chatcmpl-${all}`, model: `gpt-4o ${all}`, service_tier: all }),
  },
  'an identifier in a header': {
    open: { provider: 'bedrock', path: '/model/amazon.nova-lite-v1:0/converse' },
    head: { headers: { 'content-type': 'application/json', 'x-amzn-requestid': `id ${all}` } },
    response: '{}',
  },
  tags: {
    open: {
      ...chat,
      path: `/v1/chat/completions?by=${secrets[0]}`,
      targetUrl: `https://api.openai.com/${secrets[3]}`,
      headers: { 'content-type': 'application/json', referer: `https://x.io/?${secrets[3]}` },
      tags: {
        properties: [...secrets, 'Note', all].map((name) => ({ name, value: all })),
        promptInputs: { who: all, [all]: 'who' },
        userId: all,
        sessionId: `s ${all}`,
        sessionName: all,
        sessionPath: `/${secrets[3]}`,
        jobId: all,
        nodeId: all,
        promptId: all,
        promptVersion: all,
        experimentId: all,
      },
    },
  },
};

/** What other forms of Unicode make of a text. */
const wide = {
  'utf-16le': (text: string) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text: string) => Buffer.from(text, 'utf16le').swap16(),
  'utf-32le': (text: string) => Buffer.from(Uint32Array.from(Array.from(text, (one) => one.codePointAt(0) ?? 0)).buffer),
  'utf-32be': (text: string) => Buffer.from(Uint32Array.from(Array.from(text, (one) => one.codePointAt(0) ?? 0)).buffer).swap32(),
};
const wideSketches = Object.entries(wide).flatMap(([coding, encode]): [string, ExchangeSketch][] => [
  [`JSON in ${coding}`, { open: chat, request: encode(chatWith(all)), response: encode(chatResponse.replace('Hello.', all)) }],
  [`text in ${coding} with a byte order mark`, { ...plainText, request: encode(`\ufeff${all}`), response: encode(`\ufeff${all}`) }],
  [
    `text in ${coding} whose charset is said`,
    {
      open: { headers: { 'content-type': `text/plain; charset="${coding.toUpperCase()}"` } },
      request: encode(`Ж ${all}`),
      head: { headers: { 'content-type': `application/octet-stream;charset=${coding}` } },
      response: encode(`Ж ${all}`),
    },
  ],
  [
    `JSON in ${coding} under no content type`,
    { open: { headers: {} }, request: encode(chatWith(all)), head: { headers: {} }, response: encode(chatWith(all)) },
  ],
  [`a stream in ${coding}`, { open: chat, head: eventStream, response: encode(streamOf(all)) }],
  [
    `${coding} behind other text`,
    {
      ...plainText,
      request: Buffer.concat([Buffer.from('to: '), encode(all)]),
      response: Buffer.concat([Buffer.from([255, 216]), encode(all)]),
    },
  ],
]);

interface StoredTexts {
  readonly request_body: string;
  readonly response_body: string;
  readonly completion: string;
}

/** All that the store has, with what stands in base64 as it reads, and without NULs. */
async function storedText(): Promise<string> {
  const rows = JSON.stringify([
    await spool.read('SELECT * FROM requests WHERE org_id = {tenant:UInt128}'),
    await spool.read('SELECT * FROM bodies WHERE org_id = {tenant:UInt128}'),
    await spool.read(
      `SELECT tryBase64Decode(request_body) AS q, tryBase64Decode(response_body) AS s FROM bodies WHERE org_id = {tenant:UInt128}`,
    ),
  ]);
  return rows.replaceAll(String.raw`\u0000`, '');
}

async function storedBodies(id: string): Promise<StoredTexts | undefined> {
  const key = BigInt(`0x${id.replaceAll('-', '')}`);
  const text = `SELECT request_body, response_body, ${sqlOf(derivedTexts.completion)} AS completion FROM bodies WHERE org_id = {tenant:UInt128} AND request_id = toUInt128('${key}')`;
  return (await spool.read<StoredTexts>(text))[0];
}

it('what is said in UTF-16 or UTF-32 is read and redacted like any other text', async () => {
  await rules.replace(spool.organizationId, everyKind);
  const writer = spool.openWriter();
  const ids = new Map<string, string>();
  for (const [name, preview] of wideSketches) ids.set(name, await spool.write(writer, preview));
  await spool.drainAll();
  const stored = await storedText();
  for (const secret of secrets) expect(stored).not.toContain(secret);
  const bodiesOf = (name: string) => storedBodies(ids.get(name) ?? '');
  for (const coding of Object.keys(wide)) {
    expect((await bodiesOf(`JSON in ${coding}`))?.request_body).toBe(chatWith(redacted));
    expect((await bodiesOf(`JSON in ${coding} under no content type`))?.request_body).toBe(chatWith(redacted));
    expect((await bodiesOf(`text in ${coding} with a byte order mark`))?.response_body).toBe(redacted);
    expect((await bodiesOf(`text in ${coding} whose charset is said`))?.response_body).toBe(`Ж ${redacted}`);
    expect((await bodiesOf(`a stream in ${coding}`))?.completion).toBe(redacted);
    expect(await bodiesOf(`${coding} behind other text`)).toMatchObject({
      request_body: redactedPlaceholder,
      response_body: redactedPlaceholder,
    });
  }
});

it('no planted secret is in any column of the store, whatever the body was', async () => {
  await rules.replace(spool.organizationId, everyKind);
  const writer = spool.openWriter();
  const ids = new Map<string, string>();
  for (const [name, preview] of Object.entries(sketches)) ids.set(name, await spool.write(writer, preview));
  await spool.drainAll();
  const stored = await storedText();
  expect(stored.match(/gpt-4o/g)?.length).toBeGreaterThan(3);
  for (const secret of [...secrets, '4111111111111111']) expect(stored).not.toContain(secret);

  const bodiesOf = (name: string) => storedBodies(ids.get(name) ?? '');
  expect(await bodiesOf('stream')).toMatchObject({
    completion: redacted,
    response_body: expect.stringContaining(redacted) as unknown,
  });
  expect(JSON.parse((await bodiesOf('json'))?.request_body ?? '')).toEqual({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: redacted }],
    user: redacted,
    metadata: { [redacted]: ['[card]'] },
  });
  expect((await bodiesOf('compressed JSON'))?.request_body).toBe(chatWith(redacted));
  expect((await bodiesOf('text'))?.response_body).toBe(redacted);
  expect((await bodiesOf('bytes of a form'))?.request_body).toBe(redactedPlaceholder);
  expect(await bodiesOf('binary messages')).toMatchObject({
    completion: redacted,
    response_body: expect.stringContaining(redacted) as unknown,
  });
  const opaque = [
    'bytes in an unknown coding',
    'a stream that no format puts together',
    'lines that no format puts together',
    'binary messages that no format puts together',
    'binary messages of which one is corrupt',
  ];
  for (const name of opaque) expect((await bodiesOf(name))?.response_body).toBe(redactedPlaceholder);
  expect(spool.observations.filter(({ kind }) => kind === 'redaction_failed')).toEqual([]);
});

/** Tokens, cost and size of a call that holds the secrets. */
async function countsOf(of: SpoolRig): Promise<readonly unknown[]> {
  await of.write(of.openWriter(), {
    open: { ...chat, openedAt: 1_700_000_000_000 },
    request: chatWith(all),
    head: eventStream,
    response: streamOf(all),
  });
  await of.drainAll();
  return of.read(
    "SELECT prompt_tokens, completion_tokens, cost, size_bytes FROM requests WHERE org_id = {tenant:UInt128} AND created_at < '2024-01-01'",
  );
}

it('tokens and cost are those of what was said, not of what is left of it', async () => {
  const plain = new SpoolRig(rig);
  await rules.replace(spool.organizationId, everyKind);
  const [without] = await countsOf(plain);
  expect(without).toMatchObject({ completion_tokens: expect.any(Number) as unknown });
  expect(await countsOf(spool)).toEqual([without]);
});

it('another organisation`s records stay as they are', async () => {
  const other = new SpoolRig(rig);
  await other.write(other.openWriter(), { open: chat, request: chatWith(all) });
  await other.drainAll();
  expect(await other.read(`SELECT ${sqlOf(derivedTexts.last_user)} AS last_user FROM bodies WHERE org_id = {tenant:UInt128}`)).toEqual([
    { last_user: all },
  ]);
});

it('a pattern that takes too long holds nothing up: its record is there without the body, and the log says so', async () => {
  const slow = new SpoolRig(rig);
  await rig.database.queries.insertInto('organizations').values({ id: slow.organizationId, name: 'slow', created_at: 0 }).execute();
  await rules.replace(slow.organizationId, [rule('regex', 'a.*b|a')]);
  const writer = slow.openWriter();
  const long = await slow.write(writer, { open: chat, request: chatWith('a'.repeat(400_000)) });
  const short = await slow.write(writer, { open: chat, request: chatWith('EMP a') });
  await slow.drainAll();
  expect((await slow.storedIds()).requests.toSorted()).toEqual([long, short].toSorted());
  expect(await slow.read('SELECT request_body FROM bodies WHERE org_id = {tenant:UInt128} ORDER BY length(request_body)')).toEqual([
    { request_body: redactedPlaceholder },
    { request_body: expect.stringContaining('EMP [regex]') as unknown },
  ]);
  expect(slow.observations.filter(({ kind }) => kind === 'redaction_failed')).toMatchObject([{ requestId: long }]);
  expect(await slow.deadLetters()).toEqual([]);
});

it('while the rules cannot be read nothing is stored; then everything is, redacted', async () => {
  const held = new SpoolRig(rig);
  await held.write(held.openWriter(), { open: chat, request: chatWith(all) });
  let failing = true;
  const drain = await held.openDrain({
    redactionRules: {
      of: async () => {
        if (failing) throw new Error('the disk is gone');
        return everyKind;
      },
    },
  });
  drain.start();
  await expect.poll(() => held.observations.filter(({ kind }) => kind === 'batch_failed').length, { timeout: 60_000 }).toBeGreaterThan(1);
  expect((await held.storedIds()).bodies).toEqual([]);
  failing = false;
  await expect.poll(async () => (await held.storedIds()).requests.length, { timeout: 60_000 }).toBe(1);
  await drain.stop(5000);
  expect(await held.read(`SELECT ${sqlOf(derivedTexts.last_user)} AS last_user FROM bodies WHERE org_id = {tenant:UInt128}`)).toEqual([
    { last_user: redacted },
  ]);
});

it('what a caller changes afterwards is redacted too, in the history as in the record', async () => {
  await rules.replace(spool.organizationId, everyKind);
  const writer = spool.openWriter();
  const { drain, changer } = await spool.openCore();
  const id = await spool.write(writer, { open: { ...chat, tags: { properties: [{ name: 'Note', value: all }] } } });
  await changer.change(spool.principal, id, { kind: 'property', values: new Map([['Note', `mine: ${all}`]]) });
  drain.start();
  await drain.stop(10_000);
  const key = BigInt(`0x${id.replaceAll('-', '')}`);
  const changes = await spool.read(`SELECT old, new FROM changes WHERE org_id = {tenant:UInt128} AND request_id = toUInt128('${key}')`);
  expect(changes).toEqual([{ old: JSON.stringify(redacted), new: JSON.stringify(`mine: ${redacted}`) }]);
});

it('a name of a model that stands in a price list stays, whatever the rules; of what callers name, names that become the same stay apart', async () => {
  const named = new SpoolRig(rig);
  await rig.database.queries.insertInto('organizations').values({ id: named.organizationId, name: 'named', created_at: 0 }).execute();
  await rules.replace(named.organizationId, [rule('regex', 'gpt|-[0-9]+|[ab]@x')]);
  const properties = ['a@x', 'b@x', '[regex]'].map((name) => ({ name, value: name }));
  await named.write(named.openWriter(), {
    open: { ...chat, tags: { properties, sessionId: 'a@x' } },
    request: chatWith('hi'),
    response: JSON.stringify({ ...(JSON.parse(chatResponse) as object), model: 'gpt-4o-2024-08-06' }),
  });
  await named.drainAll();
  const found = await named.read('SELECT request_model, response_model, model, properties FROM requests WHERE org_id = {tenant:UInt128}');
  expect(found).toEqual([
    {
      request_model: 'gpt-4o',
      response_model: '[regex][regex]o[regex][regex][regex]',
      model: '[regex][regex]o[regex][regex][regex]',
      properties: { '[regex]': '[regex]', '[regex] 2': '[regex]', '[regex] 3': '[regex]', 'Svc-Session-Id': '[regex]' },
    },
  ]);
});

function sqlOf({ pieces }: Fragment): string {
  return pieces.map(String).join('');
}
