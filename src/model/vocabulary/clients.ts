import { clientLimits } from './limits.ts';

/** The program that made a call. */
export interface Client {
  /** Empty: the call has no user agent. */
  readonly name: string;
  /** Empty: not told. */
  readonly version: string;
}

interface ClientRow {
  readonly name: string;
  /** What stands in the user agent; the group is the version. */
  readonly product: RegExp;
  /** Where its user agent is made, or the release with which it was seen. */
  readonly source: string;
}

/**
 * Programs by their user agents. Agents stand before the packages that they are made with, because a user agent may name both. A program
 * without a row is shown by the first product of its user agent.
 */
const agents: readonly ClientRow[] = [
  { name: 'claude-code', product: /\bclaude-cli\/([^\s(]+)/i, source: 'Claude Code 2.1.332' },
  {
    name: 'codex',
    product: /^codex[_-](?:cli_rs|exec|tui|vscode|sdk_ts)\/([^\s(]+)/i,
    source: 'https://github.com/openai/codex/blob/rust-v0.156.1/codex-rs/core/src/default_client.rs',
  },
  { name: 'codex', product: /^Codex Desktop\/([^\s(]+)/, source: 'Codex Desktop 0.150.0-alpha.8' },
  {
    name: 'opencode',
    product: /\bopencode\/([^\s(]+)/i,
    source: 'https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/llm/request.ts',
  },
  { name: 'kilo', product: /\bKilo-Code\/([^\s(]+)/i, source: 'Kilo 7.7.9' },
  { name: 'cline', product: /\bCline\/([^\s(]+)/, source: 'https://github.com/cline/cline/blob/main/src/services/EnvUtils.ts' },
  {
    name: 'gemini-cli',
    product: /\bGeminiCLI(?:-[a-z-]+)?\/([^\s(/]+)/i,
    source: 'https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/core/contentGenerator.ts',
  },
  {
    name: 'qwen-code',
    product: /\bQwenCode\/([^\s(]+)/i,
    source: 'https://github.com/QwenLM/qwen-code/tree/main/packages/core/src/core/openaiContentGenerator/provider',
  },
  {
    name: 'roo-code',
    product: /\bRooCode\/([^\s(]+)/,
    source: 'https://github.com/RooCodeInc/Roo-Code/blob/main/src/api/providers/constants.ts',
  },
  { name: 'zed', product: /^Zed\/([^\s(]+)/, source: 'Zed 0.219.4' },
  { name: 'cursor', product: /\bCursor\/([^\s(]+)/, source: 'Cursor 1.4.5' },
];

const packages: readonly ClientRow[] = [
  { name: 'ai-sdk', product: /(?:^|\s)ai\/([^\s(]+)/, source: 'ai 7.0.173 and 6.0.326' },
  { name: 'ai-sdk', product: /\bai-sdk[-/][a-z-]+\/([^\s(]+)/, source: 'ai 7.0.173 and 6.0.326' },
  { name: 'google-genai', product: /\bgoogle-genai-sdk\/([^\s(]+)/, source: '@google/genai 3.3.0' },
];

/**
 * SDKs that Stainless generates name their client, its language and its version alike, whoever's they are. Seen with openai 7.59.0 and
 * @anthropic-ai/sdk 1.14.0 of JavaScript and openai 2.24.0 of Python; Go's is in openai-go (`internal/requestconfig/requestconfig.go`), PHP's in
 * anthropic-sdk-php (`src/Client.php`). Java and Ruby name a class: `OpenAIClientImpl`, `Anthropic::Client`.
 */
const generatedSdk = /^(?:Async)?(\w+?)(?:::Client|Client(?:Async)?(?:Impl)?)?\/(JS|Python|Go|Java|Kotlin|Ruby|PHP|C#) ([^\s(]+)/;
/** One SDK has clients for several places: `AzureOpenAI`, `AnthropicBedrock`, `AnthropicVertex`, `AnthropicFoundry`. */
const placedClients: readonly (readonly [maker: string, client: RegExp])[] = [
  ['openai', /OpenAI$/],
  ['anthropic', /^Anthropic/],
];
const languageNames: ReadonlyMap<string, string> = new Map([
  ['JS', 'node'],
  ['C#', 'csharp'],
]);

interface ClientHeader {
  readonly name: string;
  /** Lower case. */
  readonly header: string;
  readonly value: RegExp;
  /** Header with the version. */
  readonly version?: string;
  readonly source: string;
}

/** Headers by which agents name themselves while their user agent is that of a package, or of what stands between. */
const agentHeaders: readonly ClientHeader[] = [
  { name: 'claude-code', header: 'x-app', value: /^cli(?:-bg)?$/, source: 'Claude Code 2.1.332' },
  {
    name: 'codex',
    header: 'originator',
    value: /^(?:codex[_-](?:cli_rs|exec|tui|vscode|sdk_ts)|Codex Desktop)$/i,
    source: 'https://github.com/openai/codex/blob/rust-v0.156.1/codex-rs/core/src/default_client.rs',
  },
  {
    name: 'cline',
    header: 'x-title',
    value: /^Cline$/,
    version: 'x-cline-version',
    source: 'https://github.com/cline/cline/blob/main/src/core/api/providers/zai.ts',
  },
  { name: 'kilo', header: 'x-title', value: /^Kilo Code$/, source: 'Kilo 7.7.9' },
  {
    name: 'roo-code',
    header: 'x-title',
    value: /^Roo Code$/,
    source: 'https://github.com/RooCodeInc/Roo-Code/blob/main/src/api/providers/constants.ts',
  },
  { name: 'aider', header: 'x-title', value: /^Aider$/, source: 'https://github.com/Aider-AI/aider/blob/main/aider/models.py' },
];

/** The headers that name a program beside its user agent; in lower case. */
export const clientHeaders: readonly string[] = [
  ...new Set(agentHeaders.flatMap(({ header, version }) => [header, ...(version === undefined ? [] : [version])])),
];

/** By lower-case name. */
type Headers = Readonly<Record<string, string>>;

/** The version that an agent's own header states; empty without one. */
export function statedVersion(headers: Headers): string {
  const header = namingHeader(headers)?.version;
  return header === undefined ? '' : (headers[header] ?? '');
}

/**
 * The program by its user agent and by agents' own headers; names and versions are cut to 64 characters.
 * @param version as {@link statedVersion}; another text where rules of redaction have changed it.
 */
export function clientOf(userAgent: string, headers: Headers = {}, version = statedVersion(headers)): Client {
  const text = userAgent.slice(0, clientLimits.userAgentCharacters).trim();
  const found = namedIn(agents, text) ?? namedByHeader(headers, version) ?? namedIn(packages, text) ?? namedSdk(text);
  if (found !== undefined) return found;
  const [, name = '', after = ''] = /^([^\s/(]+)(?:\/([^\s(]*))?/.exec(text) ?? [];
  return { name: cut(name), version: cut(after) };
}

function namedIn(rows: readonly ClientRow[], userAgent: string): Client | undefined {
  for (const { name, product } of rows) {
    const version = product.exec(userAgent)?.[1];
    if (version !== undefined) return { name, version: cut(version) };
  }
  return undefined;
}

function namedSdk(userAgent: string): Client | undefined {
  const [, client, language, version] = generatedSdk.exec(userAgent) ?? [];
  if (client === undefined || language === undefined || version === undefined) return undefined;
  const maker = placedClients.find(([, pattern]) => pattern.test(client))?.[0] ?? client.toLowerCase();
  return { name: cut(`${maker}-${languageNames.get(language) ?? language.toLowerCase()}`), version: cut(version) };
}

function namedByHeader(headers: Headers, version: string): Client | undefined {
  const row = namingHeader(headers);
  return row === undefined ? undefined : { name: row.name, version: cut(version) };
}

function namingHeader(headers: Headers): ClientHeader | undefined {
  return agentHeaders.find(({ header, value }) => value.test(headers[header] ?? ''));
}

function cut(text: string): string {
  return text.slice(0, clientLimits.nameCharacters);
}
