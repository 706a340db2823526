import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { curlOf } from './curl.ts';
import { finishReasonOf } from './finish-reason.ts';
import { spansOf, tokensPerSecond } from './timing.ts';

const recording = (name: string): unknown => JSON.parse(readFileSync(`src/providers/${name}.json`, 'utf8')) as unknown;

/** What curl gets: a stand-in writes its arguments and its input. */
const run = (command: string): { readonly args: readonly string[]; readonly input: Buffer } => {
  const standIn = 'curl() { for one in "$@"; do printf "%s\\0" "$one"; done; printf "\\0"; cat; }';
  const environment = { PATH: process.env['PATH'], GATELOG_API_KEY: 'sk-key', GATELOG_GATEWAY_URL: 'http://gateway' };
  const output = execFileSync('sh', ['-c', `${standIn}\n${command}`], { env: environment, input: '' });
  const end = output.indexOf('\0\0');
  return { args: output.subarray(0, end).toString().split('\0'), input: output.subarray(end + 2) };
};

describe('the command of a request', () => {
  const hostile = `it's $(touch /tmp/x) \`id\` "\\ ü\nBODY\n$HOME`;
  test('sends the body as it is, with the tags, and nothing of it is expanded', () => {
    const text = JSON.stringify({ text: hostile }, undefined, 2);
    const call = { request_path: "/v1/chat/completions?a=it's", properties: { Team: hostile }, request_user_id: "o'neill" };
    const { args, input } = run(curlOf(call, { kind: 'json', text: () => text, contentType: 'application/json' }));
    expect(args.slice(0, 7)).toEqual([
      "http://gateway/v1/chat/completions?a=it's",
      '-H',
      'Authorization: Bearer sk-key',
      '-H',
      'Content-Type: application/json',
      '-H',
      "Svc-User-Id: o'neill",
    ]);
    const [, properties = ''] = /^Svc-Properties: ([ -~]*)$/.exec(args[8] ?? '') ?? [];
    expect(JSON.parse(properties)).toEqual({ Team: hostile });
    expect(input.toString()).toBe(`${text}\n`);
  });
  test('ends a text at a word that is not in it', () => {
    const { input } = run(
      curlOf({ request_path: '/', properties: {}, request_user_id: '' }, { kind: 'text', text: () => hostile, contentType: 'text/plain' }),
    );
    expect(input.toString()).toBe(`${hostile}\n`);
  });
  test('sends bytes', () => {
    const bytes = { kind: 'bytes', text: () => 'AAECAw==', contentType: 'image/png' } as const;
    expect(run(curlOf({ request_path: '/', properties: {}, request_user_id: '' }, bytes)).input).toEqual(Buffer.from([0, 1, 2, 3]));
  });
  test('has no body where none is kept', () => {
    expect(run(curlOf({ request_path: '/v1/models', properties: {}, request_user_id: '' }, undefined)).args).toEqual([
      'http://gateway/v1/models',
      '-H',
      'Authorization: Bearer sk-key',
    ]);
  });
});

test.each([
  ['openai/__fixtures__/chat-response', 'stop'],
  ['openai/__fixtures__/responses-response', 'completed'],
  ['anthropic/__fixtures__/messages-response', 'end_turn'],
  ['google/__fixtures__/generate-response', 'STOP'],
  ['amazon/__fixtures__/converse-response', 'end_turn'],
  ['cohere/__fixtures__/chat-response', 'COMPLETE'],
  ['ollama/__fixtures__/chat-response', 'stop'],
  ['openai/__fixtures__/embeddings-response', null],
])('%s ended by %s', (name, reason) => {
  expect(finishReasonOf(recording(name))).toBe(reason);
});

const lengths = (call: Parameters<typeof spansOf>[0]): readonly string[] => spansOf(call).map(({ id, ms }) => `${id} ${ms}`);

describe('the spans of a call', () => {
  test.each([
    [
      'a stream',
      { latency: 1000, time_to_first_token: 200, gateway_overhead_ms: 5, cached: false },
      ['gateway 5', 'first-token 195', 'stream 800'],
    ],
    ['one answer', { latency: 1000, time_to_first_token: null, gateway_overhead_ms: 5, cached: false }, ['gateway 5', 'response 995']],
    ['a record from elsewhere', { latency: 9, time_to_first_token: null, gateway_overhead_ms: null, cached: false }, ['response 9']],
    ['no answer', { latency: null, time_to_first_token: null, gateway_overhead_ms: 5, cached: false }, []],
  ])('of %s add up to its latency', (_what, call, expected) => {
    expect(lengths(call)).toEqual(expected);
  });
  test('output tokens a second count the time of the stream alone', () => {
    expect(tokensPerSecond({ latency: 3000, time_to_first_token: 1000, completion_tokens: 100 })).toBe(50);
    expect(tokensPerSecond({ latency: 3000, time_to_first_token: null, completion_tokens: 100 })).toBeNull();
  });
});
