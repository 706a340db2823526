import { describe, expect, test } from 'vitest';
import { chatRequest, chatResponse } from '../testing/ingest-harness.ts';
import { interpret } from '../testing/exchange-builder.ts';

describe('an exchange of several attempts', () => {
  const attempts = [
    { provider: 'openai', status: 0, ms: 12, error: 'provider_timeout' },
    { provider: 'gemini', status: 429, ms: 3 },
    { provider: 'echo', status: 200, ms: 4 },
  ];
  const recorded = [
    { provider: 'OPENAI', status: 0, ms: 12, error: 'provider_timeout' },
    { provider: 'GOOGLE', status: 429, ms: 3 },
    { provider: 'ECHO', status: 200, ms: 4 },
  ];
  const listed = chatRequest.replace('"echo-1"', '"gpt-4o, echo/echo-1"');

  test('tells them, under the names of records, and the model that the last one asked for', () => {
    const record = interpret({ request: listed, response: chatResponse.replace('echo-1', ''), end: { attempts, model: 'echo-1' } });
    expect(record).toMatchObject({ attempts: recorded, requestModel: 'echo-1', model: 'echo-1', costSource: 'price-book' });
    expect(record.requestBody).toEqual({ kind: 'json', text: listed });
  });

  test('tells those that were known when its worker died', () => {
    expect(interpret({ request: listed, end: null, told: { attempts, model: 'echo-1' } })).toMatchObject({
      attempts: recorded,
      requestModel: 'echo-1',
    });
  });

  test('asked the model of its last attempt, else the one that its first went out with', () => {
    const open = { model: 'echo-1' };
    const request = chatRequest.replace('"echo-1"', '"echo/echo-1"');
    const response = chatResponse.replace('echo-1', '');
    expect(interpret({ open, request, response })).toMatchObject({ requestModel: 'echo-1', model: 'echo-1', costSource: 'price-book' });
    expect(interpret({ open, request, end: null, head: false })).toMatchObject({ requestModel: 'echo-1' });
    expect(interpret({ open, request, response, end: { attempts, model: 'echo-2' } })).toMatchObject({ requestModel: 'echo-2' });
  });

  test('of a single attempt there is nothing to tell', () => {
    expect(interpret().attempts).toEqual([]);
  });
});
