/**
 * The attacking organisation of `run.ts`, started by `fork` with a low priority. To each {@link Assault} it answers with the counts of what
 * the service answered, as an array of pairs, once the attack is over and cleared up. Ends with its parent.
 */
import { setMaxListeners } from 'node:events';
import { setOwnPriority } from '../own-priority.ts';
import { surfaces } from './surfaces.ts';
import { countedTarget } from './target.ts';

export interface Assault {
  readonly surface: string;
  readonly gateway: string;
  readonly api: string;
  readonly key: string;
  readonly durationMs: number;
  readonly requestIds: readonly string[];
}

const niceness = 10;

async function attack({ surface: name, durationMs, ...rest }: Assault): Promise<readonly (readonly [string, number])[]> {
  const surface = surfaces.find((each) => each.name === name);
  if (surface === undefined) throw new RangeError(`there is no surface ${name}`);
  const over = new AbortController();
  // Each request listens.
  setMaxListeners(0, over.signal);
  const timer = setTimeout(() => over.abort(), durationMs);
  const { target, counts, close } = countedTarget({ ...rest, signal: over.signal });
  await surface.attack(target).finally(() => clearTimeout(timer));
  close();
  return [...counts];
}

setOwnPriority(niceness);
process.on('message', (message) => {
  void attack(message as Assault).then(
    (counts) => process.send?.(counts),
    (error: unknown) => process.send?.([[`the attack failed: ${String(error)}`, 1]]),
  );
});
process.on('disconnect', () => process.exit(0));
