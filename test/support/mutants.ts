import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A fault in a copy of the built program, to test whether a test detects it. */
interface Mutant {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Faults by name. Each breaks one promise that the kill tests check. */
export const mutants = {
  /** Sends the response before its end is in the spool. */
  'reply-first': {
    file: 'gateway/relay/relay.js',
    from: 'recorder.end(ended, this.overheadMs, () => {\n            meter.ended',
    to: 'if (!isDetached && !response.destroyed) deliver?.();\n        deliver = undefined;\n        const later = (...end) => setTimeout(() => recorder.end(...end), 50);\n        later(ended, this.overheadMs, () => {\n            meter.ended',
  },
  /** Counts a batch as accepted before the store has it. */
  'checkpoint-first': {
    file: 'ingest/drain.js',
    from: 'this.saveCheckpoint({ ...this.checkpoint, intended });',
    to: 'this.saveCheckpoint({ ...this.checkpoint, lastBatch: batch.bounds.batch, accepted: acceptedAfter(this.checkpoint.accepted, batch) });',
  },
  /** Gives every repetition of a batch a new token, so that the store inserts it again. */
  'new-token': {
    file: 'ingest/drain.js',
    from: 'token: tokenOf(this.parts.spoolId, batch.bounds)',
    to: 'token: `${tokenOf(this.parts.spoolId, batch.bounds)}-${process.pid}`',
  },
} as const satisfies Record<string, Mutant>;

export type MutantName = keyof typeof mutants;
export const mutantNames = Object.keys(mutants) as readonly MutantName[];

export interface MutantProgram {
  readonly program: string;
  readonly remove: () => void;
}

/** Copies the program, of which `npm run soak` compiles each module by itself, and inserts a fault. @throws when the original code has changed. */
export function makeMutant(name: MutantName): MutantProgram {
  const { file, from, to }: Mutant = mutants[name];
  // In the repository, where its packages are found.
  const folder = path.resolve('.cache', `mutant-${name}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  cpSync('.cache/experiments/src', path.join(folder, 'dist'), { recursive: true });
  cpSync('package.json', path.join(folder, 'package.json'));
  const changed = path.join(folder, 'dist', file);
  const text = readFileSync(changed, 'utf8');
  if (!text.includes(from)) throw new Error(`src/${file} has changed: the mutant ${name} must change with it`);
  writeFileSync(
    changed,
    text.replace(from, () => to),
  );
  return { program: path.join(folder, 'dist', 'cli', 'main.js'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
