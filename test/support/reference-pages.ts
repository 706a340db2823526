import { exitCodeMeanings } from '../../src/cli/base/exit-codes.ts';
import { invocation } from '../../src/cli/base/invocation-text.ts';
import type { Command } from 'commander';
import { kinds } from '../../src/config/kinds.ts';
import { secretFilesText } from '../../src/config/secret-files.ts';
import { GiB, type Machine, type Variable } from '../../src/config/variable.ts';
import { clientVariables, settingRows } from '../../src/config/variables.ts';
import { directiveDescriptions, responseHeaderDescriptions } from '../../src/gateway/directives/descriptions.ts';
import { foreignDirectives } from '../../src/gateway/directives/unknown-header.ts';
import { errorDescriptions } from '../../src/model/error-descriptions.ts';
import { apiErrorCodes, type ErrorCode, gatewayErrorCodes, GatelogError } from '../../src/model/errors.ts';
import { agentCacheKeys, agentHeaders, type AgentHeaderMeaning } from '../../src/model/vocabulary/agent-sessions.ts';
import { addressedProviders } from '../../src/model/providers/providers.ts';
import type { DocumentedEndpoint, OpenApi } from './openapi-document.ts';

const generated = 'This page is generated from the code: `npx vitest run test/reference.test.ts -u`.';

type Row = readonly string[];

function table(head: Row, rows: readonly Row[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
}

function cell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', String.raw`\|`);
}

function page(title: string, ...parts: readonly string[]): string {
  return `${[`# ${title}`, ...parts].join('\n\n')}\n`;
}

/** docs/reference/settings.md */
export function settingsPage(): string {
  const names = addressedProviders.map((name) => name.toUpperCase()).join(', ');
  const providerRows: readonly Row[] = [
    [
      '`GATELOG_PROVIDER_<NAME>_URL`',
      'an http or https address',
      '–',
      `Base address of a provider instead of its own; \`<NAME>\` is one of ${names}.`,
    ],
    [
      '`GATELOG_PROVIDER_<NAME>_KEY`',
      'a key',
      '–',
      "The deployment's own key for a provider, with which callers need a Gatelog key alone.",
    ],
    [
      '`GATELOG_<SECRET>_FILE`',
      'a path',
      '–',
      secretFilesText.replaceAll(/PROVIDER_<NAME>_KEY|<\w+>|\b[A-Z]+(?:_[A-Z]+)+\b/g, (name) => `\`${name}\``),
    ],
  ];
  const rows = settingRows.map(([, variable]): Row => [
    `\`${variable.name}\``,
    kinds[variable.kind].form(variable),
    shownDefault(variable),
    variable.reason,
  ]);
  return page(
    'Settings',
    `Settings are environment variables, or lines of a file \`.env\` in the working folder, read at the start. \`gatelog config\` shows their values, and where each comes from. A name that begins with \`GATELOG_\` and is no setting stops the start. ${generated}`,
    table(
      ['setting', 'form', 'default', 'what it is for'],
      [...rows, ...providerRows].toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)),
    ),
    `The command line as a client of the API reads ${[...clientVariables].map((name) => `\`${name}\``).join(' and ')}.`,
  );
}

function shownDefault(variable: Variable): string {
  const { default: standard } = variable;
  if (typeof standard !== 'function') return standard === undefined || standard === '' ? '–' : `\`${standard}\``;
  const [few, many] = [standard({ cores: 2 }), standard({ cores: 64 })];
  if (few !== many) {
    const machines: readonly Machine[] = [{ cores: 2 }, { cores: 8 }, { cores: 64 }];
    return `by the machine: ${machines.map((machine) => `\`${standard(machine)}\` with ${machine.cores} cores`).join(', ')}`;
  }
  const [one, two, four] = [1, 2, 4].map((size) => standard({ cores: 2, memoryLimitBytes: size * GiB }));
  return `\`${few}\`; in a container with 1, 2 or 4 GiB of memory \`${one}\`, \`${two}\` or \`${four}\``;
}

