import { randomFillSync } from 'node:crypto';
import { encodedRequest } from '../../src/otlp/testing/encode.ts';
import { requestOf, type WrittenSpan } from '../../src/otlp/testing/spans.ts';

export interface BatchShape {
  /** An exporter sends 512 at most, unless told otherwise. */
  readonly spans: number;
  /** Of the prompt, in bytes. */
  readonly promptBytes: number;
}

const marker = 'b'.repeat(32);
const spanIdBytes = 8;

/**
 * Requests of OTLP whose spans are all different: one is encoded, and each further one has another trace in the same bytes. Three of four
 * spans are calls of a model, the fourth is their agent.
 */
export class Batches {
  readonly spans: number;
  readonly calls: number;
  readonly bytes: number;
  private readonly template: Buffer;
  private readonly places: readonly number[];

  constructor({ spans, promptBytes }: BatchShape) {
    const startMs = Date.now() - 60_000;
    const written = Array.from({ length: spans }, (_, index) => spanAt(index, promptBytes, startMs));
    this.template = Buffer.from(encodedRequest(requestOf(written, { 'service.name': 'bench' })));
    this.places = placesOf(this.template, Buffer.from(marker, 'hex'));
    if (this.places.length !== spans) throw new Error('The encoded spans do not have one trace each.');
    this.spans = spans;
    this.calls = written.filter(({ kind }) => kind === 3).length;
    this.bytes = this.template.length;
  }

  next(): Buffer {
    const batch = Buffer.from(this.template);
    const trace = randomFillSync(Buffer.alloc(marker.length / 2));
    for (const place of this.places) batch.set(trace, place);
    return batch;
  }
}

function spanAt(index: number, promptBytes: number, startMs: number): WrittenSpan {
  const spanId = (index + 1).toString(16).padStart(2 * spanIdBytes, '0');
  const agent = index - (index % 4);
  const times = { traceId: marker, spanId, startMs: startMs + index, endMs: startMs + index + 1500 };
  if (index % 4 === 0) {
    return {
      ...times,
      name: 'invoke_agent Bench',
      kind: 1,
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'session.id': 'bench' },
    };
  }
  return {
    ...times,
    parentSpanId: (agent + 1).toString(16).padStart(2 * spanIdBytes, '0'),
    name: 'chat gpt-4o-mini',
    kind: 3,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.response.model': 'gpt-4o-mini-2024-07-18',
      'gen_ai.usage.input_tokens': 900,
      'gen_ai.usage.output_tokens': 120,
      'gen_ai.usage.cache_read.input_tokens': 400,
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', parts: [{ type: 'text', content: `Question ${index}. `.padEnd(promptBytes, 'Why is that so? ') }] },
      ]),
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: `Answer ${index}. `.padEnd(500, 'Because. ') }], finish_reason: 'stop' },
      ]),
    },
  };
}

function placesOf(bytes: Buffer, sought: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(sought); at !== -1; at = bytes.indexOf(sought, at + sought.length)) places.push(at);
  return places;
}
