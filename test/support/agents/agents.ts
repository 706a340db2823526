import path from 'node:path';
import { delegates } from './provider.ts';

/** What an agent is told of the gateway, its developer and its repository. */
export interface AgentTask {
  readonly gateway: string;
  /** Folder of the installed agents. */
  readonly packages: string;
  readonly key: string;
}

export interface CodingAgent {
  readonly name: string;
  /** Name and folder of its package. */
  readonly package: string;
  readonly command: (task: AgentTask) => readonly string[];
  readonly environment: (task: AgentTask) => Readonly<Record<string, string>>;
  /** Files below its home folder. */
  readonly files: (task: AgentTask) => Readonly<Record<string, string>>;
  /** Its sub-agents are places in the session. */
  readonly starts: boolean;
}

const question = `How many files are in this folder? ${delegates}.`;
export const developer = 'ada';
export const repository = 'harbour';
/** Most of their clients write the names of headers in lower case, which `Svc-Properties` outlasts. */
const properties = JSON.stringify({ Repository: repository });
const tags = { 'Svc-User-Id': developer, 'Svc-Properties': properties };

const bin = ({ packages }: AgentTask, name: string): string => path.join(packages, 'node_modules', name);

/** A program of its own, installed by npm for this platform. */
const native = `${process.platform}-${process.arch}`;

/** Each agent with the settings of the guide (docs/guides/coding-agents.md). */
export const codingAgents: readonly CodingAgent[] = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    command: (task) => [
      bin(task, `@anthropic-ai/claude-code-${native}/claude`),
      '-p',
      question,
      '--model',
      'claude-sonnet-4-6',
      '--permission-mode',
      'acceptEdits',
    ],
    environment: ({ gateway, key }) => ({
      ANTHROPIC_BASE_URL: `${gateway}/anthropic`,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_CUSTOM_HEADERS: Object.entries(tags)
        .map((line) => line.join(': '))
        .join('\n'),
      CLAUDE_CODE_GATEWAY_HINT_HEADERS: '1',
      CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    files: () => ({}),
    starts: true,
  },
  {
    name: 'Codex',
    package: '@openai/codex',
    command: (task) => [process.execPath, bin(task, '@openai/codex/bin/codex.js'), 'exec', '--skip-git-repo-check', question],
    environment: ({ key }) => ({ GATELOG_API_KEY: key, GATELOG_USER: developer }),
    files: ({ gateway }) => ({
      '.codex/config.toml': `model = "gpt-5-mini"
model_provider = "gatelog"

[model_providers.gatelog]
name = "Gatelog"
base_url = "${gateway}/v1"
env_key = "GATELOG_API_KEY"
wire_api = "responses"
http_headers = { "Svc-Properties" = '${properties}' }
env_http_headers = { "Svc-User-Id" = "GATELOG_USER" }

[analytics]
enabled = false
`,
    }),
    starts: true,
  },
  {
    name: 'OpenCode',
    package: 'opencode-ai',
    command: (task) => [bin(task, `opencode-${native}/bin/opencode`), 'run', '-m', 'gatelog/gpt-5-mini', question],
    environment: ({ key }) => ({ GATELOG_API_KEY: key, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    files: ({ gateway }) => ({
      '.config/opencode/opencode.json': json({
        autoupdate: false,
        share: 'disabled',
        provider: {
          gatelog: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Gatelog',
            options: { baseURL: `${gateway}/v1`, apiKey: '{env:GATELOG_API_KEY}', headers: tags },
            models: { 'gpt-5-mini': { name: 'gpt-5-mini' } },
          },
        },
      }),
    }),
    starts: true,
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    command: (task) => [process.execPath, bin(task, '@qwen-code/qwen-code/cli-entry.js'), '-p', question],
    environment: ({ key }) => ({ GATELOG_API_KEY: key }),
    files: ({ gateway }) => ({
      '.qwen/settings.json': json({
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        outboundCorrelation: { allowDynamicHeaderValues: true },
        model: { name: 'gpt-5-mini' },
        modelProviders: {
          openai: [
            {
              id: 'gpt-5-mini',
              name: 'gpt-5-mini',
              envKey: 'GATELOG_API_KEY',
              baseUrl: `${gateway}/v1`,
              generationConfig: { customHeaders: { 'x-qwen-code-session-id': '${session_id}', ...tags } },
            },
          ],
        },
      }),
    }),
    // A sub-agent has the session's own identifier and none of its own.
    starts: false,
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    command: (task) => [
      process.execPath,
      bin(task, '@google/gemini-cli/bundle/gemini.js'),
      '-m',
      'gemini-2.5-flash',
      '--skip-trust',
      '-p',
      question,
    ],
    environment: ({ gateway, key }) => ({
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: `${gateway}/gemini`,
      GEMINI_CLI_CUSTOM_HEADERS: Object.entries({ 'Svc-Session-Id': 'gemini-1', ...tags })
        .map((line) => line.join(':'))
        .join(', '),
    }),
    files: () => ({
      '.gemini/settings.json': json({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    }),
    starts: false,
  },
  {
    name: 'pi',
    package: '@mariozechner/pi-coding-agent',
    command: (task) => [
      process.execPath,
      bin(task, '@mariozechner/pi-coding-agent/dist/cli.js'),
      '-p',
      '--model',
      'openai/gpt-5-mini',
      question,
    ],
    environment: ({ key }) => ({ GATELOG_API_KEY: key, PI_SKIP_VERSION_CHECK: '1' }),
    files: ({ gateway }) => ({
      '.pi/agent/models.json': json({ providers: { openai: { baseUrl: `${gateway}/v1`, apiKey: 'GATELOG_API_KEY', headers: tags } } }),
    }),
    starts: false,
  },
];

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
