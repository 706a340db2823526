import { logAnswerSchema, logSchema } from '../../../contract/requests/logs.ts';
import { type LogPath, logPaths, namedLogPaths } from '../../../model/vocabulary/log-paths.ts';
import { type Endpoint, jsonContent, keyRequired, problems, type RequestContext } from '../../endpoint.ts';
import { rawHeadersOf } from './raw-headers.ts';
import { sendData } from '../../http/send-json.ts';
import { addWarning, appendSentence } from '../../http/warnings.ts';

const sameAs = 'The same as `POST /v1/trace/custom/log`';

interface Description {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
}

/** The paths that are documented: Helicone's. Others are what its clients make of an address. */
const [asCustom, asLegacy, asTyped] = namedLogPaths.custom;
const documented: Readonly<Record<string, Description>> = {
  [asCustom]: {
    operationId: 'logCall',
    summary: 'Log a call',
    description:
      'Takes a call that did not pass through the gateway; the gateway takes the same. It becomes a request like any other: understood, priced, redacted and tagged by the names in `meta`, and by tagging headers of the log itself, which win. It is durable when the answer comes. The identifier is that of `Svc-Request-Id`; the same one again adds nothing. Takes a key with the permission `w`, `rw` or `admin`, as `Authorization: Bearer`, `Svc-Auth`, `Helicone-Auth` or `x-api-key`.',
  },
  [asLegacy]: { operationId: 'logCallOfLoggers', summary: 'Log a call', description: `${sameAs}.` },
  [asTyped]: { operationId: 'logTypedCall', summary: 'Log a call', description: `${sameAs}.` },
  [namedLogPaths.ofNobody]: {
    operationId: 'logCustomCall',
    summary: 'Log a call of any provider',
    description: `${sameAs}; without \`provider\` and an address that tells it, the provider is \`CUSTOM\` and the call has no price.`,
  },
  [namedLogPaths.ofOpenAi]: {
    operationId: 'logOpenAiCall',
    summary: 'Log a call of OpenAI',
    description: `${sameAs}, for OpenAI unless the address or \`provider\` names another.`,
  },
  [namedLogPaths.ofAnthropic]: {
    operationId: 'logAnthropicCall',
    summary: 'Log a call of Anthropic',
    description: `${sameAs}, for Anthropic unless the address or \`provider\` names another.`,
  },
  [namedLogPaths.ofGoogle]: {
    operationId: 'logGoogleCall',
    summary: 'Log a call of Google',
    description: `${sameAs}, for Google unless the address or \`provider\` names another.`,
  },
};

const idHeader = { 'svc-id': { description: 'Identifier of the request.', schema: { type: 'string' as const } } };

function endpointAt(path: string, logPath: LogPath, description: Description): Endpoint {
  return {
    declaration: {
      method: 'post',
      path,
      ...description,
      security: keyRequired,
      request: { body: { required: true, content: jsonContent(logSchema) } },
      responses: {
        200: { description: 'The call is durable.', headers: idHeader, content: jsonContent(logAnswerSchema) },
        ...problems(400, 413, 415, 422),
      },
    },
    action: 'send',
    handle: (call) => answerLog(call, logPath),
  };
}

export const logEndpoints: readonly Endpoint[] = Object.entries(documented).flatMap(([path, description]) => {
  const logPath = logPaths.get(path);
  return logPath === undefined ? [] : [endpointAt(path, logPath, description)];
});

/** Paths that are not in the OpenAPI document, with the endpoint that each means. */
export const logAliases: ReadonlyMap<string, Endpoint> = new Map(
  [...logPaths].flatMap(([path, logPath]) => {
    const meant = Object.hasOwn(documented, path) ? undefined : logEndpoints.find(({ declaration }) => isSame(declaration.path, logPath));
    return meant === undefined ? [] : [[path, meant] as const];
  }),
);

function isSame(path: string, { provider, takesMaker }: LogPath): boolean {
  const other = logPaths.get(path);
  return other?.provider === provider && (provider !== undefined || other?.takesMaker === takesMaker);
}

async function answerLog({ context, principal, ports }: RequestContext, logPath: LogPath): Promise<Response> {
  const body = Buffer.from(await context.req.arrayBuffer());
  const { requestId, aliased, warnings } = await ports.takeLog(principal, {
    logPath,
    rawHeaders: rawHeadersOf(context),
    body,
    signal: context.req.raw.signal,
  });
  context.header('svc-id', requestId);
  if (aliased) context.header('helicone-id', requestId);
  for (const warning of warnings) {
    addWarning(context, warning);
    appendSentence(context, 'svc-warning', warning);
  }
  return sendData(context, { request_id: requestId });
}
