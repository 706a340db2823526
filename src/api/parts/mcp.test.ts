import { expect, it } from 'vitest';
import { serverOriginsOf } from './mcp.ts';

it.each([
  ['http://127.0.0.1:80', ['http://127.0.0.1', 'http://localhost', 'http://[::1]']],
  ['http://localhost:8788/base', ['http://127.0.0.1:8788', 'http://localhost:8788', 'http://[::1]:8788']],
  ['https://logs.example.com/base', ['https://logs.example.com']],
  ['no address', []],
])('pages of %s have these origins', (baseUrl, origins) => {
  expect(serverOriginsOf(baseUrl)).toEqual(origins);
});
