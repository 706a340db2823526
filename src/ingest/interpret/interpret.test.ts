import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseMoney } from '../../model/pricing/money.ts';
import { readOrganizationPrices } from '../../pricing/organization-prices.ts';
import { listedPrices } from '../../pricing/testing/prices.ts';
import { chatRequest, chatResponse } from '../testing/ingest-harness.ts';
import { interpret, json, stream } from '../testing/exchange-builder.ts';

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', model: 'echo-1', choices: [{ index: 0, delta: { content } }] })}\n\n`;

describe('a whole chat call', () => {
  test('becomes a record with its texts, tokens, times and cost', () => {
    const record = interpret();
    expect(record).toMatchObject({
      requestModel: 'echo-1',
      responseModel: 'echo-1',
      model: 'echo-1',
      provider: 'ECHO',
      responseId: 'chatcmpl-1',
      promptText: 'Say hello.',
      lastUserText: 'Say hello.',
      completionText: 'Hello.',
      status: 200,
      latencyMs: 10,
      responseCreatedAt: 1_700_000_000_010,
      timeToFirstTokenMs: null,
      gatewayOverheadMs: 0.25,
      usage: { promptTokens: 3, completionTokens: 2 },
      costSource: 'price-book',
      sizeBytes: chatRequest.length + chatResponse.length,
    });
    expect(record.requestBody).toEqual({ kind: 'json', text: chatRequest });
    expect(record.cost).toBeGreaterThan(0n);
  });

  test('of an unknown provider is recorded, not understood but for its model', () => {
    expect(interpret({ open: { provider: 'nobody' } })).toMatchObject({
      provider: 'CUSTOM',
      requestModel: 'echo-1',
      model: 'echo-1',
      cost: null,
      costSource: 'none',
    });
  });
});

describe('the response cache', () => {
  const cachedFrom = { requestId: '0197b000-0000-7000-8000-00000000000a', createdAt: 1_699_999_000_000 };

  test('an exchange without it says so', () => {
    expect(interpret()).toMatchObject({ cacheEnabled: false, cached: false, cacheReferenceId: '', cacheCreatedAt: null });
  });

  test('a miss is a call like any other', () => {
    const record = interpret({ open: { cacheEnabled: true } });
    expect(record).toMatchObject({
      cacheEnabled: true,
      cached: false,
      cacheReferenceId: '',
      cacheCreatedAt: null,
      costSource: 'price-book',
    });
  });

  test('a hit has the tokens of its reply and costs nothing, whatever the caller says', () => {
    expect(interpret({ open: { cacheEnabled: true, cachedFrom }, tags: { cost: '5' } })).toMatchObject({
      cacheEnabled: true,
      cached: true,
      cacheReferenceId: cachedFrom.requestId,
      cacheCreatedAt: cachedFrom.createdAt,
      status: 200,
      completionText: 'Hello.',
      usage: { promptTokens: 3, completionTokens: 2 },
      cost: 0n,
      costSource: 'none',
      priceReference: '',
    });
  });
});

test('the country that a proxy told is recorded; without one there is none', () => {
  expect([interpret({ open: { countryCode: 'DE' } }).countryCode, interpret().countryCode]).toEqual(['DE', '']);
});

