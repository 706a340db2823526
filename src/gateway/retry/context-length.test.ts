import { describe, expect, it } from 'vitest';
import { reportsTooLong } from './context-length.ts';

describe('a refusal that says that the prompt is too long', () => {
  it.each([
    `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}`,
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
    '{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}',
    '{"message":"Input is too long for requested model."}',
    `{"error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}`,
    '{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error"}}',
    '{"message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}',
  ])('%s', (body) => {
    expect(reportsTooLong(Buffer.from(body))).toBe(true);
  });

  it.each([
    '{"error":{"message":"Invalid value for temperature","code":"invalid_value"}}',
    '{"error":{"message":"max_tokens is too large: 99999. This model supports at most 16384 completion tokens"}}',
    '{"error":{"message":"The model `x` does not exist"}}',
    '',
  ])('%j does not', (body) => {
    expect(reportsTooLong(Buffer.from(body))).toBe(false);
  });
});
