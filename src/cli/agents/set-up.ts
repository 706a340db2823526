import { messageOf } from '../../model/errors.ts';
import { type CommandDependencies, CommandError } from '../base/dependencies.ts';
import type { Agent, Connection, Folders } from './agent.ts';
import { type ConnectionOptions, connectionOf, shortened } from './connection.ts';
import { missingFolders, writePrivate } from './files.ts';
import { agentNamed, foldersOf, shownPath } from './names.ts';
import { plannedFile, settingsAlone } from './plan.ts';
import { type ChangedFile, remember, rememberedSetUp } from './record.ts';

export interface SetUpOptions extends ConnectionOptions {
  readonly write?: true;
  readonly showKey?: true;
}

/** `gatelog agents setup`: prints the settings that lead an agent through the gateway, or writes them. */
export async function setUpAgent(dependencies: CommandDependencies, name: string, options: SetUpOptions): Promise<void> {
  const agent = agentNamed(name);
  const folders = foldersOf(dependencies);
  const connection = await connectionOf(dependencies, options);
  const shown = (text: string): string => (options.showKey === true ? text : text.replaceAll(connection.key, shortened(connection.key)));
  if (options.write === true) writeSettings(dependencies, agent, { connection, folders });
  else printSettings({ ...dependencies, print: (text) => dependencies.print(shown(text)) }, agent, { connection, folders });
  const lines = agent.shellLines?.(connection) ?? [];
  if (lines.length > 0) {
    dependencies.print(`\nIn the shell that starts ${agent.title}, as in ~/.bashrc:\n`);
    for (const line of lines) dependencies.print(`  ${shown(line)}`);
  }
  sayWhatIsNext(dependencies, agent, options);
}

interface Target {
  readonly connection: Connection;
  readonly folders: Folders;
}

function printSettings({ print }: CommandDependencies, agent: Agent, { connection, folders }: Target): void {
  for (const file of agent.files(connection, folders)) {
    print(`In ${shownPath(file.path, folders)}:\n`);
    print(settingsAlone(file).replaceAll(/^(?=.)/gm, '  '));
  }
}

/** TRICKY: what is needed to take the settings back is on the disk before a file is changed. */
function writeSettings({ print }: CommandDependencies, agent: Agent, { connection, folders }: Target): void {
  const earlier = new Map(rememberedSetUp(agent.name, folders)?.files.map((file) => [file.path, file]));
  const planned = agent.files(connection, folders).map((file): ChangedFile => {
    const before = earlier.get(file.path);
    const madeFolders = before?.madeFolders ?? missingFolders(file.path);
    return { ...plannedFile(file, before), madeFolders };
  });
  const moved = [...earlier.keys()].filter((path) => planned.every((file) => file.path !== path));
  if (moved.length > 0) {
    throw new CommandError(`${agent.title} is set up in ${moved.join(', ')}. First take that back: gatelog agents undo ${agent.name}`);
  }
  remember(agent.name, folders, { version: 1, gateway: connection.gateway, files: planned });
  for (const { path, after } of planned) {
    try {
      writePrivate(path, Buffer.from(after, 'base64'));
    } catch (error) {
      throw new CommandError(`${path} cannot be written (${messageOf(error)}). Take back what is: gatelog agents undo ${agent.name}`);
    }
    print(`Wrote ${shownPath(path, folders)}, which only you can read now.`);
  }
}

function sayWhatIsNext({ hint }: CommandDependencies, { name, program }: Agent, { write, showKey }: SetUpOptions): void {
  if (write !== true) {
    hint(`\nNothing is written: --write does it.${showKey === true ? '' : ' --show-key prints the whole key.'}`);
    return;
  }
  hint(`Restart ${program}; "gatelog requests tail" shows its calls. "gatelog agents undo ${name}" takes the settings back.`);
}
