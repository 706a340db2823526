import path from 'node:path';
import type { Agent, Connection, Folders } from './agent.ts';
import type { Change, Setting } from './formats/format.ts';

/** Headers of ours. Most agents write names in lower case, so that properties stand in the one that keeps theirs. */
function tagsOf({ user, properties }: Connection): Readonly<Record<string, string>> {
  const own = Object.keys(properties).length > 0;
  return { 'Svc-User-Id': user, ...(own ? { 'Svc-Properties': JSON.stringify(properties) } : {}) };
}

/** A folder that a variable may name, else one below the home folder. */
function folderOf({ home, environment }: Folders, variable: string, ...below: readonly string[]): string {
  const given = environment[variable] ?? '';
  return given === '' ? path.join(home, ...below) : path.resolve(given);
}

const configFolder = (folders: Folders): string => folderOf(folders, 'XDG_CONFIG_HOME', '.config');

/** Settings below one member. */
function under(at: readonly string[], settings: Readonly<Record<string, Setting>>): readonly Change[] {
  return Object.entries(settings).map(([name, value]) => ({ at: [...at, name], value }));
}

/** What a file has to have. */
function defaults(settings: Readonly<Record<string, Setting>>): readonly Change[] {
  return Object.entries(settings).map(([name, value]) => ({ at: [name], value, isDefault: true }));
}

const claudeCode: Agent = {
  name: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  files: (connection, folders) => [
    {
      format: 'json',
      path: path.join(folderOf(folders, 'CLAUDE_CONFIG_DIR', '.claude'), 'settings.json'),
      changes: under(['env'], {
        ANTHROPIC_BASE_URL: `${connection.gateway}/anthropic`,
        ANTHROPIC_AUTH_TOKEN: connection.key,
        ANTHROPIC_CUSTOM_HEADERS: lines(tagsOf(connection), ': ').join('\n'),
        // Calls then say what kind they are: the properties Request-Class and Agent-Type.
        CLAUDE_CODE_GATEWAY_HINT_HEADERS: '1',
      }),
    },
  ],
};

const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  files: (connection, folders) => [
    {
      format: 'toml',
      path: path.join(folderOf(folders, 'CODEX_HOME', '.codex'), 'config.toml'),
      changes: [
        { at: ['model_provider'], value: 'gatelog' },
        {
          at: ['model_providers', 'gatelog'],
          value: {
            name: 'Gatelog',
            base_url: `${connection.gateway}/v1`,
            wire_api: 'responses',
            http_headers: { 'Svc-Auth': `Bearer ${connection.key}`, ...tagsOf(connection) },
          },
        },
      ],
    },
  ],
};

/** The providers of OpenCode, and of Kilo, which is made from it, that come with models of their own. */
function openCodeChanges(connection: Connection): readonly Change[] {
  const options = { baseURL: `${connection.gateway}/v1`, apiKey: connection.key, headers: tagsOf(connection) };
  return ['anthropic', 'openai'].flatMap((provider) => under(['provider', provider, 'options'], options));
}

const openCode: Agent = {
  name: 'opencode',
  title: 'OpenCode',
  program: 'opencode',
  files: (connection, folders) => [
    { format: 'json', path: path.join(configFolder(folders), 'opencode', 'opencode.json'), changes: openCodeChanges(connection) },
  ],
};

const kilo: Agent = {
  name: 'kilo',
  title: 'Kilo',
  program: 'kilo',
  files: (connection, folders) => [
    { format: 'json', path: path.join(configFolder(folders), 'kilo', 'kilo.json'), changes: openCodeChanges(connection) },
  ],
};

