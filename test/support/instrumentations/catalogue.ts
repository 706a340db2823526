import type { Facts } from './facts.ts';

/** How spans leave the application. */
export type Processor = 'batch' | 'simple';

/**
 * Where the calls go: to the provider, so that spans alone tell of them; through the gateway; through the gateway from an application whose
 * transport is instrumented too, and so sends `traceparent`.
 */
export type Mode = 'direct' | 'gateway' | 'propagated';

/** What an instrumentation does not tell, as the guide says it. */
export interface Untold {
  /** Calls of which it holds, as {@link Instrumentation.calls} name them. */
  readonly calls: RegExp;
  /** Where it shows; absent: `direct`. */
  readonly modes?: readonly Mode[];
  /** Absent: both. */
  readonly processor?: Processor;
  /** What a record has instead. `missing`: there is no record. `twice`: the span is not known to tell of the gateway's call. */
  readonly facts: Partial<Facts> | 'missing' | 'twice';
  /** Words of the guide: of the instrumentation's row, or for `twice` of any sentence. */
  readonly guide: string;
}

/** An instrumentation and the newest packages that it works with. */
export interface Instrumentation {
  /** Name of its set-up in set-ups.mjs. */
  readonly name: string;
  /** The first is the instrumentation itself. Where no version stands, the newest. */
  readonly packages: readonly string[];
  readonly calls: readonly string[];
  /** How its row in the guide begins. */
  readonly guide: string;
  readonly untold: readonly Untold[];
}

/** The second generation of OpenTelemetry, whose API the third does not take. */
const second = [
  '@opentelemetry/api@1.9',
  '@opentelemetry/context-async-hooks@2',
  '@opentelemetry/core@2',
  '@opentelemetry/exporter-trace-otlp-proto@0.223',
  '@opentelemetry/sdk-trace-base@2',
  '@opentelemetry/instrumentation-undici@0.33',
];
const third = [
  '@opentelemetry/api',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/instrumentation-undici',
];

const openAi = ['chat', 'chat, streamed', 'responses', 'responses, streamed'];
const anthropic = ['messages', 'messages, streamed', 'messages, by the helper'];
const both = [...openAi, 'messages', 'messages, streamed'];

/** Of a stream whose usage an instrumentation does not read. */
const estimated = {
  promptTokens: 26,
  cacheReadTokens: 0,
  completionTokens: 12,
  reasoningTokens: null,
  cost: 0.0000305,
  isEstimated: true,
} as const satisfies Partial<Facts>;
/** Of one that does not read what a cache held. */
const uncached = { cacheReadTokens: 0, reasoningTokens: null, cost: 0.00065 } as const satisfies Partial<Facts>;

/** A span without the identifier of the response, of a call without `traceparent`. */
function twice(calls: RegExp): readonly Untold[] {
  return [{ calls, modes: ['gateway'], facts: 'twice', guide: "is counted beside the gateway's" }];
}

/** Spans that neither name the response nor stand around the call. */
const unrelated: readonly Untold[] = [
  { calls: /./, modes: ['gateway', 'propagated'], facts: 'twice', guide: "is counted beside the gateway's" },
];

const openInferenceOfOpenAi: readonly Untold[] = [
  { calls: /^chat, streamed$/, facts: { ...estimated, model: 'gpt-5-mini' }, guide: 'usage and model of a streamed chat' },
  ...twice(/^chat, streamed$/),
];

const traceloopOfOpenAi: readonly Untold[] = [
  { calls: /^(?:chat|responses)$/, facts: uncached, guide: 'cached and reasoning tokens' },
  { calls: /^chat, streamed$/, facts: estimated, guide: 'usage of a streamed chat' },
  {
    calls: /^responses, streamed$/,
    facts: { model: 'gpt-5-mini', promptTokens: 0, cacheReadTokens: 0, completionTokens: 0, reasoningTokens: null, cost: 0, said: '' },
    guide: 'usage and answer of streamed Responses',
  },
  ...twice(/^responses, streamed$/),
];