describe('a body', () => {
  const encodings: readonly (readonly [string, (text: string) => Buffer])[] = [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['Deflate', deflateRawSync],
    ['gzip, br', (text) => brotliCompressSync(gzipSync(text))],
    ['identity', (text) => Buffer.from(text)],
    ['', (text) => Buffer.from(text)],
  ];
  test.each(encodings)('in %j is decoded, on both sides', (encoding, encode) => {
    const headers = { ...json, 'content-encoding': encoding };
    const record = interpret({ request: encode(chatRequest), requestHeaders: headers, response: encode(chatResponse), headers });
    expect(record).toMatchObject({ requestModel: 'echo-1', completionText: 'Hello.', usage: { promptTokens: 3 } });
    expect(record.responseBody).toEqual({ kind: 'json', text: chatResponse });
  });

  test.each(encodings.slice(0, 3))('in %s that was cut is decoded as far as it came', (encoding, encode) => {
    const long = `{"a": "${Array.from({ length: 5000 }, (_, index) => `word ${index * 7919}`).join(' ')}"}`;
    const cut = encode(long).subarray(0, 8000);
    const record = interpret({ response: cut, headers: { ...json, 'content-encoding': encoding }, end: { responseCut: true } });
    expect(record.responseBodyCut).toBe(true);
    expect(record.responseBody.kind).toBe('text');
    expect(record.responseBody).toMatchObject({ text: expect.stringContaining('word 7919') as string });
  });

  test.each([
    [{}, true],
    [{ requestBody: 'never', responseBody: 'never' }, false],
  ] as const)('of which a part is missing that passed is cut, whatever the end says, unless it was not to be kept (%j)', (tags, isCut) => {
    const record = interpret({ request: '', response: '{', tags, end: { requestBytes: 5, responseBytes: 2 } });
    expect([record.requestBodyCut, record.responseBodyCut]).toEqual([isCut, isCut]);
  });

  test.each(['zstd', 'constructor', '__proto__', 'gzip'])('in an encoding that cannot be undone (%s) is kept as bytes', (encoding) => {
    const record = interpret({ response: Buffer.from([1, 2, 3]), headers: { ...json, 'content-encoding': encoding } });
    expect(record.responseBody).toEqual({ kind: 'binary', base64: 'AQID', contentType: 'application/json' });
  });

  test('that would expand without bounds is kept as bytes', () => {
    const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024));
    expect(interpret({ response: bomb, headers: { ...json, 'content-encoding': 'gzip' } }).responseBody.kind).toBe('binary');
  });

  test.each([
    ['bytes', Buffer.from([0xff, 0xfe, 0x00]), 'image/png', { kind: 'binary', base64: '//4A', contentType: 'image/png' }],
    ['bytes without a type', Buffer.from([0xff, 0xfe]), '', { kind: 'binary', base64: '//4=', contentType: '' }],
    ['text without a type', Buffer.from('hé'), '', { kind: 'text', text: 'hé' }],
    ['text with a NUL without a type', Buffer.from('a\0b'), '', { kind: 'binary', base64: 'YQBi', contentType: '' }],
    ['text of a text type that is not UTF-8', Buffer.from([0x61, 0xff]), 'text/plain', { kind: 'text', text: 'a\ufffd' }],
    ['JSON that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'application/json', { kind: 'json', text: '"\ufffd"' }],
    ['JSON under another name', Buffer.from('[1, 2]'), 'application/vnd.api+json', { kind: 'json', text: '[1,2]' }],
    ['JSON with a byte order mark', Buffer.from('\ufeff{}'), 'application/json', { kind: 'json', text: '{}' }],
    ['nothing', Buffer.alloc(0), 'application/json', { kind: 'absent' }],
  ])('of %s', (_, response, contentType, expected) => {
    expect(interpret({ response, headers: { 'content-type': contentType } }).responseBody).toEqual(expected);
  });

  test('with lone surrogates is well-formed wherever it is stored', () => {
    const request = '{"model":"m\\ud800","user":"u\\udc00","messages":[{"role":"user","content":"a\\ud83d"}]}';
    const record = interpret({ request, response: '{"id":"\\ud800","choices":[{"message":{"content":"\\udfff"}}]}' });
    expect(record).toMatchObject({
      requestModel: 'm\ufffd',
      userId: 'u\ufffd',
      promptText: 'a\ufffd',
      completionText: '\ufffd',
      responseId: '\ufffd',
    });
    expect(JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toMatch(
      /(?<!\\)\\ud[89a-f]/,
    );
  });

  test('with __proto__ among its keys keeps it', () => {
    const text = '{"__proto__":{"a":1},"model":"m"}';
    expect(interpret({ request: text }).requestBody).toEqual({ kind: 'json', text });
  });
});