/** docs/reference/errors.md */
export function errorsPage(): string {
  const rows = (Object.entries(errorDescriptions) as [ErrorCode, string][]).map(([code, meaning]): Row => {
    const listeners = [gatewayErrorCodes.includes(code) ? 'gateway' : '', (apiErrorCodes as readonly string[]).includes(code) ? 'API' : ''];
    return [`\`${code}\``, String(new GatelogError(code, '').status), listeners.filter((name) => name !== '').join(', '), meaning];
  });
  return page(
    'Error codes',
    `Every failure has a status, a sentence and a stable code that clients may switch on. The sentence says what is wrong and what to write instead, and may change. ${generated}`,
    'The API answers `{"data": null, "error": "<sentence>", "code": "<code>", "details": {…}}`, the gateway `{"error": {"message": "<sentence>", "type": "…", "code": "<code>"}}` as OpenAI does. Errors of a provider pass the gateway unchanged. Every 503 has `Retry-After`.',
    table(['code', 'status', 'listener', 'meaning'], rows),
  );
}

/** docs/reference/headers.md */
export function headersPage({ requestHeaders, responseHeaders }: Pick<OpenApi, 'requestHeaders' | 'responseHeaders'>): string {
  const directives = Object.entries(directiveDescriptions).map(([name, meaning]): Row => [`\`Svc-${titled(name)}\``, meaning]);
  const foreign = [...foreignDirectives].map(([name, without]): Row => [`\`Helicone-${titled(name)}\``, without]);
  return page(
    'Headers',
    `Header names have no case. Every \`Svc-X\` also works as \`Helicone-X\`. ${generated}`,
    '## Requests to the gateway',
    'The gateway reads these and forwards none of them.',
    table(
      ['header', 'meaning'],
      [
        ['`Svc-Property-<Name>`', 'One property of the request; the name is case-sensitive ([tagging](../guides/tagging.md)).'],
        ...directives,
      ],
    ),
    'Any other `Svc-` or `Helicone-` header is ignored and named in `svc-warning`. So are these, which Helicone carries out and Gatelog does not:',
    table(['header', 'instead'], foreign),
    '## Headers of coding agents',
    'Where the caller names no session, these do ([coding agents](../guides/coding-agents.md)), unless `GATELOG_AGENT_SESSIONS` is `off`. Of several that tell the same, the first row counts. They are forwarded.',
    table(
      ['header', 'what it tells', 'sent by', 'source'],
      agentHeaders.map(({ name, tells, sentBy, source }): Row => [`\`${name}\``, meaningOf(tells), sentBy, `[source](${source})`]),
    ),
    'And these forms of `prompt_cache_key` in the body:',
    table(
      ['form', 'sent by', 'source'],
      agentCacheKeys.map(({ form, sentBy, source }): Row => [`\`${form.source}\``, sentBy, `[source](${source})`]),
    ),
    '## Responses of the gateway',
    'When any header of the call began with `Helicone-`, the response has `helicone-id`, `helicone-fallback-index`, `helicone-cache…` and `helicone-ratelimit-…` too.',
    table(
      ['header', 'meaning'],
      [
        ...Object.entries(responseHeaderDescriptions).map(([name, meaning]): Row => [`\`${name}\``, meaning]),
        ['`server-timing`', '`gatelog;dur=<milliseconds>`: the time that the gateway spent on the call before it went out.'],
      ],
    ),
    '## Requests to the API',
    table(
      ['header', 'meaning'],
      [
        ['`Authorization`', '`Bearer <Gatelog key>`.'],
        ['`Svc-Include-Count`', 'With `true` a page carries `svc-total-count`.'],
        ...requestHeaders.map(([name, meaning]): Row => [`\`${name}\``, meaning]),
      ],
    ),
    '## Answers of the API',
    table(
      ['header', 'meaning'],
      responseHeaders.map(([name, meaning]): Row => [`\`${name}\``, meaning]),
    ),
  );
}

