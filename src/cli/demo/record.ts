import type { ImportRecord } from '../../client/nouns/imports.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface Message {
  readonly role: string;
  readonly content: unknown;
  /** Of the call whose result it is. */
  readonly tool_call_id?: string;
}

/** A call as the demo tells it. */
export interface DemoCall {
  /** Unix milliseconds. */
  readonly at: number;
  readonly model: string;
  readonly messages: readonly Message[];
  /** What the model says; an object is a whole message, such as a call of a tool. */
  readonly answer: string | object;
  readonly user: string;
  readonly country: string;
  readonly session?: { readonly id: string; readonly name: string; readonly path: string };
  readonly properties: Readonly<Record<string, string>>;
  /** Status of a failure. */
  readonly failure: number | undefined;
  /** How much longer the prompt is than its text here. */
  readonly promptFactor?: number;
  /** Share of the prompt that the provider had in its cache. */
  readonly cached?: number;
}

const failures: Readonly<Record<number, string>> = {
  400: 'The request has an unknown parameter.',
  429: 'Rate limit reached for this model. Try again in 20 s.',
  500: 'The server had an error while it processed the request.',
};

const providers = [
  { prefix: 'claude', name: 'ANTHROPIC' },
  { prefix: 'gemini', name: 'GOOGLE' },
] as const;

const charactersOfToken = 4;

/** The record of a call, as an import takes it. Its cost comes from the price list afterwards. */
export function recordOf(random: SeededRandom, call: DemoCall): ImportRecord {
  const { at, model, messages, answer, failure, promptFactor = 1, cached = 0 } = call;
  const provider = providers.find(({ prefix }) => model.startsWith(prefix))?.name ?? 'OPENAI';
  const prompt = Math.ceil((JSON.stringify(messages).length * promptFactor) / charactersOfToken);
  const completion = Math.ceil(JSON.stringify(answer).length / charactersOfToken) + random.between(4, 40);
  const latency = Math.round(250 + completion * (8 + random.next() * 14) + random.next() ** 4 * 9000);
  const { session } = call;
  return {
    request_id: random.uuid(),
    request_created_at: new Date(Math.floor(at)).toISOString(),
    provider,
    request_path: '/v1/chat/completions',
    model,
    request_model: model,
    ...(failure === undefined ? { response_model: model } : {}),
    request_body: { model, messages, stream: true },
    response_body:
      failure === undefined
        ? { model, choices: [{ index: 0, message: messageOf(answer), finish_reason: 'stop' }], usage: usageOf(prompt, completion, cached) }
        : { error: { message: failures[failure] ?? 'It failed.', code: failure } },
    response_status: failure ?? 200,
    latency: failure === undefined ? latency : random.between(40, 400),
    time_to_first_token: failure === undefined ? Math.round(latency * 0.25) : null,
    request_user_id: call.user,
    country_code: call.country,
    ...(session === undefined ? {} : { session_id: session.id, session_name: session.name, session_path: session.path }),
    properties: call.properties,
    ...(failure === undefined
      ? { prompt_tokens: prompt, completion_tokens: completion, prompt_cache_read_tokens: Math.floor(prompt * cached) }
      : {}),
  };
}

function messageOf(answer: string | object): object {
  return typeof answer === 'string' ? { role: 'assistant', content: answer } : answer;
}

function usageOf(prompt: number, completion: number, cached: number): object {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: Math.floor(prompt * cached) },
  };
}
