import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from '../../model/record/exchange.ts';
import { type Rig, type RigOptions, startRig } from './gateway-harness.ts';
import { bodyOf, ourKey, type Provider, requestText, startProvider } from './raw-http.ts';

/** What a provider does with one call: a status with a JSON body, a broken connection, or anything else. */
export type Answer = number | 'reset' | ((request: IncomingMessage, response: ServerResponse) => void);

/** A provider that answers as written, one answer a call, the last one again and again. */
export interface ScriptedProvider extends Provider {
  /** Bodies of the calls. */
  readonly bodies: readonly string[];
  /** What each call carried in one header; undefined where it did not. */
  readonly heard: (name: string) => readonly unknown[];
}

const opened: { close: () => unknown }[] = [];

/** Closes all that the test has started. */
export async function closeAll(): Promise<void> {
  for (const { close } of opened.splice(0)) await close();
}

export async function scripted(...answers: readonly Answer[]): Promise<ScriptedProvider> {
  const bodies: string[] = [];
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then((body) => {
      const answer = answers[Math.min(bodies.length, answers.length - 1)] ?? 200;
      bodies.push(body.toString('latin1'));
      if (answer === 'reset') request.socket.destroy();
      else if (typeof answer === 'function') answer(request, response);
      else answerWith(response, answer, bodies.length);
    });
  });
  opened.push(provider);
  return { ...provider, bodies, heard: (name) => provider.requests.map(({ headers }) => headers[name]) };
}

function answerWith(response: ServerResponse, status: number, number: number): void {
  const body = JSON.stringify({ answer: number, model: 'answering-model' });
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length, 'X-Request-Id': `call-${number}` });
  response.end(body);
}

export async function rigWith(options: RigOptions): Promise<Rig> {
  const rig = await startRig(options);
  opened.push(rig);
  return rig;
}

/** A chat call with a caller's key of its own; `headers` may bring another. */
export function chat(headers: readonly string[], body = '{"model":"gpt-4o"}'): string {
  const auth = headers.some((header) => /^authorization:/i.test(header)) ? [] : ['Authorization: Bearer caller-key'];
  return requestText(
    'POST /v1/chat/completions',
    ['Content-Type: application/json', `Svc-Auth: Bearer ${ourKey}`, ...auth, ...headers],
    body,
  );
}

/** Headers that ask for so many retries, after hardly any wait. */
export function retrying(retries: number): readonly string[] {
  return ['Svc-Retry-Enabled: true', `Svc-Retry-Num: ${retries}`, 'Svc-Retry-Min-Timeout: 0', 'Svc-Retry-Max-Timeout: 1'];
}

/** The attempts on record: provider, status and error of each. */
export function attemptsOf(exchange: Exchange | undefined): readonly (readonly (string | number)[])[] | undefined {
  return exchange?.end?.attempts?.map(({ provider, status, error }) => [provider, status, ...(error === undefined ? [] : [error])]);
}

/** Takes the call and says nothing. */
export const silent: Answer = () => undefined;

/** A stream whose usage was asked for. */
export const streamWithUsage: Answer = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.end('data: {"choices":[{"index":0}]}\n\ndata: {"choices":[],"usage":{"total_tokens":3}}\n\ndata: [DONE]\n\n');
};

/** A stream that stays open after its first event. */
export const hangingStream: Answer = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write('data: {"n":1}\n\n');
};

/** A gateway with three providers. */
export interface Scene {
  readonly rig: Rig;
  /** OpenAI, to which calls go first. */
  readonly first: ScriptedProvider;
  /** Anthropic, with a key of the deployment's. */
  readonly second: ScriptedProvider;
  /** Groq, with a key of the deployment's. */
  readonly third: ScriptedProvider;
}

/** What each of them answers: OpenAI 500, the others 200 unless said otherwise. */
export interface Answers {
  readonly first?: readonly Answer[];
  readonly second?: readonly Answer[];
  readonly third?: readonly Answer[];
}

const at = ({ port }: ScriptedProvider, path: string): string => `http://127.0.0.1:${port}${path}`;

export async function scene(answers: Answers = {}, options: RigOptions = {}): Promise<Scene> {
  const [first, second, third] = await Promise.all([
    scripted(...(answers.first ?? [500])),
    scripted(...(answers.second ?? [200])),
    scripted(...(answers.third ?? [200])),
  ]);
  const rig = await rigWith({
    providers: {
      openai: { baseUrl: at(first, '/v1') },
      anthropic: { baseUrl: at(second, ''), key: 'deployment-anthropic' },
      groq: { baseUrl: at(third, '/openai/v1'), key: 'deployment-groq' },
    },
    allowed: [`127.0.0.1:${third.port}`],
    ...options,
  });
  return { rig, first, second, third };
}

/** The header with this list. */
export const fallbacks = (...list: readonly object[]): string => `Svc-Fallbacks: ${JSON.stringify(list)}`;
export const toAnthropic = fallbacks({ provider: 'anthropic', model: 'claude' });
