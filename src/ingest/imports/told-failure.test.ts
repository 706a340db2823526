import { describe, expect, test } from 'vitest';
import type { Failure } from '../../model/record/failure.ts';
import { listedPrices } from '../../pricing/testing/prices.ts';
import type { RedactTexts } from '../interpret/record-texts.ts';
import { interpret, stream } from '../testing/exchange-builder.ts';
import { importedExchange } from '../testing/imported-exchange.ts';
import { importedRecord } from './imported-record.ts';

const id = '0193b3a4-0000-7000-8000-000000000001';
const call = {
  request_id: id,
  request_created_at: '2026-01-31T12:00:00.000Z',
  provider: 'OPENAI',
  request_path: '/v1/chat/completions',
  request_body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Hello' }] },
};

function failureOf(fields: object, redact?: RedactTexts): Failure | null {
  const exchange = importedExchange(id, JSON.stringify({ ...call, ...fields }));
  return importedRecord(exchange, { changes: [], prices: listedPrices, redact }).record.failure;
}

/** Of the same answer to a call through the gateway. */
function failureOfCall(status: number, response: string, headers?: Readonly<Record<string, string>>): Failure | null {
  const made = interpret({ open: { provider: 'openai' }, status, response, ...(headers === undefined ? {} : { headers }) });
  return made.failure;
}

const rateLimited = { error: { message: 'Rate limit reached', type: 'tokens', param: null, code: 'rate_limit_exceeded' } };
const answer = { choices: [{ message: { role: 'assistant', content: 'Hi' } }], usage: { prompt_tokens: 1, completion_tokens: 1 } };
const chunk = { id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta: { content: 'H' } }] };
const eventsWithError = `data: ${JSON.stringify(chunk)}\n\ndata: ${JSON.stringify(rateLimited)}\n\n`;

describe('an imported record that does not state its failure has that of the same call through the gateway', () => {
  test.each<[string, number, object, Failure | null]>([
    ['of a refused call', 429, rateLimited, { kind: 'status', type: 'tokens', message: 'Rate limit reached' }],
    [
      'of an error in a list',
      503,
      [{ error: { status: 'UNAVAILABLE', message: 'm' } }],
      { kind: 'status', type: 'UNAVAILABLE', message: 'm' },
    ],
    ['of an error without a member of its own', 404, { detail: 'Not Found' }, { kind: 'status', type: '', message: 'Not Found' }],
    ['of an error under a good status', 200, rateLimited, { kind: 'reply', type: 'tokens', message: 'Rate limit reached' }],
    ['of an answer with an error beside it', 200, { ...answer, ...rateLimited }, null],
    ['of an answer', 200, answer, null],
  ])('%s', (_, status, body, expected) => {
    expect(failureOfCall(status, JSON.stringify(body))).toEqual(expected);
    expect(failureOf({ response_status: status, response_body: body })).toEqual(expected);
    // Some services keep JSON as a text.
    expect(failureOf({ response_status: status, response_body: JSON.stringify(body) })).toEqual(expected);
  });

  test('of a stream with an error in it, as it came or assembled', () => {
    const expected = { kind: 'reply', type: 'tokens', message: 'Rate limit reached' };
    expect(failureOfCall(200, eventsWithError, stream)).toEqual(expected);
    expect(failureOf({ response_status: 200, response_body: eventsWithError })).toEqual(expected);
    expect(failureOf({ response_status: 200, streamed: true, response_body: { ...answer, ...rateLimited } })).toEqual(expected);
  });

  test('of a text that is no JSON', () => {
    expect(failureOf({ response_status: 502, response_body: '<html>Bad gateway</html>' })).toEqual({
      kind: 'status',
      type: '',
      message: '',
    });
  });

  test('without a reply, and of a client that left', () => {
    expect(failureOf({ response_status: 0 })).toEqual({ kind: 'no_reply', type: '', message: '' });
    const unreachable = { error: { message: 'No connection', type: 'gatelog_error', code: 'provider_unreachable' } };
    expect(failureOf({ response_status: 0, response_body: unreachable })).toEqual({
      kind: 'no_reply',
      type: 'provider_unreachable',
      message: 'No connection',
    });
    expect(failureOf({ response_status: 499, response_body: rateLimited })).toBeNull();
    // It left because of what the stream told it.
    expect(failureOf({ response_status: 499, response_body: eventsWithError })).toMatchObject({ kind: 'reply' });
    expect(failureOf({ response_status: -3, response_body: rateLimited })).toBeNull();
  });

  test('from the cache', () => {
    expect(failureOf({ response_status: 200, cached: true, response_body: rateLimited })).toBeNull();
  });
});

test.each([[null], [{ kind: 'refused', type: 'budget_exceeded', message: 'The budget is used up.' }]])(
  'what an imported record states of its failure stays (%j)',
  (failure) => {
    expect(failureOf({ response_status: 429, response_body: rateLimited, failure })).toEqual(failure);
  },
);

const withoutAnna: RedactTexts = (texts) => ({ ...texts, failureMessage: texts.failureMessage.replace('anna', '[name]') });

test('the message of an imported record is redacted whole and then cut', () => {
  const response = { error: { message: `${'x'.repeat(1020)}anna failed`, type: 't' } };
  expect(failureOf({ response_status: 500, response_body: response }, withoutAnna)?.message).toBe(`${'x'.repeat(1020)}[nam`);
});
