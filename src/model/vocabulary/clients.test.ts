import { describe, expect, test } from 'vitest';
import { clientOf } from './clients.ts';

const seen: readonly (readonly [userAgent: string, name: string, version: string])[] = [
  ['claude-cli/2.1.332 (external, sdk-cli)', 'claude-code', '2.1.332'],
  ['codex_cli_rs/0.171.0 (Debian 12.0.0; x86_64) xterm-256color', 'codex', '0.171.0'],
  ['codex_exec/0.171.0 (Debian 12.0.0; x86_64) unknown', 'codex', '0.171.0'],
  ['codex-tui/0.149.1 (Mac OS 15.7.3; x86_64) ghostty/1.3.1 (codex-tui; 0.149.1)', 'codex', '0.149.1'],
  ['Codex Desktop/0.150.0-alpha.8 (Mac OS 15.7.3; arm64)', 'codex', '0.150.0-alpha.8'],
  ['opencode/1.18.0 ai-sdk/provider-utils/4.0.66 runtime/bun/1.3.0', 'opencode', '1.18.0'],
  ['Kilo-Code/7.7.9 ai-sdk/openai-compatible/2.0.0', 'kilo', '7.7.9'],
  ['Cline/3.74.0', 'cline', '3.74.0'],
  ['GeminiCLI-tui/0.61.0/gemini-2.5-flash (linux; x64; terminal)', 'gemini-cli', '0.61.0'],
  ['GeminiCLI/0.46.0 (linux; x64)', 'gemini-cli', '0.46.0'],
  ['QwenCode/0.14.2 (linux; x64)', 'qwen-code', '0.14.2'],
  ['ai/7.0.173 ai-sdk-provider-utils/5.0.81 node.js/22', 'ai-sdk', '7.0.173'],
  ['ai-sdk-openai/4.0.118 ai-sdk-provider-utils/5.0.81 node.js/22', 'ai-sdk', '4.0.118'],
  ['ai/6.0.326 ai-sdk/provider-utils/4.0.66 runtime/node.js/22', 'ai-sdk', '6.0.326'],
  ['OpenAI/JS 7.59.0', 'openai-node', '7.59.0'],
  ['OpenAI/Python 2.24.0', 'openai-python', '2.24.0'],
  ['AsyncAzureOpenAI/Python 2.24.0', 'openai-python', '2.24.0'],
  ['Anthropic/JS 1.14.0', 'anthropic-node', '1.14.0'],
  ['AsyncAnthropic/Python 0.70.0', 'anthropic-python', '0.70.0'],
  ['OpenAI/Go 1.12.0', 'openai-go', '1.12.0'],
  ['AzureOpenAI/JS 7.59.0', 'openai-node', '7.59.0'],
  ['OpenAI/Java 4.8.0', 'openai-java', '4.8.0'],
  ['OpenAIClientImpl/Java 4.8.0', 'openai-java', '4.8.0'],
  ['OpenAIClientAsyncImpl/Java 4.8.0', 'openai-java', '4.8.0'],
  ['anthropic/PHP 0.4.0', 'anthropic-php', '0.4.0'],
  ['Anthropic::Client/Ruby 1.2.0', 'anthropic-ruby', '1.2.0'],
  ['AnthropicClient/C# 12.1.0', 'anthropic-csharp', '12.1.0'],
  ['OpenAI/2.1.0 (.NET 8.0.0; Microsoft Windows 10.0.0)', 'OpenAI', '2.1.0'],
  ['OpenAI::Client/Ruby 0.34.1', 'openai-ruby', '0.34.1'],
  ['Anthropic/Java 2.1', 'anthropic-java', '2.1'],
  ['AnthropicFoundry/Python 0.75', 'anthropic-python', '0.75'],
  ['AsyncAnthropicFoundry/Python 0.75', 'anthropic-python', '0.75'],
  ['AnthropicFoundry/JS 0.3.0', 'anthropic-node', '0.3.0'],
  ['AnthropicBedrockMantle/Python 0.80.0', 'anthropic-python', '0.80.0'],
  ['AsyncAnthropicVertex/Python 0.75', 'anthropic-python', '0.75'],
  ['Groq/Python 0.9', 'groq-python', '0.9'],
  ['AsyncGroq/Python 0.9', 'groq-python', '0.9'],
  ['Groq/JS 0.30.0 (linux)', 'groq-node', '0.30.0'],
  ['google-genai-sdk/3.3.0 gl-node/v22.23.5', 'google-genai', '3.3.0'],
  ['RooCode/3.53.0', 'roo-code', '3.53.0'],
  ['Zed/0.219.4+stable.119.abc123 (macos; aarch64)', 'zed', '0.219.4+stable.119.abc123'],
  ['Mozilla/5.0 (Macintosh) AppleWebKit/537.36 Cursor/1.4.5 Chrome/132.0 Electron/34.5.1 Safari/537.36', 'cursor', '1.4.5'],
];

describe('a program is named by its user agent', () => {
  test.each(seen)('%s', (userAgent, name, version) => {
    expect(clientOf(userAgent)).toEqual({ name, version });
  });
});

describe('an agent with the user agent of a package, or of what stands between, is named by its own headers', () => {
  test.each([
    ['Anthropic/JS 1.14.0', { 'x-app': 'cli' }, 'claude-code', ''],
    ['python-httpx/0.27.0', { originator: 'codex_cli_rs' }, 'codex', ''],
    ['OpenAI/JS 7.59.0', { 'x-title': 'Cline', 'x-cline-version': '3.74.0' }, 'cline', '3.74.0'],
    ['OpenAI/JS 7.59.0', { 'x-title': 'Cline' }, 'cline', ''],
    ['OpenAI/JS 7.59.0', { 'x-title': 'Kilo Code' }, 'kilo', ''],
    ['', { 'x-title': 'Roo Code' }, 'roo-code', ''],
    ['OpenAI/Python 2.24.0', { 'x-title': 'Aider' }, 'aider', ''],
  ])('%s with %j', (userAgent, headers, name, version) => {
    expect(clientOf(userAgent, headers)).toEqual({ name, version });
  });

  test('its own user agent is more exact, and the name of any other application is not taken for one', () => {
    expect(clientOf('claude-cli/2.1.332', { 'x-app': 'cli' })).toEqual({ name: 'claude-code', version: '2.1.332' });
    expect(clientOf('OpenAI/JS 7.59.0', { 'x-title': 'Our shop', originator: 'shop' })).toEqual({ name: 'openai-node', version: '7.59.0' });
  });
});

describe('any other', () => {
  test.each([
    ['python-httpx/0.27.0', 'python-httpx', '0.27.0'],
    ['curl/8.5.0', 'curl', '8.5.0'],
    ['Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0', 'Mozilla', '5.0'],
    ['node', 'node', ''],
    ['mail/1.0 (not claude-cli)', 'mail', '1.0'],
    ['', '', ''],
    ['   ', '', ''],
    ['(comment)', '', ''],
  ])('is its first product: %j', (userAgent, name, version) => {
    expect(clientOf(userAgent)).toEqual({ name, version });
  });

  test('has at most 64 characters of a name and of a version', () => {
    expect(clientOf(`${'n'.repeat(80)}/${'1'.repeat(80)}`)).toEqual({ name: 'n'.repeat(64), version: '1'.repeat(64) });
  });

  test('of any length takes no longer to be read than its first 1,024 characters', () => {
    expect(clientOf(`a/1 ${'ai-sdk-'.repeat(100_000)}`)).toEqual({ name: 'a', version: '1' });
  });
});
