import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../src/cli/command.ts';
import { type Shell, shells } from '../src/cli/completion/shells.ts';
import { systemDependencies } from '../src/cli/base/dependencies.ts';

/** The completion scripts in the shells themselves, those that this machine has. */

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-completion-'));
  for (const shell of shells) {
    const printed: string[] = [];
    await runCommand(['completion', shell], { ...systemDependencies({}), print: (text) => printed.push(text) });
    writeFileSync(path.join(folder, shell), printed.join('\n'));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const scriptOf = (shell: Shell): string => path.join(folder, shell);
const timeout = 20_000;

/** What a shell makes of the last word of a line. */
const completers: Readonly<Record<Shell, (line: string) => string>> = {
  bash: (line) => {
    const words = line.split(' ');
    const program = `source ${scriptOf('bash')}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _gatelog; echo "\${COMPREPLY[*]}"`;
    return execFileSync('bash', ['--norc', '-c', program], { encoding: 'utf8', timeout }).trim();
  },
  zsh: (line) => {
    writeFileSync(path.join(folder, 'driver'), zshDriver);
    const buffer = execFileSync('zsh', ['-f', path.join(folder, 'driver'), scriptOf('zsh'), line], { encoding: 'utf8', timeout });
    return buffer.trim().split(' ').at(-1) ?? '';
  },
  fish: (line) => {
    const program = `source ${scriptOf('fish')}; complete -C '${line}'`;
    const home = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder };
    const offered = execFileSync('fish', ['-c', program], { encoding: 'utf8', timeout, env: home }).trim();
    return offered
      .split('\n')
      .map((each) => each.split('\t')[0])
      .join(' ');
  },
};

/** Types a line and a tab into an interactive zsh, and prints what the line has become. */
const zshDriver = [
  'zmodload zsh/zpty',
  'zpty t zsh -f -i',
  String.raw`zpty -w t "PROMPT=; autoload -Uz compinit; compinit -D -u; source $1; show() { print -r -- \"<<\$BUFFER>>\"; BUFFER= }; zle -N show; bindkey '^G' show; print rea''dy"`,
  "zpty -r t line '*ready*'",
  String.raw`zpty -w -n t "$2"$'\t\a'`,
  "zpty -r t line '*<<*>>*'",
  'print -r -- "${${line##*<<}%%>>*}"',
  'zpty -d t',
].join('\n');

describe.each(shells)('%s', (shell) => {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0;
  it.skipIf(!isThere).each([
    ['gatelog requ', 'requests'],
    ['gatelog requests li', 'list'],
    ['gatelog requests list --colu', '--columns'],
    ['gatelog requests list --unt', '--until'],
    ['gatelog metrics --interval mi', 'minute'],
    ['gatelog export --format pa', 'parquet'],
    ['gatelog keys create --permissions ad', 'admin'],
    ['gatelog report tr', 'trend'],
    ['gatelog completion fi', 'fish'],
    ['gatelog requests list --columns model,provi', 'model,provider'],
    ['gatelog users --where user_co', 'user_cost'],
  ])('%s becomes %s; skipped where that is because the machine lacks the shell', (line, word) => {
    expect(completers[shell](line)).toBe(word);
  });
});

it('bash takes a value behind a sign of equality too', () => {
  const program = `source ${scriptOf('bash')}; COMP_WORDS=(gatelog metrics --interval = mi); COMP_CWORD=4; _gatelog; echo "\${COMPREPLY[*]}"`;
  expect(execFileSync('bash', ['--norc', '-c', program], { encoding: 'utf8' }).trim()).toBe('minute');
});