const geminiCli: Agent = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  files: (_connection, { home }) => [
    {
      format: 'json',
      path: path.join(home, '.gemini', 'settings.json'),
      changes: under(['security', 'auth'], { selectedType: 'gemini-api-key' }),
    },
  ],
  // It has no setting for an address or headers, and names no session: each start of a shell is one.
  shellLines: (connection) => [
    `export GOOGLE_GEMINI_BASE_URL=${connection.gateway}/gemini`,
    `export GEMINI_API_KEY=${connection.key}`,
    `export GEMINI_CLI_CUSTOM_HEADERS="Svc-Session-Id:gemini-$(date +%s), "${quoted(lines(tagsOf(connection), ':').join(', '))}`,
  ],
};

const qwenCode: Agent = {
  name: 'qwen',
  title: 'Qwen Code',
  program: 'qwen',
  files: (connection, { home }) => [
    {
      format: 'json',
      path: path.join(home, '.qwen', 'settings.json'),
      changes: [
        ...under(['security', 'auth'], { selectedType: 'openai' }),
        // Else the session is not filled in below.
        ...under(['outboundCorrelation'], { allowDynamicHeaderValues: true }),
        ...under(['model'], { name: connection.model }),
        ...under(['env'], { GATELOG_AGENT_KEY: connection.key }),
        {
          at: ['modelProviders', 'openai'],
          elementBy: 'name',
          value: {
            id: connection.model,
            name: 'Gatelog',
            envKey: 'GATELOG_AGENT_KEY',
            baseUrl: `${connection.gateway}/v1`,
            generationConfig: { customHeaders: { 'x-qwen-code-session-id': '${session_id}', ...tagsOf(connection) } },
          },
        },
      ],
    },
  ],
};

const cline: Agent = {
  name: 'cline',
  title: 'Cline',
  program: 'cline',
  files: (connection, { home }) => [
    {
      format: 'json',
      path: path.join(home, '.cline', 'data', 'settings', 'providers.json'),
      changes: [
        ...defaults({ version: 1, modes: {} }),
        ...under([], { lastUsedProvider: 'openai-compatible' }),
        ...under(['providers'], {
          'openai-compatible': {
            settings: {
              provider: 'openai-compatible',
              apiKey: connection.key,
              model: connection.model,
              baseUrl: `${connection.gateway}/v1`,
              headers: tagsOf(connection),
            },
            updatedAt: new Date(connection.at).toISOString(),
            tokenSource: 'manual',
          },
        }),
      ],
    },
  ],
};

const continueCli: Agent = {
  name: 'continue',
  title: 'Continue',
  program: 'cn',
  files: (connection, { home }) => [
    {
      format: 'yaml',
      path: path.join(home, '.continue', 'config.yaml'),
      changes: [
        ...defaults({ name: 'Gatelog', version: '1.0.0', schema: 'v1' }),
        {
          at: ['models'],
          elementBy: 'name',
          value: {
            name: 'Gatelog',
            provider: 'openai',
            model: connection.model,
            apiBase: `${connection.gateway}/v1`,
            apiKey: connection.key,
            requestOptions: { headers: tagsOf(connection) },
          },
        },
      ],
    },
  ],
};

const pi: Agent = {
  name: 'pi',
  title: 'pi',
  program: 'pi',
  files: (connection, { home }) => [
    {
      format: 'json',
      path: path.join(home, '.pi', 'agent', 'models.json'),
      changes: [
        ...under(['providers', 'openai'], { baseUrl: `${connection.gateway}/v1`, apiKey: connection.key, headers: tagsOf(connection) }),
        ...under(['providers', 'anthropic'], {
          baseUrl: `${connection.gateway}/anthropic`,
          apiKey: connection.key,
          headers: tagsOf(connection),
        }),
        ...under(['providers', 'anthropic', 'compat'], { sendSessionAffinityHeaders: true }),
      ],
    },
  ],
};

/** In the order in which they are listed; docs/guides/coding-agents.md has each. */
export const agents: readonly Agent[] = [claudeCode, codex, openCode, geminiCli, qwenCode, kilo, cline, continueCli, pi];

function lines(headers: Readonly<Record<string, string>>, between: string): readonly string[] {
  return Object.entries(headers).map((header) => header.join(between));
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text}'`;
}
