import { readExactly } from '../../src/model/json/exact-numbers.ts';
import { basePath } from './base-path.ts';
import { createClient } from '../../src/client/client.ts';

const withDigits: ReadonlySet<string> = new Set(['GET /v1/request/{id}', 'GET /v1/request/{id}/beginning']);

/** The API of this page's own service; the browser's cookie stands for a key. */
export const gatelog = createClient({
  apiUrl: basePath === '' ? '' : location.origin + basePath,
  apiKey: null,
  // TRICKY: a browser takes what it has asked for early, by `firstCallOf`, only for a call that follows redirects as well.
  fetch: (address, init) => fetch(address, { ...init, redirect: 'follow' }),
  // Only a request alone has bodies; figures elsewhere are numbers to count with.
  readJson: (text, endpoint) => (withDigits.has(endpoint) ? readExactly(text) : (JSON.parse(text) as unknown)),
});
