import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call that reached the provider. */
export interface SeenCall {
  readonly method: string;
  readonly url: string;
  /** Raw headers: name, value, name, value, … */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export type Behaviour = (call: SeenCall, response: ServerResponse, request: IncomingMessage) => void;

/** A provider on loopback whose behaviour a test sets; it keeps every call. */
export interface FakeOpenAi {
  /** The value for `GATELOG_PROVIDER_OPENAI_URL`. */
  readonly baseUrl: string;
  readonly seen: SeenCall[];
  /** Replaces the behaviour for all later calls. */
  readonly behave: (behaviour: Behaviour) => void;
  readonly close: () => Promise<void>;
}

export async function startFakeOpenAi(): Promise<FakeOpenAi> {
  const seen: SeenCall[] = [];
  let behaviour: Behaviour = answerChat;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = { method: request.method ?? '', url: request.url ?? '', rawHeaders: request.rawHeaders, body: Buffer.concat(chunks) };
      seen.push(call);
      behaviour(call, response, request);
    });
  });
  // With Node's default of five seconds, a machine that was paused would close connections on which a call has just arrived.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    behave: (next) => {
      behaviour = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

export const usage = {
  prompt_tokens: 1000,
  completion_tokens: 200,
  total_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 400, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 50, audio_tokens: 0 },
};

export const completion = {
  id: 'chatcmpl-fake',
  object: 'chat.completion',
  created: 1_780_000_000,
  model: 'gpt-4o-2024-08-06',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Grüße, 世界 🌍', refusal: null }, logprobs: null, finish_reason: 'stop' }],
  usage,
  service_tier: 'default',
};

function chunkEvent(fields: object): string {
  const { id, created, model } = completion;
  return `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model, ...fields })}\n\n`;
}

/** The events of a streamed completion, with `[DONE]`. */
export function streamEvents(words: readonly string[] = ['Grüße,', ' 世界', ' 🌍']): string[] {
  return [
    chunkEvent({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
    ...words.map((content) => chunkEvent({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
    chunkEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    chunkEvent({ choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

/** Answers like OpenAI, with JSON or a stream. */
export function answerChat(call: SeenCall, response: ServerResponse): void {
  const body = JSON.parse(call.body.toString('utf8')) as { readonly stream?: boolean };
  if (body.stream === true) {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_fake' });
    for (const event of streamEvents()) response.write(event);
    response.end();
    return;
  }
  const text = JSON.stringify(completion);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), 'x-request-id': 'req_fake' });
  response.end(text);
}
