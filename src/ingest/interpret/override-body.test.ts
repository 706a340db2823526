import { describe, expect, test } from 'vitest';
import { type EndOverrides, type ExchangeEnd, type ExchangeOpen, frameKinds } from '../../model/record/exchange.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import type { JsonObject } from '../../model/text.ts';
import { listedPrices } from '../../pricing/testing/prices.ts';
import { assembleExchange } from './assemble.ts';
import { newId } from '../testing/ingest-harness.ts';
import { interpretExchange } from './interpret.ts';

const messages = [{ role: 'user', content: 'Hello' }];
const sent = JSON.stringify({ model: 'gpt-4o', messages, user: 'ann' });
const response = JSON.stringify({ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 1000 } });

interface Sketch {
  readonly request?: string;
  readonly open?: Partial<ExchangeOpen>;
  readonly told?: EndOverrides;
  /** Null: the worker died. */
  readonly end?: Partial<ExchangeEnd> | null;
}

/** The record of frames as the gateway writes them. */
function recordOf({ request = sent, open, told = {}, end = {} }: Sketch): RequestRecord {
  const said: ExchangeOpen = {
    version: 1,
    requestId: newId(),
    organizationId: newId(),
    keyHash: 'hash',
    openedAt: 1_700_000_000_000,
    method: 'POST',
    path: '/v1/chat/completions',
    provider: 'openai',
    targetUrl: 'https://api.openai.com/v1/chat/completions',
    headers: { 'content-type': 'application/json' },
    tags: { properties: [] },
    ...open,
  };
  const requestBytes = Buffer.byteLength(request);
  const ending = { outcome: 'complete', elapsedMs: 1, overheadMs: 1, requestBytes, responseBytes: response.length, ...told, ...end };
  const frames: readonly (readonly [number, string])[] = [
    [frameKinds.opened, `${JSON.stringify(said)}\n${request}`],
    [frameKinds.responseHead, JSON.stringify({ status: 200, headers: { 'content-type': 'application/json' }, elapsedMs: 1, ...told })],
    [frameKinds.responsePart, response],
    ...(end === null ? [] : [[frameKinds.end, JSON.stringify(ending)] as const]),
  ];
  const exchange = assembleExchange(frames.map(([kind, payload]) => ({ frame: { kind, stamp: 1 }, payload: Buffer.from(payload) })));
  return interpretExchange(exchange, { declaredNames: new Map(), changes: [], prices: listedPrices });
}

const bodyIn = ({ requestBody }: RequestRecord): unknown =>
  requestBody.kind === 'json' ? (JSON.parse(requestBody.text) as unknown) : requestBody.kind;
const override: JsonObject = { model: 'gpt-4o-mini', user: 'bob', n: 1 };
const replaced = { ...override, messages };

describe('the record of a call of which members of the body were replaced', () => {
  test('has the body, the model, the user and the cost of what was sent', () => {
    const plain = recordOf({});
    const record = recordOf({ open: { bodyOverride: override } });
    expect(bodyIn(record)).toEqual(replaced);
    expect(record).toMatchObject({ requestModel: 'gpt-4o-mini', userId: 'bob', requestBodyCut: false });
    expect([record.cost, plain.cost].map(Number)).toEqual([750_000_000, 12_500_000_000].map((units) => expect.closeTo(units) as number));
    expect(Number(plain.cost) / Number(record.cost)).toBeCloseTo(12.5 / 0.75);
  });

  test.each([
    ['where another was made last', override, replaced],
    ['where the last had the caller`s own', {}, JSON.parse(sent) as unknown],
  ])('has that of the last attempt: %s', (_name, last, expected) => {
    const told: EndOverrides = { bodyOverride: last, attempts: [] };
    for (const end of [{}, null]) {
      expect(bodyIn(recordOf({ open: { bodyOverride: { model: 'first' } }, told, end }))).toEqual(expected);
    }
  });

  test('has the body of the first attempt where the worker died during it', () => {
    expect(bodyIn(recordOf({ open: { bodyOverride: override }, end: null }))).toEqual(replaced);
  });

  test.each([
    ['of which not all is there', sent.slice(0, 20), { requestBytes: sent.length, requestCut: true as const }],
    ['of which the disk lost the end', sent.slice(0, 20), { requestBytes: sent.length }],
    ['that is no JSON', '{"model":', {}],
    ['that is deeper than what is read', `{"model":"a","x":${'['.repeat(600)}${']'.repeat(600)}}`, {}],
  ])('says that it has not the whole of a body %s', (_name, request, end) => {
    const record = recordOf({ request, open: { bodyOverride: override }, end });
    expect(record.requestBodyCut).toBe(true);
    expect(JSON.stringify(record.requestBody)).not.toContain('gpt-4o-mini');
  });

  test('keeps nothing of it where the body is not to be kept', () => {
    const tags = { properties: [], requestBody: 'counted' as const };
    const record = recordOf({ open: { bodyOverride: { messages: [{ role: 'user', content: 'override-text' }] }, tags } });
    expect(record.requestBody).toEqual({ kind: 'absent' });
    expect(JSON.stringify(record, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      'override-text',
    );
  });
});
