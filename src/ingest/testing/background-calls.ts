import { systemClock } from '../../platform/clock.ts';
import type { ExchangeSketch } from './ingest-harness.ts';

/** As OpenAI writes it. */
export const usage = {
  input_tokens: 1000,
  input_tokens_details: { cached_tokens: 400 },
  output_tokens: 200,
  output_tokens_details: { reasoning_tokens: 50 },
  total_tokens: 1200,
};
export const model = 'gpt-4o-mini-2024-07-18';

/** A response as OpenAI writes it. */
export function responseOf(id: string, status: string, given: object = {}): string {
  const begun = Math.floor(systemClock.now() / 1000);
  const fields = {
    id,
    object: 'response',
    created_at: begun,
    status,
    background: true,
    model,
    output: [],
    usage: null,
    service_tier: 'auto',
  };
  return JSON.stringify({ ...fields, ...given });
}

export const finished = (id: string, given: object = {}): string =>
  responseOf(id, 'completed', {
    usage,
    service_tier: 'default',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] }],
    ...given,
  });

/** Of the credential that makes and reads all of them, unless a test says otherwise. */
export const credentialHash = 'hash-of-one-credential';

/** A call in the background, as it is answered: before anything was done. */
export const call = (id: string, open: ExchangeSketch['open'] = {}): ExchangeSketch => ({
  open: { provider: 'openai', path: '/v1/responses', targetUrl: 'https://api.openai.com/v1/responses', credentialHash, ...open },
  request: JSON.stringify({ model: 'gpt-4o-mini', input: 'Say hello.', background: true }),
  response: responseOf(id, 'queued'),
});

export const read = (id: string, response: string, open: ExchangeSketch['open'] = {}): ExchangeSketch => ({
  open: {
    provider: 'openai',
    method: 'GET',
    path: `/v1/responses/${id}`,
    targetUrl: `https://api.openai.com/v1/responses/${id}?include[]=x`,
    credentialHash,
    ...open,
  },
  request: '',
  response,
});

let named = 0;

/** An identifier of a response that no other has. */
export const newResponse = (): string => `resp_${(named += 1)}`;