describe('a stream', () => {
  const whole = `${chunk('Hel')}${chunk('lo')}data: [DONE]\n\n`;

  test('is put together into the whole answer', () => {
    const record = interpret({ response: whole, headers: stream });
    expect(record).toMatchObject({ completionText: 'Hello', responseId: 'c1', timeToFirstTokenMs: 6, status: 200 });
    expect(record.responseBody.kind).toBe('json');
  });

  test('that the client left is put together as far as it came', () => {
    expect(interpret({ response: chunk('Hel'), headers: stream, end: { outcome: 'client_left' } })).toMatchObject({
      completionText: 'Hel',
      status: 499,
    });
  });

  test('that is not understood stays text', () => {
    const text = 'data: something\n\n';
    expect(interpret({ response: text, headers: stream, open: { path: '/v1/else' } }).responseBody).toEqual({ kind: 'text', text });
    expect(interpret({ response: text, headers: { 'content-type': 'Text/Event-Stream' } }).responseBody).toEqual({ kind: 'text', text });
  });

  test('in gzip is decoded first', () => {
    expect(interpret({ response: gzipSync(whole), headers: { ...stream, 'content-encoding': 'gzip' } })).toMatchObject({
      completionText: 'Hello',
    });
  });

  test('that was never seen to end shows the times of its parts', () => {
    expect(interpret({ response: whole, headers: stream, end: null })).toMatchObject({
      latencyMs: 8,
      timeToFirstTokenMs: 6,
      gatewayOverheadMs: null,
      status: 200,
    });
  });
});

describe('the status', () => {
  test.each([
    ['complete', 429, 429],
    ['refused', 413, 413],
    ['client_left', 200, 499],
    ['provider_broke', 200, 502],
    ['no_response', 502, 0],
  ] as const)('of an exchange that ended %s with %i is %i', (outcome, status, expected) => {
    expect(interpret({ status, end: { outcome } }).status).toBe(expected);
  });

  test('without a head is 0', () => {
    expect(interpret({ head: false, response: '', end: null }).status).toBe(0);
    expect(interpret({ head: false, response: '' }).status).toBe(0);
  });

  test('of an error answer is its own, and its words are kept', () => {
    const response = '{"error":{"message":"no"}}';
    const record = interpret({ status: 400, response });
    expect(record).toMatchObject({ status: 400, cost: null });
    expect(record.responseBody).toEqual({ kind: 'json', text: response });
  });
});

describe('what the caller does not want kept', () => {
  test('is counted and dropped', () => {
    const record = interpret({ tags: { requestBody: 'counted', responseBody: 'counted' } });
    expect(record).toMatchObject({
      requestBody: { kind: 'absent' },
      responseBody: { kind: 'absent' },
      promptText: '',
      lastUserText: '',
      completionText: '',
    });
    expect(record).toMatchObject({ requestModel: 'echo-1', usage: { promptTokens: 3 }, costSource: 'price-book' });
  });

  test('on one side leaves the other', () => {
    expect(interpret({ tags: { requestBody: 'counted' } })).toMatchObject({
      promptText: '',
      completionText: 'Hello.',
      responseBody: { kind: 'json' },
    });
  });

  test('and never was written is not known', () => {
    const never = { requestBody: 'never', responseBody: 'never' } as const;
    const record = interpret({ tags: never, request: '', response: '', end: { requestBytes: 100, responseBytes: 50 } });
    expect(record).toMatchObject({
      model: 'unknown',
      usage: { promptTokens: null },
      cost: null,
      sizeBytes: 150,
      requestBody: { kind: 'absent' },
    });
  });
});

