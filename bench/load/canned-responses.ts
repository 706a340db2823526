/** Responses of the fake provider. The load generator knows their sizes, so a short body is an error. */

const model = 'gpt-4o-mini';
const created = 1_760_000_000;
const streamEventCount = 20;

const sentence =
  'Latency is the time one caller waits, throughput is the work all callers get done, and a gateway that stands between them and a model ' +
  'should change neither by more than can be measured with care. ';

const usage = {
  prompt_tokens: 212,
  completion_tokens: 120,
  total_tokens: 332,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
};

/** A chat completion of about 1 KB. */
export const jsonBody = completion(sentence.repeat(3));

/** A chat completion of at least `kilobytes` thousand bytes. */
export function longJsonResponse(kilobytes: number): Buffer {
  return completion(sentence.repeat(Math.ceil((kilobytes * 1000) / sentence.length)));
}

function completion(content: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      id: 'chatcmpl-bench0000000000000000000000',
      object: 'chat.completion',
      created,
      model,
      choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' }],
      usage,
      service_tier: 'default',
      system_fingerprint: 'fp_bench',
    }),
  );
}

/** The events of a streamed chat completion: words, usage, `[DONE]`. */
export const streamBody: readonly Buffer[] = streamEvents().map((data) => Buffer.from(`data: ${data}\n\n`));

/** The text after the stamp in a stamped event. */
const stampedRest = JSON.stringify(wordChunk(' word')).slice(1);

/** Bytes of the whole streamed body, without chunk framing. */
export const streamResponseBytes = streamBody.reduce((total, event) => total + event.length, 0);

/** An event that carries the time of its sending, in microseconds of the machine's monotonic clock. `StreamGaps` reads it. */
export function stampedEvent(sentMicros: bigint): Buffer {
  return Buffer.from(`data: {"sent_us":${sentMicros},${stampedRest}\n\n`);
}

function streamEvents(): string[] {
  const head = chunkHead();
  const words = Array.from({ length: streamEventCount - 3 }, (_unused, index) => JSON.stringify(wordChunk(` word ${index}`)));
  const stop = JSON.stringify({ ...head, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }] });
  return [...words, stop, JSON.stringify({ ...head, choices: [], usage }), '[DONE]'];
}

function chunkHead(): object {
  return { id: 'chatcmpl-bench0000000000000000000000', object: 'chat.completion.chunk', created, model, system_fingerprint: 'fp_bench' };
}

function wordChunk(word: string): object {
  return { ...chunkHead(), choices: [{ index: 0, delta: { content: word }, logprobs: null, finish_reason: null }] };
}
