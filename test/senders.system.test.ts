import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { isJsonObject } from '../src/model/text.ts';
import { wireFormatFor } from '../src/providers/registry.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { eventually } from './support/eventually.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { type RecordedProvider, startRecordedProvider } from './support/recorded-provider.ts';
import { chatBody, messagesBody, missingModel, type Scenario } from './support/sender-calls.mjs';
import { byLength } from './support/test-length.ts';

/**
 * Real packages make a call and tell of it. The record is compared with that of the same call through the gateway: they are equal but for
 * what the package leaves out, which is written down here.
 */
const dataDir = makeDataDir();
let service: Service;
let api: ApiClient;
let provider: RecordedProvider;

beforeAll(async () => {
  provider = await startRecordedProvider(true);
  service = await startService({
    dataDir,
    environment: {
      GATELOG_INGEST_INTERVAL_MS: '20',
      GATELOG_PROVIDER_OPENAI_URL: `${provider.origin}/v1`,
      GATELOG_PROVIDER_ANTHROPIC_URL: provider.origin,
    },
  });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

/** What a record says of a call. */
interface Facts {
  readonly provider: string;
  readonly requestModel: string;
  readonly model: string;
  readonly status: number;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly isEstimated: boolean;
  readonly cost: number | null;
  readonly prompt: string | undefined;
  readonly reply: string | undefined;
  readonly toolCalls: unknown;
  readonly finishReason: string | undefined;
  readonly tools: readonly unknown[];
  readonly temperature: unknown;
  readonly isStream: boolean;
  readonly hasFirstToken: boolean;
}

function factsOf(item: RequestItem): Facts {
  const format = wireFormatFor(item.provider.toLowerCase(), item.request_path ?? '');
  const request = isJsonObject(item.request_body) ? item.request_body : {};
  const response = isJsonObject(item.response_body) ? item.response_body : {};
  const said = format?.readResponse(response);
  return {
    provider: item.provider,
    requestModel: item.request_model ?? '',
    model: item.model ?? '',
    status: item.response_status,
    promptTokens: item.prompt_tokens,
    completionTokens: item.completion_tokens,
    cacheReadTokens: item.prompt_cache_read_tokens,
    cacheWriteTokens: item.prompt_cache_write_tokens,
    reasoningTokens: item.reasoning_tokens,
    isEstimated: item.usage_estimated,
    cost: item.cost,
    prompt: format?.readRequest(request, item.request_path ?? '').promptText,
    reply: said?.completionText,
    toolCalls: toolCallsOf(response),
    finishReason: said?.finishReason,
    tools: Array.isArray(request['tools']) ? request['tools'].map(toolName) : [],
    temperature: request['temperature'],
    isStream: request['stream'] === true,
    hasFirstToken: item.time_to_first_token !== null,
  };
}

function toolName(tool: unknown): unknown {
  if (!isJsonObject(tool)) return tool;
  return isJsonObject(tool['function']) ? tool['function']['name'] : tool['name'];
}

function toolCallsOf({ choices, content }: Readonly<Record<string, unknown>>): unknown {
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
  const message = isJsonObject(choice) && isJsonObject(choice['message']) ? choice['message'] : {};
  const called: unknown[] = Array.isArray(message['tool_calls']) ? message['tool_calls'] : Array.isArray(content) ? content : [];
  return called.filter(isJsonObject).flatMap((call) => {
    if (call['type'] === 'tool_use') return [[call['id'], call['name'], call['input']]];
    if (!isJsonObject(call['function'])) return [];
    return [[call['id'], call['function']['name'], JSON.parse(String(call['function']['arguments']))]];
  });
}

const anthropicApi = 'anthropic';

async function passed(of: string, scenario: Scenario): Promise<RequestItem> {
  const [path, body] =
    of === anthropicApi ? ['/anthropic/v1/messages', messagesBody(scenario)] : ['/v1/chat/completions', chatBody(scenario)];
  const response = await fetch(service.gateway + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'svc-auth': `Bearer ${testKey}`, authorization: 'Bearer sk', 'x-api-key': 'sk' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return api.stored(response.headers.get('svc-id') ?? '');
}

async function told(name: string, scenario: Scenario): Promise<RequestItem> {
  const run = `${name}-${scenario}`.replaceAll(/\W+/g, '-');
  const child = spawn(process.execPath, [fileURLToPath(new URL('support/sender.mjs', import.meta.url)), name, scenario], {
    env: {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${service.gateway}/v1/otlp`,
      // As the guide has it; OpenLIT sends the value as it stands, others decode it.
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${testKey},Svc-Property-Run=${run}`,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      LOG_ENDPOINT: service.gateway,
      LOG_KEY: testKey,
      LOG_RUN: run,
      PROVIDER_URL: provider.origin,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
  const [item, ...others] = await eventually(
    `the request of ${run}`,
    async () => {
      const found = await api.query({ request_response_rmt: { properties: { Run: { equals: run } } } });
      return found.length > 0 ? found : undefined;
    },
    8000,
  );
  expect(others).toEqual([]);
  if (item === undefined) throw new Error('none');
  return item;
}

interface Tags {
  /** Null: the trace. */
  readonly session: string | null;
  readonly sessionName: string | null;
  /** Once all ancestors have come. */
  readonly path: string | null;
  readonly user: string | null;
  readonly properties: Readonly<Record<string, string>>;
}

function tagsOf(item: RequestItem): Tags {
  const properties = Object.entries(item.properties).filter(([name]) => name !== 'Run' && !/^(?:Svc|Helicone)-/.test(name));
  return {
    session: item.session_id === item.job_id ? null : item.session_id,
    sessionName: item.session_name,
    path: item.session_path,
    user: item.request_user_id || null,
    properties: Object.fromEntries(properties),
  };
}

interface Sender {
  readonly name: string;
  readonly api: 'openai' | 'anthropic';
  readonly tags: Tags;
  /** Where a stream has another path. */
  readonly streamPath?: string;
  /** Where it tags a refused call otherwise. */
  readonly errorTags?: Partial<Tags>;
  /** In each scenario that it tells of, what differs from the gateway's record. */
  readonly differs: Readonly<Partial<Record<Scenario, Partial<Facts>>>>;
}

const application = { session: 'session-1', sessionName: null, user: 'ada' };
const team = { team: 'search' };
/** Of a stream whose usage a package does not read. */
const estimated = { promptTokens: 20, cacheReadTokens: null, reasoningTokens: null, isEstimated: true, cost: 0.00022 };

const senders: readonly Sender[] = [
  {
    name: 'OpenLLMetry',
    api: 'openai',
    tags: { session: null, sessionName: null, user: null, path: '/answer/chat gpt-4o', properties: {} },
    differs: {
      // It reads no details of the usage, so the cost is that of tokens that no cache held.
      chat: { cacheReadTokens: null, reasoningTokens: null, cost: 0.004745 },
      stream: { ...estimated, isStream: false, hasFirstToken: false },
      tools: {},
      // It does not end the span of a call that the provider refused.
    },
  },
  {
    name: 'OpenLIT',
    api: 'openai',
    tags: {
      ...application,
      path: '/answer/chat gpt-4o',
      properties: { ...team, 'deployment.environment': 'test', 'service.name': 'shop' },
    },
    differs: {
      // It leaves out a count of zero, a first part within a millisecond, and what was sent when it was refused.
      chat: { reasoningTokens: null },
      stream: { reasoningTokens: null, hasFirstToken: expect.any(Boolean) as boolean },
      tools: {},
      error: { prompt: '', temperature: undefined },
    },
    errorTags: { session: null, user: null, properties: { 'deployment.environment': 'test', 'service.name': 'shop' } },
  },
  {
    name: 'OpenInference',
    api: 'openai',
    tags: { ...application, path: '/answer/OpenAI Chat Completions', properties: team },
    differs: {
      chat: {},
      stream: { ...estimated, model: 'gpt-4o', hasFirstToken: false },
      tools: {},
      // It does not end the span of a call that the provider refused.
    },
  },
  {
    name: 'OpenInference of Anthropic',
    api: 'anthropic',
    tags: { ...application, path: '/answer/Anthropic Messages/anthropic.messages.create', properties: team },
    differs: { chat: {}, stream: {}, tools: {}, error: {} },
  },
  {
    name: 'Langfuse',
    api: 'openai',
    tags: { ...application, sessionName: 'answers', path: '/answer/OpenAI.chat', properties: { ...team, tags: 'a,b' } },
    differs: {
      // It has one name for a model, the response's once there is one, and no reason why the response ended.
      chat: { requestModel: 'gpt-4o-2024-08-06', finishReason: '' },
      stream: { model: 'gpt-4o', finishReason: '' },
      tools: { requestModel: 'gpt-4o-2024-08-06', finishReason: '' },
      // It names no provider, and nobody makes this model.
      error: { provider: 'CUSTOM' },
    },
  },
  {
    name: 'AI SDK',
    api: 'openai',
    tags: { ...application, path: '/answer/ai.generateText/ai.generateText.doGenerate', properties: team },
    streamPath: '/answer/ai.streamText/ai.streamText.doStream',
    differs: {
      chat: {},
      stream: {},
      // It makes a zero of what the provider does not say.
      tools: { cacheReadTokens: 0, reasoningTokens: 0 },
      // It tells the message of a refusal and not its status.
      error: { status: 500 },
    },
  },
  {
    name: "Helicone's manual logger",
    api: 'openai',
    tags: { ...application, path: null, properties: { Team: 'search' } },
    // It does not log what throws. A stream goes to its path for any provider, so nobody knows whose price it has.
    differs: { chat: {}, stream: { provider: 'CUSTOM', cost: null }, tools: {} },
  },
];

describe.each(senders)('$name', ({ name, api: of, tags, streamPath, errorTags, differs }) => {
  const scenarios = Object.entries(differs) as [Scenario, Partial<Facts>][];
  it.each(scenarios.filter(([scenario]) => byLength(['chat', 'stream'], [scenario]).includes(scenario)))(
    'tells of %s what the gateway does',
    async (scenario, difference) => {
      const [item, gateway] = [await told(name, scenario), await passed(of, scenario)];
      expect(factsOf(item)).toEqual({ ...factsOf(gateway), ...difference });
      const named = scenario === 'stream' ? (streamPath ?? tags.path) : tags.path;
      const path = scenario === 'error' && named !== null ? named.replace('gpt-4o', missingModel) : named;
      const placed = await eventually('the path to be whole', async () => {
        const now = await api.stored(item.request_id);
        return now.session_path === path ? now : undefined;
      });
      expect(tagsOf(placed)).toEqual({ ...tags, ...(scenario === 'error' ? errorTags : {}), path });
    },
  );
});
