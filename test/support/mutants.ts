import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A fault that is put into a copy of the built program, to see whether a test notices it. */
interface Mutant {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Faults by name. Each breaks one promise that the kills are about. */
const mutants = {
  /** The response is sent first, and its end goes to the spool a moment later. */
  'reply-first': {
    file: 'gateway/relay/relay.js',
    from: 'recorder.end(ended, this.overheadMs, () => {\n            meter.ended',
    to: 'if (!isDetached && !response.destroyed) deliver?.();\n        deliver = undefined;\n        const later = (...end) => setTimeout(() => recorder.end(...end), 50);\n        later(ended, this.overheadMs, () => {\n            meter.ended',
  },
  /** A batch counts as accepted before the store has it. */
  'checkpoint-first': {
    file: 'ingest/drain.js',
    from: 'this.saveCheckpoint({ ...this.checkpoint, intended: batch.bounds });',
    to: 'this.saveCheckpoint({ lastBatch: batch.bounds.batch, accepted: acceptedAfter(this.checkpoint.accepted, batch) });',
  },
  /** Every repetition of a batch has a token of its own, so the store takes it again. */
  'new-token': {
    file: 'ingest/drain.js',
    from: 'token: tokenOf(this.ports.spoolId, batch.bounds)',
    to: 'token: `${tokenOf(this.ports.spoolId, batch.bounds)}-${process.pid}`',
  },
} as const satisfies Record<string, Mutant>;

export type MutantName = keyof typeof mutants;
export const mutantNames = Object.keys(mutants) as readonly MutantName[];

/** A copy of the program with a fault in it. */
export interface MutantProgram {
  readonly program: string;
  readonly remove: () => void;
}

/** Copies the built program and puts a fault into the copy. @throws when the code to be changed is not there any more. */
export function makeMutant(name: MutantName): MutantProgram {
  const { file, from, to }: Mutant = mutants[name];
  // In the repository, where its packages are found.
  const folder = path.resolve('.cache', `mutant-${name}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  cpSync('dist', path.join(folder, 'dist'), { recursive: true });
  cpSync('package.json', path.join(folder, 'package.json'));
  const changed = path.join(folder, 'dist', file);
  const text = readFileSync(changed, 'utf8');
  if (!text.includes(from)) throw new Error(`dist/${file} has changed: the mutant ${name} must change with it`);
  writeFileSync(
    changed,
    text.replace(from, () => to),
  );
  return { program: path.join(folder, 'dist', 'cli', 'main.js'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
