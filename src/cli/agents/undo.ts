import { chmodSync } from 'node:fs';
import { type CommandDependencies, CommandError } from '../base/dependencies.ts';
import { putBack, writePrivate } from './files.ts';
import { agentNamed, foldersOf, shownPath } from './names.ts';
import { type Withdrawn, withdrawn } from './plan.ts';
import { type ChangedFile, forget, rememberedSetUp } from './record.ts';

export interface UndoOptions {
  readonly keepChanges?: true;
}

/** `gatelog agents undo`: makes an agent's files what they were, to the byte. */
export function undoAgent(dependencies: CommandDependencies, name: string, { keepChanges }: UndoOptions): void {
  const agent = agentNamed(name);
  const folders = foldersOf(dependencies);
  const setUp = rememberedSetUp(agent.name, folders);
  if (setUp === undefined) throw new CommandError(`${agent.title} is not set up by "gatelog agents setup" here.`);
  const files = setUp.files.map((file) => ({ file, now: withdrawn(file) }));
  const changed = files.filter(({ now }) => !now.isAsBefore).map(({ file }) => shownPath(file.path, folders));
  if (changed.length > 0 && keepChanges !== true) {
    throw new CommandError(
      `${changed.join(' and ')} ${changed.length === 1 ? 'has' : 'have'} other changes since the set-up, which would be lost. "gatelog agents undo ${name} --keep-changes" takes out our settings alone.`,
    );
  }
  for (const { file, now } of files) {
    takeBack(file, now);
    const shown = shownPath(file.path, folders);
    dependencies.print(`${shown} ${now.isAsBefore ? outcomeOf(file) : 'has our settings no more, and keeps its other changes.'}`);
  }
  forget(agent.name, folders);
  if (agent.shellLines !== undefined) dependencies.hint(`Take the lines for ${agent.title} out of the start file of your shell, too.`);
}

function takeBack(file: ChangedFile, { bytes, isAsBefore }: Withdrawn): void {
  if (isAsBefore) return putBack(file);
  // Somebody has removed it.
  if (bytes === undefined) return;
  writePrivate(file.path, bytes);
  if (file.modeBefore !== null) chmodSync(file.path, file.modeBefore);
}

function outcomeOf({ before }: ChangedFile): string {
  return before === null ? 'is gone, as it was.' : 'is what it was.';
}
