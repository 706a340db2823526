import { logAnswerSchema, logSchema } from '../../contract/requests/logs.ts';
import { type LogPath, logPaths, namedLogPaths } from '../../model/vocabulary/log-paths.ts';
import { type Endpoint, endpoint } from '../endpoint/endpoint.ts';
import { jsonContent } from '../http/declared-responses.ts';
import { rawHeadersOf } from '../http/raw-headers.ts';
import { addWarning, appendSentence } from '../http/warnings.ts';

const sameAs = 'The same as `POST /v1/trace/custom/log`';

interface Description {
  readonly path: `/${string}`;
  readonly id: string;
  readonly summary: string;
  readonly text: string;
}

/** The paths that are documented: Helicone's. Others are what its clients make of an address. */
const [asCustom, asLegacy, asTyped] = namedLogPaths.custom;
const documented: readonly Description[] = [
  {
    path: asCustom,
    id: 'logCall',
    summary: 'Log a call',
    text: 'Takes a call that did not pass through the gateway; the gateway takes the same. It becomes a request like any other: understood, priced, redacted and tagged by the names in `meta`, and by tagging headers of the log itself, which win. It is durable when the answer comes. The identifier is that of `Svc-Request-Id`; the same one again adds nothing. Takes a key with the permission `w`, `rw` or `admin`, as `Authorization: Bearer`, `Svc-Auth`, `Helicone-Auth` or `x-api-key`.',
  },
  { path: asLegacy, id: 'logCallOfLoggers', summary: 'Log a call', text: `${sameAs}.` },
  { path: asTyped, id: 'logTypedCall', summary: 'Log a call', text: `${sameAs}.` },
  {
    path: namedLogPaths.ofNobody,
    id: 'logCustomCall',
    summary: 'Log a call of any provider',
    text: `${sameAs}; without \`provider\` and an address that tells it, the provider is \`CUSTOM\` and the call has no price.`,
  },
  {
    path: namedLogPaths.ofOpenAi,
    id: 'logOpenAiCall',
    summary: 'Log a call of OpenAI',
    text: `${sameAs}, for OpenAI unless the address or \`provider\` names another.`,
  },
  {
    path: namedLogPaths.ofAnthropic,
    id: 'logAnthropicCall',
    summary: 'Log a call of Anthropic',
    text: `${sameAs}, for Anthropic unless the address or \`provider\` names another.`,
  },
  {
    path: namedLogPaths.ofGoogle,
    id: 'logGoogleCall',
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
