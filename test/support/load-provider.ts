import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type FakeOpenAi, type SeenCall, startFakeOpenAi } from './fake-openai.ts';

/** Tokens of call `number`; they differ, so that costs do. */
export function tokensOf(number: number): { readonly prompt_tokens: number; readonly completion_tokens: number } {
  return { prompt_tokens: 100 + (number % 7), completion_tokens: 1 + (number % 50) };
}

/** US dollars for the tokens of a call, at the list price of {@link loadModel}. */
export function costOf(number: number): number {
  const { prompt_tokens: prompt, completion_tokens: completion } = tokensOf(number);
  return (prompt * 2.5 + completion * 10) / 1e6;
}

export const loadModel = 'gpt-4o';
/** The provider answers this model with 500. */
export const failingModel = 'gpt-4o-mini';
/** A call with this text is refused the first time. */
export const refusedOnce = 'refused once';
const pauseBetweenEventsMs = 15;

/** A provider for load: it answers `call <number>` with the tokens of that number, as immediate JSON or as a slow stream. */
export async function startLoadProvider(): Promise<FakeOpenAi> {
  const provider = await startFakeOpenAi();
  const refused = new Set<string>();
  provider.behave((call, response) => {
    // Nothing reads the seen calls, and hours of load would fill the memory with them.
    provider.seen.length = 0;
    answer(call, response, refused);
  });
  return provider;
}

function answer(call: SeenCall, response: ServerResponse, refused: Set<string>): void {
  const { model, stream, messages } = JSON.parse(call.body.toString('utf8')) as {
    readonly model: string;
    readonly stream?: boolean;
    readonly messages: readonly { readonly content: string }[];
  };
  const text = messages[0]?.content ?? '';
  const number = /call (\d+)/.exec(text)?.[1] ?? '0';
  if (text.includes(refusedOnce) && !refused.has(number)) {
    refused.add(number);
    sendJson(response, 429, { error: { message: 'Slow down.', type: 'rate_limit', param: null, code: null } });
  } else if (model === failingModel) {
    sendJson(response, 500, { error: { message: 'Out of order.', type: 'server_error', param: null, code: null } });
  } else if (stream === true) void sendStream(response, Number(number));
  else {
    refused.delete(number);
    const choice = { index: 0, message: { role: 'assistant', content: `answer ${number}` }, finish_reason: 'stop' };
    sendJson(response, 200, { ...heading('chat.completion', newId()), choices: [choice], usage: usageOf(Number(number)) });
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

async function sendStream(response: ServerResponse, number: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const id = newId();
  const words = ['answer', ` ${number}`, ' in', ' pieces'];
  for (const content of words) {
    response.write(event(id, { choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
    await wait(pauseBetweenEventsMs);
  }
  response.write(event(id, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  response.write(event(id, { choices: [], usage: usageOf(number) }));
  response.end('data: [DONE]\n\n');
}

function event(id: string, fields: object): string {
  return `data: ${JSON.stringify({ ...heading('chat.completion.chunk', id), ...fields })}\n\n`;
}

/** As providers name each response: calls with one name are looked at as if they were the same. */
function newId(): string {
  return `chatcmpl-${randomUUID()}`;
}

function heading(object: string, id: string): object {
  return { id, object, created: 1_780_000_000, model: loadModel };
}

function usageOf(number: number): object {
  const tokens = tokensOf(number);
  return { ...tokens, total_tokens: tokens.prompt_tokens + tokens.completion_tokens };
}
