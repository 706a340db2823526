import { type AgentTask, bin, type CodingAgent, developer, json, native, node22, properties, tags } from './agent.ts';

/** Claude Code with a model, an alias or its default (''), and with further words. */
export function claudeCode(model: string, ...words: readonly string[]): CodingAgent {
  return {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    command: (task) => [
      bin(task, `@anthropic-ai/claude-code-${native}/claude`),
      '-p',
      task.question,
      ...(model === '' ? [] : ['--model', model]),
      '--permission-mode',
      'acceptEdits',
      ...words,
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
  };
}

const codexCommand = (task: AgentTask): readonly string[] => [
  process.execPath,
  bin(task, '@openai/codex/bin/codex.js'),
  'exec',
  '--skip-git-repo-check',
  task.question,
];

const codex: CodingAgent = {
  name: 'Codex',
  package: '@openai/codex',
  command: codexCommand,
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
};

/** Its own provider at another address: it asks for a WebSocket first, and goes on by HTTP when that is refused. */
const codexWithItsProvider: CodingAgent = {
  name: 'Codex, WebSocket refused',
  package: '@openai/codex',
  command: codexCommand,
  environment: ({ key }) => ({ CODEX_API_KEY: key }),
  files: ({ gateway }) => ({ '.codex/config.toml': `openai_base_url = "${gateway}/v1"\n\n[analytics]\nenabled = false\n` }),
  starts: false,
  lacks: ['tags'],
};

const geminiCli: CodingAgent = {
  name: 'Gemini CLI',
  package: '@google/gemini-cli',
  command: (task) => [process.execPath, bin(task, '@google/gemini-cli/bundle/gemini.js'), '--skip-trust', '-p', task.question],
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
};

const qwenCode: CodingAgent = {
  name: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  command: (task) => [node22(task), bin(task, '@qwen-code/qwen-code/cli-entry.js'), '-p', task.question],
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
};

/** Agents of the makers of models. */
export const agentsOfMakers: readonly CodingAgent[] = [claudeCode('claude-sonnet-4-6'), codex, codexWithItsProvider, geminiCli, qwenCode];
