import { bin, type AgentTask, type CodingAgent, json, native, node22, tags } from './agent.ts';

/** A provider of OpenAI's format in the settings of OpenCode and of Kilo, which is made from it. */
const openCodeProvider = ({ gateway }: AgentTask): object => ({
  npm: '@ai-sdk/openai-compatible',
  name: 'Gatelog',
  options: { baseURL: `${gateway}/v1`, apiKey: '{env:GATELOG_API_KEY}', headers: tags },
  models: { 'gpt-5-mini': { name: 'gpt-5-mini' } },
});

const openCode: CodingAgent = {
  name: 'OpenCode',
  package: 'opencode-ai',
  command: (task) => [bin(task, `opencode-${native}/bin/opencode`), 'run', '-m', 'gatelog/gpt-5-mini', task.question],
  environment: ({ key }) => ({ GATELOG_API_KEY: key, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  files: (task) => ({
    '.config/opencode/opencode.json': json({ autoupdate: false, share: 'disabled', provider: { gatelog: openCodeProvider(task) } }),
  }),
  starts: true,
};

const kilo: CodingAgent = {
  name: 'Kilo',
  package: `@kilocode/cli-${native}`,
  command: (task) => [bin(task, `@kilocode/cli-${native}/bin/kilo`), 'run', '-m', 'gatelog/gpt-5-mini', task.question],
  environment: ({ key }) => ({ GATELOG_API_KEY: key, KILO_DISABLE_AUTOUPDATE: '1', KILO_DISABLE_MODELS_FETCH: '1' }),
  files: (task) => ({
    '.config/kilo/kilo.json': json({ autoupdate: false, share: 'disabled', provider: { gatelog: openCodeProvider(task) } }),
  }),
  starts: true,
};

const cline: CodingAgent = {
  name: 'Cline',
  package: 'cline',
  command: (task) => [bin(task, `@cline/cli-${native}/bin/cline`), task.question],
  environment: () => ({}),
  files: ({ gateway, key }) => ({
    '.cline/data/settings/providers.json': json({
      version: 1,
      lastUsedProvider: 'openai-compatible',
      modes: {},
      providers: {
        'openai-compatible': {
          settings: { provider: 'openai-compatible', apiKey: key, model: 'gpt-5-mini', baseUrl: `${gateway}/v1`, headers: tags },
          updatedAt: '2026-11-28T00:00:00.000Z',
          tokenSource: 'manual',
        },
      },
    }),
  }),
  starts: false,
  lacks: ['session'],
};

const continueCli: CodingAgent = {
  name: 'Continue',
  package: '@continuedev/cli',
  command: (task) => [node22(task), bin(task, '@continuedev/cli/dist/cn.js'), '-p', task.question],
  environment: ({ key }) => ({ GATELOG_API_KEY: key, GATELOG_SESSION: 'continue-1', CONTINUE_TELEMETRY_ENABLED: '0' }),
  files: ({ gateway }) => ({
    '.continue/config.yaml': `name: Gatelog
version: 1.0.0
schema: v1
models:
  - name: gpt-5-mini
    provider: openai
    model: gpt-5-mini
    apiBase: ${gateway}/v1
    apiKey: \${{ secrets.GATELOG_API_KEY }}
    requestOptions:
      headers:
        Svc-Session-Id: \${{ secrets.GATELOG_SESSION }}
        Svc-User-Id: ada
        Svc-Properties: '${tags['Svc-Properties']}'
`,
  }),
  starts: false,
};

const pi: CodingAgent = {
  name: 'pi',
  package: '@earendil-works/pi-coding-agent',
  command: (task) => [
    node22(task),
    bin(task, '@earendil-works/pi-coding-agent/dist/bundle/cli.js'),
    '-p',
    '--model',
    'openai/gpt-5-mini',
    task.question,
  ],
  environment: ({ key }) => ({ GATELOG_API_KEY: key, PI_SKIP_VERSION_CHECK: '1' }),
  files: ({ gateway }) => ({
    '.pi/agent/models.json': json({ providers: { openai: { baseUrl: `${gateway}/v1`, apiKey: '$GATELOG_API_KEY', headers: tags } } }),
  }),
  starts: false,
};

/** Agents that speak to whichever provider they are told. */
export const independentAgents: readonly CodingAgent[] = [openCode, kilo, cline, continueCli, pi];
