import type { ImportRecord } from '../../client/nouns/imports.ts';
import type { DemoClient } from './clients.ts';
import { type Answer, type Prompt, tokensOfAnswer, tokensOfPrompt } from './base/conversation.ts';
import { drawnFault, type Fault, failureFields, isCut } from './faults.ts';
import type { SeededRandom } from './base/seeded-random.ts';
import type { Counts, Wire } from './wires.ts';

export interface Place {
  readonly id: string;
  readonly name: string;
  readonly path: string;
}

/** Who makes calls, and what for. */
export interface Caller {
  readonly client: DemoClient;
  readonly user: string;
  readonly country: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** A call as the demo tells it. */
export interface DemoCall extends Caller {
  /** Unix milliseconds. */
  readonly at: number;
  readonly wire: Wire;
  readonly model: string;
  readonly prompt: Prompt;
  readonly answer: Answer;
  readonly session?: Place | undefined;
  /** Fields of the record that nothing here makes. */
  readonly more?: Partial<ImportRecord> | undefined;
  /** Of the prompt's tokens. */
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly reasoning?: number | undefined;
}

/** The records of a call: where something goes wrong, the failed one and that of the next try. */
export function recordsOf(random: SeededRandom, call: DemoCall): readonly ImportRecord[] {
  const fault = drawnFault(random, call.wire);
  if (fault === undefined) return [recordOf(random, call)];
  const failed = recordOf(random, { ...call, more: undefined }, fault);
  return [failed, recordOf(random, { ...call, at: call.at + (failed.latency ?? 0) + random.between(800, 4000) })];
}

/** The record of a call, as an import takes it. Its cost comes from the price list afterwards. */
export function recordOf(random: SeededRandom, call: DemoCall, fault?: Fault): ImportRecord {
  const { at, wire, model, client, prompt, session } = call;
  const said = fault === undefined ? call.answer : isCut(fault) ? { text: beginning(call.answer.text) } : undefined;
  const counts = countsOf(call, said);
  return {
    request_id: random.uuid(),
    request_created_at: new Date(Math.floor(at)).toISOString(),
    provider: wire.provider,
    request_path: wire.path(model),
    model,
    request_model: model,
    response_model: said === undefined ? '' : model,
    request_body: wire.request(model, prompt),
    ...(said === undefined
      ? {}
      : {
          response_status: 200,
          response_body: wire.response(model, { id: random.token(24), answer: said, counts: fault === undefined ? counts : undefined }),
          ...(fault === undefined ? {} : { usage_estimated: true }),
          prompt_tokens: counts.prompt,
          completion_tokens: counts.completion,
          prompt_cache_read_tokens: counts.cacheRead,
          prompt_cache_write_tokens: counts.cacheWrite,
          ...(counts.reasoning === 0 ? {} : { reasoning_tokens: counts.reasoning }),
        }),
    ...timesOf(random, counts, fault),
    client: client.name,
    client_version: client.version,
    request_user_id: call.user,
    country_code: call.country,
    ...placeOf(session),
    properties: call.properties,
    failure: null,
    ...(fault === undefined ? {} : failureFields(fault, wire)),
    ...call.more,
  };
}

export function placeOf(session: Place | undefined): Partial<ImportRecord> {
  return session === undefined ? {} : { session_id: session.id, session_name: session.name, session_path: session.path };
}

/** Half of the words. */
function beginning(text: string): string {
  const words = text.split(' ');
  return words.slice(0, Math.ceil(words.length / 2)).join(' ');
}

function countsOf({ prompt, cacheRead = 0, cacheWrite = 0, reasoning = 0 }: DemoCall, said: Answer | undefined): Counts {
  const completion = (said === undefined ? 0 : tokensOfAnswer(said)) + reasoning;
  return { prompt: tokensOfPrompt(prompt), completion, cacheRead, cacheWrite, reasoning };
}

function timesOf(random: SeededRandom, { prompt, completion }: Counts, fault: Fault | undefined): Partial<ImportRecord> {
  if (fault?.kind === 'refused') return { latency: 1, time_to_first_byte: 1, time_to_first_token: null, streamed: false };
  if (fault?.kind === 'no_reply') return { latency: 30_000, time_to_first_byte: null, time_to_first_token: null, streamed: false };
  if (fault !== undefined && !isCut(fault)) {
    const latency = random.between(60, 400);
    return { latency, time_to_first_byte: latency - 5, time_to_first_token: null, streamed: fault.kind === 'reply' };
  }
  const firstByte = Math.round(180 + prompt * 0.02 + random.next() ** 4 * 2500);
  const firstToken = firstByte + random.between(2, 40);
  return {
    latency: Math.round(firstToken + completion * (8 + random.next() * 14)),
    time_to_first_byte: firstByte,
    time_to_first_token: firstToken,
    streamed: true,
  };
}
