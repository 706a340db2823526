import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type AgentTask, type CodingAgent, developer, json, repository } from './agent.ts';
import { codingAgents } from './agents.ts';

const command = path.resolve('dist/cli/gatelog.cjs');

/** What a person has in an agent's files before the set-up, so that it runs by itself here. */
interface Own {
  /** Of the harness, from which its program and how it starts are. */
  readonly like: string;
  readonly files: Readonly<Record<string, string>>;
  /** Variables that are not about the gateway. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Instead of the words of the harness that name a model. */
  readonly model?: string;
  /** Instead of the harness's: the set-up's own files, and what an agent writes into them as it runs. */
  readonly lacks?: CodingAgent['lacks'];
}

const quiet = { autoupdate: false, share: 'disabled' };

/** By their names on the command line of Gatelog. */
const owns: Readonly<Record<string, Own>> = {
  'claude-code': {
    like: 'Claude Code',
    // It reads no comments.
    files: { '.claude/settings.json': '{\n\t"includeCoAuthoredBy": false\n}\n' },
    environment: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
  },
  codex: { like: 'Codex', files: { '.codex/config.toml': '# mine\nmodel = "gpt-5-mini"\n\n[analytics]\nenabled = false\n' } },
  opencode: {
    like: 'OpenCode',
    files: { '.config/opencode/opencode.json': json(quiet) },
    environment: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    model: 'openai/gpt-5-mini',
  },
  gemini: {
    like: 'Gemini CLI',
    files: { '.gemini/settings.json': json({ privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } }) },
  },
  qwen: { like: 'Qwen Code', files: { '.qwen/settings.json': json({ privacy: { usageStatisticsEnabled: false } }) } },
  kilo: {
    like: 'Kilo',
    files: { '.config/kilo/kilo.json': json(quiet) },
    environment: { KILO_DISABLE_AUTOUPDATE: '1', KILO_DISABLE_MODELS_FETCH: '1' },
    model: 'openai/gpt-5-mini',
  },
  cline: { like: 'Cline', files: {}, lacks: ['session'] },
  continue: { like: 'Continue', files: {}, environment: { CONTINUE_TELEMETRY_ENABLED: '0' }, lacks: ['session'] },
  pi: { like: 'pi', files: {}, environment: { PI_SKIP_VERSION_CHECK: '1' } },
};

/** Each agent as `gatelog agents setup` leads it through the gateway; behind its run the set-up is undone, and its files are compared. */
export const agentsSetUp: readonly CodingAgent[] = Object.entries(owns).map(([name, own]) => {
  const harness = codingAgents.find((agent) => agent.name === own.like);
  if (harness === undefined) throw new Error(`the harness has no ${own.like}`);
  return {
    name: `${own.like}, set up`,
    package: harness.package,
    command: (task) => harness.command(task).map((word) => (word === 'gatelog/gpt-5-mini' ? (own.model ?? word) : word)),
    environment: () => own.environment ?? {},
    files: () => own.files,
    starts: harness.starts,
    ...(own.lacks === undefined ? {} : { lacks: own.lacks }),
    prepare: (home, task) => setUp(name, home, task),
    finish: (home) => faultsOfUndo(name, home, own.files),
  };
});

function gatelog(home: string, words: readonly string[], key: string): string {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  return execFileSync(process.execPath, [command, 'agents', ...words], { env, cwd: home, input: key, encoding: 'utf8' });
}

/** @returns the variables that the lines for the shell set. */
function setUp(name: string, home: string, { gateway, key }: AgentTask): Readonly<Record<string, string>> {
  const told = ['--gateway', gateway, '--user', developer, '--property', `Repository=${repository}`, '--key-stdin', '--show-key'];
  const lines = gatelog(home, ['setup', name, '--write', ...told], `${key}\n`).match(/^ +export .*$/gm) ?? [];
  const shown = execFileSync('bash', ['--norc', '-c', `${lines.join('\n')}\nenv -0`], { env: {}, encoding: 'utf8' });
  const variables = shown.split('\0').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const);
  return Object.fromEntries(variables.filter(([variable]) => lines.some((line) => line.includes(` ${variable}=`))));
}

/** An agent may have written into its files meanwhile: then its changes stay, and nothing of ours. */
function faultsOfUndo(name: string, home: string, files: Readonly<Record<string, string>>): readonly string[] {
  const isChanged = gatelog(home, ['list'], '')
    .split('\n')
    .some((line) => line.startsWith(`${name} `) && line.endsWith('changed since'));
  gatelog(home, ['undo', name, ...(isChanged ? ['--keep-changes'] : [])], '');
  const left = filesHolding(home, 'sk-svc-');
  if (isChanged) return left;
  const wrong = Object.entries(files).filter(([file, text]) => readFileSync(path.join(home, file), 'utf8') !== text);
  return [...left, ...wrong.map(([file]) => `${file} is not what it was before the set-up`)];
}

function filesHolding(folder: string, text: string): readonly string[] {
  const settings = /\.(?:json|jsonc|toml|ya?ml|env)$/;
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && settings.test(entry.name),
  );
  return names
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'utf8').includes(text))
    .map((file) => `${path.relative(folder, file)} still holds the key behind the undo`);
}
