import { describe, expect, it } from 'vitest';
import { type AwsKeys, type SignedRequest, signAws } from './aws-signature.ts';

/** Of the test suite that Amazon publishes for its signature. */
const keys: AwsKeys = { accessKey: 'AKIDEXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', sessionToken: undefined };
const scope = { region: 'us-east-1', service: 'service', at: Date.UTC(2015, 7, 30, 12, 36, 0) };
const get: SignedRequest = { method: 'GET', host: 'example.amazonaws.com', path: '/', body: Buffer.alloc(0) };
const signatureOf = (lines: readonly string[]): string => lines.at(-1)?.split('Signature=')[1] ?? '';

describe('Amazon`s Signature Version 4', () => {
  it.each([
    ['get-vanilla', get, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', { ...get, method: 'POST' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'get-vanilla-query-order-key-case',
      { ...get, path: '/?Param2=value2&Param1=value1' },
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
  ])('%s', (_name, request, signature) => {
    expect(signatureOf(signAws(keys, request, scope))).toBe(signature);
  });

  it.each([
    ['/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse', 'ca11d46669abf60084851976bdc2cf3440ae9058a7f0f263ce7f52ad6a751f16'],
    [
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fx/invoke?b=2&a=x%20y',
      '16b5f4a8d6c56e2235af398a4dd9fb2b1f1ae1d59a39d301eed0715369e1d5d2',
    ],
  ])('%s is signed as botocore 1.43.11 signs it', (path, signature) => {
    const request = { method: 'POST', host: 'bedrock-runtime.us-east-1.amazonaws.com', path, body: Buffer.from('{"messages":[]}') };
    const lines = signAws({ ...keys, sessionToken: 'token' }, request, { ...scope, service: 'bedrock', at: Date.UTC(2026, 10, 23, 12) });
    expect(signatureOf(lines)).toBe(signature);
  });

  it('the lines are the time, the token and the signature', () => {
    const lines = signAws({ ...keys, sessionToken: 'token' }, get, { ...scope, service: 'bedrock' });
    expect(lines.slice(0, 5)).toEqual(['x-amz-date', '20150830T123600Z', 'x-amz-security-token', 'token', 'authorization']);
    expect(lines[5]).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20150830\/us-east-1\/bedrock\/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    );
  });

  it('the body, the host and every byte of the path are signed', () => {
    const signatures = [
      get,
      { ...get, body: Buffer.from('x') },
      { ...get, host: 'other.amazonaws.com' },
      { ...get, path: '/model/a:0' },
      { ...get, path: '/model/a%3A0' },
    ].map((request) => signatureOf(signAws(keys, request, scope)));
    expect(new Set(signatures).size).toBe(5);
  });
});
