import { logAnswerSchema, logSchema } from '../../contract/requests/logs.ts';
import { type LogPath, logPaths, namedLogPaths } from '../../model/vocabulary/log-paths.ts';
import { type Endpoint, endpoint } from '../endpoint/endpoint.ts';
import { jsonContent } from '../http/declared-responses.ts';
import { rawHeadersOf } from '../http/raw-headers.ts';
import { addWarning, appendSentence } from '../http/warnings.ts';

const messages = [{ role: 'user', content: 'Where are whales?' }];
/** A log of a call, as the loggers send it. */
const loggedChat = {
  providerRequest: {
    url: 'https://api.openai.com/v1/chat/completions',
    json: { model: 'gpt-4.1-mini', messages },
    meta: { 'Svc-User-Id': 'ann', 'Svc-Property-Environment': 'production' },
  },
  providerResponse: {
    json: {
      model: 'gpt-4.1-mini',
      choices: [{ index: 0, message: { role: 'assistant', content: 'In the sea.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 },
    },
    status: 200,
    headers: {},
  },
  timing: {
    startTime: { seconds: 1_767_225_600, milliseconds: 0 },
    endTime: { seconds: 1_767_225_601, milliseconds: 500 },
    timeToFirstToken: 300,
  },
};

const sameAs = 'The same as `POST /v1/trace/custom/log`';

interface Description {
  readonly path: `/${string}`;
  readonly id: string;
  readonly summary: string;
  readonly text: string;
  readonly example: object;
}

/** The paths that are documented: Helicone's. Others are what its clients make of an address. */
const [asCustom, asLegacy, asTyped] = namedLogPaths.custom;
const documented: readonly Description[] = [
  {
    path: asCustom,
    id: 'logCall',
    example: loggedChat,
    summary: 'Log a call',
    text: 'Takes a call that did not pass through the gateway; the gateway takes the same. It becomes a request like any other: understood, priced, redacted and tagged by the names in `meta`, and by tagging headers of the log itself, which win. It is durable when the answer comes. The identifier is that of `Svc-Request-Id`; the same one again adds nothing. Takes a key with the permission `w`, `rw` or `admin`, as `Authorization: Bearer`, `Svc-Auth`, `Helicone-Auth` or `x-api-key`.',
  },
  { path: asLegacy, id: 'logCallOfLoggers', example: loggedChat, summary: 'Log a call', text: `${sameAs}.` },
  { path: asTyped, id: 'logTypedCall', example: loggedChat, summary: 'Log a call', text: `${sameAs}.` },
  {
    path: namedLogPaths.ofNobody,
    id: 'logCustomCall',
    example: {
      providerRequest: { url: 'custom-model-nopath', json: { _type: 'tool', toolName: 'clock', input: { zone: 'UTC' } }, meta: {} },
      providerResponse: { json: { time: '12:00' }, status: 200, headers: {} },
      timing: { startTime: { seconds: 1_767_225_600, milliseconds: 0 }, endTime: { seconds: 1_767_225_600, milliseconds: 40 } },
    },
    summary: 'Log a call of any provider',
    text: `${sameAs}; without \`provider\` and an address that tells it, the provider is \`CUSTOM\` and the call has no price.`,
  },
  {
    path: namedLogPaths.ofOpenAi,
    id: 'logOpenAiCall',
    example: loggedChat,
    summary: 'Log a call of OpenAI',
    text: `${sameAs}, for OpenAI unless the address or \`provider\` names another.`,
  },
  {
    path: namedLogPaths.ofAnthropic,
    id: 'logAnthropicCall',
    example: {
      ...loggedChat,
      providerRequest: { ...loggedChat.providerRequest, json: { model: 'claude-sonnet-4-5', max_tokens: 100, messages } },
      providerResponse: {
        json: {
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5-20250929',
          content: [{ type: 'text', text: 'In the sea.' }],
          usage: { input_tokens: 12, output_tokens: 4 },
        },
        status: 200,
        headers: {},
      },
    },
    summary: 'Log a call of Anthropic',
    text: `${sameAs}, for Anthropic unless the address or \`provider\` names another.`,
  },
  {
    path: namedLogPaths.ofGoogle,
    id: 'logGoogleCall',
    example: {
      ...loggedChat,
      providerRequest: {
        ...loggedChat.providerRequest,
        json: { model: 'gemini-2.5-flash', contents: [{ role: 'user', parts: [{ text: 'Where are whales?' }] }] },
      },
      providerResponse: {
        json: {
          candidates: [{ content: { role: 'model', parts: [{ text: 'In the sea.' }] }, finishReason: 'STOP' }],
          usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 4, totalTokenCount: 8 },
        },
        status: 200,
        headers: {},
      },
    },
    summary: 'Log a call of Google',
    text: `${sameAs}, for Google unless the address or \`provider\` names another.`,
  },
];

const idHeader = { 'svc-id': { description: 'Identifier of the request.', schema: { type: 'string' as const } } };

function endpointAt({ path, ...description }: Description, logPath: LogPath): Endpoint {
  return endpoint({
    at: `POST ${path}`,
    ...description,
    action: 'send',
    content: jsonContent(logSchema),
    answer: logAnswerSchema,
    answered: 'The call is durable.',
    headers: idHeader,
    errors: [400, 413, 415, 422],
    run: async ({ context, principal, ports, signal }) => {
      const body = Buffer.from(await context.req.arrayBuffer());
      const taken = await ports.takeLog(principal, { logPath, rawHeaders: rawHeadersOf(context), body, signal });
      context.header('svc-id', taken.requestId);
      if (taken.aliased) context.header('helicone-id', taken.requestId);
      for (const warning of taken.warnings) {
        addWarning(context, warning);
        appendSentence(context, 'svc-warning', warning);
      }
      return { request_id: taken.requestId };
    },
  });
}

export const logs = documented.flatMap((description) => {
  const logPath = logPaths.get(description.path);
  return logPath === undefined ? [] : [endpointAt(description, logPath)];
});

/** Paths that are not in the OpenAPI document, with the endpoint that each means. */
export const logAliases: ReadonlyMap<string, Endpoint> = new Map(
  [...logPaths].flatMap(([path, logPath]) => {
    const isDocumented = documented.some((shown) => shown.path === path);
    const meant = isDocumented ? undefined : logs.find(({ declaration }) => isSame(declaration.path, logPath));
    return meant === undefined ? [] : [[path, meant] as const];
  }),
);

function isSame(path: string, { provider, takesMaker }: LogPath): boolean {
  const other = logPaths.get(path);
  return other?.provider === provider && (provider !== undefined || other?.takesMaker === takesMaker);
}
