import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { textTable } from '../../config/text-table.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import type { Agent, Folders } from './agent.ts';
import { bytesOf } from './files.ts';
import { foldersOf, shownPath } from './names.ts';
import { rememberedSetUp } from './record.ts';
import { agents } from './table.ts';

export interface ListOptions {
  readonly json?: true;
}

interface FoundAgent {
  readonly name: string;
  readonly title: string;
  /** Path of its program; null: not on the path. */
  readonly program: string | null;
  /** The gateway that its settings name; null: not set up by us. */
  readonly gateway: string | null;
  /** Its settings files since then. */
  readonly files: readonly { readonly path: string; readonly changed: boolean }[];
}

/** `gatelog agents list`: which agents are on this machine, and which lead through a gateway. */
export function listAgents(dependencies: CommandDependencies, { json }: ListOptions): void {
  const folders = foldersOf(dependencies);
  const found = agents.map((agent) => foundAgent(agent, folders));
  if (json === true) {
    for (const agent of found) dependencies.print(JSON.stringify(agent));
    return;
  }
  const rows = found.map(({ name, title, program, gateway, files }) => [
    name,
    title,
    program === null ? 'not found' : shownPath(program, folders),
    gateway === null ? 'not set up' : `${gateway}${files.some(({ changed }) => changed) ? ', changed since' : ''}`,
  ]);
  dependencies.print(textTable([['AGENT', 'NAME', 'PROGRAM', 'GATEWAY'], ...rows]));
}

function foundAgent({ name, title, program }: Agent, folders: Folders): FoundAgent {
  const setUp = rememberedSetUp(name, folders);
  const files = (setUp?.files ?? []).map((file) => ({
    path: file.path,
    changed: bytesOf(file.path)?.toString('base64') !== file.after,
  }));
  return { name, title, program: onPath(program, folders), gateway: setUp?.gateway ?? null, files };
}

function onPath(program: string, { environment }: Folders): string | null {
  const places = (environment['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return places.map((folder) => path.join(folder, program)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
