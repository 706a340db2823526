import { homedir } from 'node:os';
import path from 'node:path';
import type { CommandDependencies } from '../base/dependencies.ts';
import { UsageError } from '../base/dependencies.ts';
import type { Agent, Folders } from './agent.ts';
import { agents } from './table.ts';

/** @throws UsageError for another name. */
export function agentNamed(name: string): Agent {
  const agent = agents.find((each) => each.name === name);
  if (agent === undefined) throw new UsageError(`There is no agent "${name}"; there are ${agents.map((each) => each.name).join(', ')}.`);
  return agent;
}

export function foldersOf({ environment }: CommandDependencies): Folders {
  const { HOME: home = '' } = environment;
  return { home: home === '' ? homedir() : home, environment };
}

/** A path as people write it. */
export function shownPath(file: string, { home }: Folders): string {
  return file.startsWith(`${home}${path.sep}`) ? `~${file.slice(home.length)}` : file;
}