describe('properties', () => {
  const declared = new Map([['environment', 'Environment']]);

  test('take a declared spelling only when their header was lowered', () => {
    const properties = [
      { name: 'environment', value: 'a', lowered: true as const },
      { name: 'other', value: 'b', lowered: true as const },
    ];
    expect(interpret({ tags: { properties }, declared }).properties).toEqual(
      new Map([
        ['Environment', 'a'],
        ['other', 'b'],
      ]),
    );
    expect(interpret({ tags: { properties: [{ name: 'environment', value: 'a' }] }, declared }).properties).toEqual(
      new Map([['environment', 'a']]),
    );
  });

  test('that meet in one spelling: the last wins', () => {
    const properties = [
      { name: 'Environment', value: 'first' },
      { name: 'environment', value: 'last', lowered: true as const },
    ];
    expect(interpret({ tags: { properties }, declared }).properties).toEqual(new Map([['Environment', 'last']]));
  });

  test('hold the session headers, and changes on top in their order', () => {
    const record = interpret({
      tags: { sessionId: 's', sessionName: 'n', sessionPath: '/p', properties: [{ name: 'a', value: 'tag' }] },
      changes: [
        {
          kind: 'property',
          values: new Map([
            ['a', '1'],
            ['b', '1'],
          ]),
        },
        {
          kind: 'property',
          values: new Map([
            ['b', '2'],
            ['Svc-Session-Name', 'renamed'],
          ]),
        },
      ],
    });
    expect(Object.fromEntries(record.properties)).toEqual({
      a: '1',
      b: '2',
      'Svc-Session-Id': 's',
      'Svc-Session-Name': 'renamed',
      'Svc-Session-Path': '/p',
    });
    expect(record).toMatchObject({ sessionId: 's', sessionName: 'renamed', sessionPath: '/p' });
  });

  test('name another session after a change, and the bodies stay in the group of the first', () => {
    const tags = { sessionId: 's', properties: [] };
    const moved = interpret({ tags, changes: [{ kind: 'property', values: new Map([['Svc-Session-Id', 't']]) }] });
    expect(moved.sessionId).toBe('t');
    expect(moved.bodyGroup).toBe(interpret({ tags }).bodyGroup);
  });

  test('may be called __proto__', () => {
    const record = interpret({
      tags: { properties: [{ name: '__proto__', value: 'x' }] },
      changes: [{ kind: 'property', values: new Map([['constructor', 'y']]) }],
    });
    expect([...record.properties]).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

describe('what is named in two places', () => {
  const withUser = JSON.stringify({ model: 'asked', user: 'in body', messages: [] });
  const answered = JSON.stringify({ id: 'r', model: 'answered', choices: [] });
  test('user: the header before the body', () => {
    expect(interpret({ request: withUser }).userId).toBe('in body');
    expect(interpret({ request: withUser, tags: { userId: 'in header' } }).userId).toBe('in header');
  });

  test('model: the override, else the one that answered, else the one that was asked for', () => {
    expect(interpret({ request: withUser, response: answered, tags: { modelOverride: 'told' } })).toMatchObject({
      model: 'told',
      requestModel: 'asked',
      responseModel: 'answered',
    });
    expect(interpret({ request: withUser, response: answered }).model).toBe('answered');
    expect(interpret({ request: withUser, response: '{}' }).model).toBe('asked');
    expect(interpret({ request: '', response: '' }).model).toBe('unknown');
  });

  const stated = JSON.stringify({ ...(JSON.parse(chatResponse) as object), usage: { prompt_tokens: 3, completion_tokens: 2, cost: 0.25 } });
  test('cost: the header, else the provider, else the price book, else none', () => {
    expect(interpret({ response: stated, tags: { cost: '0.5' } })).toMatchObject({
      cost: parseMoney('0.5'),
      costSource: 'header',
      priceReference: '',
      appliedPrice: '',
    });
    expect(interpret({ response: stated })).toMatchObject({ cost: parseMoney('0.25'), costSource: 'provider' });
    expect(interpret().costSource).toBe('price-book');
    expect(interpret({ response: '{}' })).toMatchObject({ cost: null, costSource: 'none' });
  });

  test('cost: a price of the organisation before the book, also for the model that was asked for; never before a stated cost', () => {
    const organization = readOrganizationPrices([{ model: 'asked', provider: 'ECHO', validFrom: null, rates: { input: 0, output: 1e6 } }]);
    const prices = { ...listedPrices, organization };
    const request = JSON.stringify({ model: 'asked', messages: [] });
    const response = chatResponse.replace('echo-1', 'answered');
    const priced = interpret({ request, response, prices });
    expect(priced).toMatchObject({ costSource: 'price-book', priceReference: 'ECHO/asked', model: 'answered' });
    expect(priced.cost).toBe(BigInt(priced.usage.completionTokens ?? 0) * 10n ** 12n);
    expect(priced.appliedPrice).toBe('{"table":"organization","rates":{"input":"0","output":"1000000"}}');
    expect(interpret({ request, response: stated, prices }).costSource).toBe('provider');
    expect(interpret({ request, response, prices, tags: { cost: '0.5' } }).costSource).toBe('header');
  });

  test('cost: an override is priced, and nothing else in its place', () => {
    expect(interpret({ open: { provider: 'openai', tags: { properties: [], modelOverride: 'no-such-model' } } })).toMatchObject({
      cost: null,
      costSource: 'none',
    });
    expect(
      interpret({ request: withUser, response: chatResponse.replace('echo-1', 'nameless'), tags: { modelOverride: 'echo-1' } }).costSource,
    ).toBe('price-book');
  });
});