const meanings: Readonly<Record<AgentHeaderMeaning & string, string>> = {
  session: 'the session',
  root: 'the session that started this one, which is a place in it',
  agent: 'the agent: a place in the session, or the session where none is named',
  parent: 'the agent that started it: the place above',
};

function meaningOf(tells: AgentHeaderMeaning): string {
  return typeof tells === 'string' ? meanings[tells] : `the property \`${tells.property}\``;
}

/** Words of header names that are not written with one capital. */
const spelled: Readonly<Record<string, string>> = { ratelimit: 'RateLimit', llm: 'LLM', openai: 'OpenAI', posthog: 'PostHog' };

export function titled(name: string): string {
  return name
    .split('-')
    .map((word) => spelled[word] ?? word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('-');
}

/** docs/reference/http-api.md */
export function httpApiPage({ tags, endpoints }: Pick<OpenApi, 'tags' | 'endpoints'>): string {
  const sections = tags.flatMap(({ name, description }) => [
    `## ${name}`,
    description,
    ...endpoints.filter(({ tag }) => tag === name).map(endpointSection),
  ]);
  return page(
    'HTTP API',
    `The endpoints of the API (port 8788). Shapes of bodies and answers are in [openapi.json](../../openapi.json), which a running service has at \`/openapi.json\`; its \`/docs\` shows them and tries them out. ${generated}`,
    ...sections,
  );
}

function endpointSection({ method, path, summary, description, example, statuses, isOpen }: DocumentedEndpoint): string {
  const body = example === undefined ? [] : [`Body, for example:\n\n\`\`\`json\n${exampleText(example)}\n\`\`\``];
  const key = isOpen ? ' No key needed.' : '';
  return [
    `### ${method} ${path}`,
    `${summary}.${key}`,
    ...(description === '' ? [] : [description]),
    ...body,
    `Statuses: ${statuses.join(', ')}.`,
  ].join('\n\n');
}

/** docs/reference/cli.md */
export function commandLinePage(program: Command): string {
  return page(
    'Command line',
    `In the folder of a clone write \`${invocation} …\`, which runs nothing from elsewhere; \`gatelog COMMAND --help\` shows the same with examples, and the [guide](../guides/command-line.md) shows more. ${generated}`,
    'The commands `orgs` and `keys` work on the data folder (`GATELOG_DATA_DIR`), also beside a running service. `dead-letters`, `backup`, `store` and `reprice --all` reach the running service for all organisations, without a key. All others that ask a service ask the API at `GATELOG_API_URL` with `GATELOG_API_KEY`; a file `.env` of the working folder may hold both.',
    '## Exit codes',
    table(
      ['code', 'meaning'],
      exitCodeMeanings.map(([code, meaning]): Row => [String(code), meaning]),
    ),
    ...leavesOf(program, program.name()).map(([name, command]) => commandSection(name, command)),
  );
}

function leavesOf(command: Command, name: string): readonly (readonly [string, Command])[] {
  return command.commands.flatMap((child) => {
    const childName = `${name} ${child.name()}`;
    return child.commands.length > 0 ? leavesOf(child, childName) : [[childName, child] as const];
  });
}

function commandSection(name: string, command: Command): string {
  const words = command.registeredArguments.map((argument): Row => [`\`${argument.name()}\``, argument.description]);
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map((option): Row => {
      const standard = option.defaultValue === undefined ? '' : ` (default \`${String(option.defaultValue)}\`)`;
      return [`\`${option.flags}\``, option.description + standard];
    });
  const rows = [...words, ...options];
  const usage = `\`\`\`\n${name} ${command.usage()}\n\`\`\``;
  return [
    `## ${name}`,
    sentence(command.description()),
    usage,
    ...(rows.length === 0 ? [] : [table(['argument or option', 'meaning'], rows)]),
  ].join('\n\n');
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** A text is a body of lines. */
function exampleText(example: unknown): string {
  return typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);
}