export const instrumentations: readonly Instrumentation[] = [
  {
    name: 'anthropic-own',
    packages: ['@anthropic-ai/sdk', ...third],
    calls: anthropic,
    guide: '`@anthropic-ai/sdk`',
    untold: [{ calls: /^messages, streamed$/, facts: { said: '' }, guide: 'the answer of a raw stream' }],
  },
  {
    name: 'openinference-anthropic',
    packages: ['@arizeai/openinference-instrumentation-anthropic', '@anthropic-ai/sdk', ...second],
    calls: anthropic,
    guide: '`@arizeai/openinference-instrumentation-anthropic`',
    untold: [],
  },
  {
    name: 'openinference-openai',
    packages: ['@arizeai/openinference-instrumentation-openai', 'openai', ...second],
    calls: openAi,
    guide: '`@arizeai/openinference-instrumentation-openai`',
    untold: openInferenceOfOpenAi,
  },
  {
    name: 'openinference-langchain',
    packages: ['@arizeai/openinference-instrumentation-langchain', '@langchain/core', '@langchain/openai', ...second],
    calls: openAi,
    guide: '`@arizeai/openinference-instrumentation-langchain`',
    untold: [],
  },
  {
    name: 'openinference-agents',
    packages: ['@arizeai/openinference-instrumentation-openai', '@openai/agents', 'openai', 'zod', ...second],
    calls: openAi,
    guide: '`@arizeai/openinference-instrumentation-openai`',
    untold: openInferenceOfOpenAi,
  },
  {
    name: 'traceloop-openai',
    packages: ['@traceloop/instrumentation-openai', 'openai@6', ...second],
    calls: openAi,
    guide: '`@traceloop/instrumentation-openai`',
    untold: traceloopOfOpenAi,
  },
  {
    name: 'traceloop-anthropic',
    packages: ['@traceloop/instrumentation-anthropic', '@anthropic-ai/sdk@0.137', ...second],
    calls: anthropic,
    guide: '`@traceloop/instrumentation-anthropic`',
    untold: [],
  },
  {
    name: 'openlit-openai',
    packages: ['openlit', 'openai', ...second],
    calls: openAi,
    guide: '`openlit`',
    untold: [{ calls: /^chat/, facts: { reasoningTokens: null }, guide: 'reasoning tokens of chats' }],
  },
  {
    name: 'openlit-anthropic',
    packages: ['openlit', '@anthropic-ai/sdk', ...second],
    calls: anthropic,
    guide: '`openlit`',
    untold: [{ calls: /helper$/, facts: 'missing', guide: 'calls by `messages.stream()`' }],
  },
  {
    name: 'opentelemetry-openai',
    packages: [
      '@opentelemetry/instrumentation-openai',
      'openai@6',
      '@opentelemetry/sdk-logs',
      '@opentelemetry/exporter-logs-otlp-proto',
      ...third,
    ],
    calls: openAi,
    guide: '`@opentelemetry/instrumentation-openai`',
    untold: [{ calls: /./, facts: uncached, guide: 'cached and reasoning tokens' }],
  },
  {
    name: 'ai-7',
    packages: ['@ai-sdk/otel', 'ai', '@ai-sdk/openai', '@ai-sdk/anthropic', ...second],
    calls: both,
    guide: 'AI SDK 7',
    untold: [{ calls: /^messages/, facts: { cost: 0.004755 }, guide: 'how long Anthropic keeps a write to its cache' }],
  },
  { name: 'ai-6', packages: ['ai@6', '@ai-sdk/openai@3', '@ai-sdk/anthropic@3', ...second], calls: both, guide: 'AI SDK 6', untold: [] },
  {
    name: 'langfuse',
    packages: [
      '@langfuse/openai',
      '@langfuse/otel',
      '@langfuse/tracing',
      'openai',
      '@opentelemetry/exporter-trace-otlp-http@0.223',
      ...second,
    ],
    calls: openAi,
    guide: '`@langfuse/openai`',
    untold: [{ calls: /^chat, streamed$/, facts: { model: 'gpt-5-mini' }, guide: 'the model that answers a streamed chat' }, ...unrelated],
  },
  {
    name: 'mastra',
    packages: [
      '@mastra/otel-exporter',
      '@mastra/core',
      '@mastra/observability',
      '@ai-sdk/openai',
      '@ai-sdk/anthropic',
      'zod',
      ...second.filter((each) => !each.includes('exporter')),
      '@opentelemetry/exporter-trace-otlp-proto@0.218',
    ],
    calls: both,
    guide: 'Mastra',
    untold: [
      { calls: /^messages/, facts: { cost: 0.004755 }, guide: 'how long Anthropic keeps a write to its cache' },
      { calls: /./, processor: 'simple', facts: { asked: '' }, guide: 'they stand on the step around it' },
      ...unrelated,
    ],
  },
];
