import { describe, expect, test } from 'vitest';
import { interpret, json } from '../testing/exchange-builder.ts';
import type { RecordTexts } from './record-texts.ts';

function madeBy(userAgent: string): readonly string[] {
  const { client, clientVersion } = interpret({ requestHeaders: { ...json, 'user-agent': userAgent } });
  return [client, clientVersion];
}

function redact(texts: RecordTexts): RecordTexts {
  const { userAgent, clientVersion } = texts;
  return { ...texts, userAgent: userAgent.replace('anna', '[name]'), clientVersion: clientVersion.replace('anna', '[name]') };
}

describe('the program that made a call', () => {
  test('is told by its user agent', () => {
    expect(madeBy('claude-cli/2.1.332 (external, sdk-cli)')).toEqual(['claude-code', '2.1.332']);
    expect([interpret().client, interpret().clientVersion]).toEqual(['', '']);
  });

  test('is told by its own headers where its user agent is that of a package', () => {
    const requestHeaders = { ...json, 'user-agent': 'OpenAI/JS 7.59.0', 'x-title': 'Cline', 'x-cline-version': '3.74.0' };
    expect(interpret({ requestHeaders })).toMatchObject({ client: 'cline', clientVersion: '3.74.0' });
  });

  test('is read after the rules of redaction for requests', () => {
    expect(interpret({ requestHeaders: { ...json, 'user-agent': 'anna-bot/3' }, redact })).toMatchObject({ client: '[name]-bot' });
    const requestHeaders = { ...json, 'x-title': 'Cline', 'x-cline-version': '3.74.0-anna' };
    expect(interpret({ requestHeaders, redact })).toMatchObject({ client: 'cline', clientVersion: '3.74.0-[name]' });
  });
});

describe('the first byte', () => {
  test('of an event stream is that of its first token too', () => {
    const headers = { 'content-type': 'text/event-stream' };
    expect(interpret({ headers, response: 'data: {}\n\n', end: { firstByteMs: 40 } })).toMatchObject({
      streamed: true,
      timeToFirstByteMs: 40,
      timeToFirstTokenMs: 40,
    });
  });

  test('of another response tells of no token', () => {
    expect(interpret({ end: { firstByteMs: 40 } })).toMatchObject({ streamed: false, timeToFirstByteMs: 40, timeToFirstTokenMs: null });
  });
});
