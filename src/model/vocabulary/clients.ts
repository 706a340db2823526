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
const clients: readonly ClientRow[] = [
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
  { name: 'ai-sdk', product: /(?:^|\s)ai\/([^\s(]+)/, source: 'ai 7.0.173 and 6.0.326' },
  { name: 'ai-sdk', product: /\bai-sdk[-/][a-z-]+\/([^\s(]+)/, source: 'ai 7.0.173 and 6.0.326' },
  { name: 'openai-node', product: /^(?:Azure)?OpenAI\/JS ([^\s(]+)/, source: 'openai 7.59.0' },
  { name: 'openai-python', product: /^(?:Async)?(?:Azure)?OpenAI\/Python ([^\s(]+)/, source: 'openai 2.24.0 of Python' },
  { name: 'anthropic-node', product: /^Anthropic(?:Bedrock|Vertex)?\/JS ([^\s(]+)/, source: '@anthropic-ai/sdk 1.14.0' },
  { name: 'anthropic-python', product: /^(?:Async)?Anthropic(?:Bedrock|Vertex)?\/Python ([^\s(]+)/, source: 'anthropic of Python' },
  { name: 'google-genai', product: /\bgoogle-genai-sdk\/([^\s(]+)/, source: '@google/genai 3.3.0' },
];

/** The program by its user agent; names and versions are cut to 64 characters. */
export function clientOf(userAgent: string): Client {
  const text = userAgent.slice(0, clientLimits.userAgentCharacters).trim();
  for (const { name, product } of clients) {
    const version = product.exec(text)?.[1];
    if (version !== undefined) return { name, version: cut(version) };
  }
  const [, name = '', version = ''] = /^([^\s/(]+)(?:\/([^\s(]*))?/.exec(text) ?? [];
  return { name: cut(name), version: cut(version) };
}

function cut(text: string): string {
  return text.slice(0, clientLimits.nameCharacters);
}
