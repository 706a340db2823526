import { isDeepStrictEqual } from 'node:util';
import type { Interpretation, InterpretTask, TaskSettings } from '../worker/record-builder.ts';

/** Interpretation of a batch that has not been formed yet. */
interface Prefetched {
  readonly tasks: readonly InterpretTask[];
  /** Copies of the settings that the tasks were interpreted under, by the original. */
  readonly settings: ReadonlyMap<TaskSettings, TaskSettings>;
  /** Undefined where it failed. */
  readonly interpretation: Promise<Interpretation | undefined>;
}

/**
 * Interprets the next batch while the store takes the one before: each of the two keeps only a part of the machine busy.
 *
 * Invariant: correctness does not depend on it. A prefetched interpretation is used only where it equals what would be made now: of the
 * same exchanges, without changes, under the same settings, and without a failure, which may be due to what has moved in the spool since.
 */
export class Prefetch {
  private prefetched: Prefetched | undefined;

  /** @param tasks of the batch that will probably be the next, without changes. */
  begin(tasks: readonly InterpretTask[], interpret: (tasks: readonly InterpretTask[]) => Promise<Interpretation>): void {
    const settings = new Map<TaskSettings, TaskSettings>();
    for (const task of tasks) if (!settings.has(task.settings)) settings.set(task.settings, structuredClone(task.settings));
    dispose(this.prefetched);
    // A failure occurs again, and is reported, when the batch itself is interpreted.
    const interpretation = interpret(tasks).catch(() => undefined);
    this.prefetched = { tasks, settings, interpretation };
  }

  /** @returns the interpretation of these tasks, which the caller owns from now on; undefined where there is none to use. */
  async take(tasks: readonly InterpretTask[]): Promise<Interpretation | undefined> {
    const { prefetched } = this;
    this.prefetched = undefined;
    if (prefetched === undefined || !isSame(prefetched, tasks)) {
      dispose(prefetched);
      return undefined;
    }
    const interpretation = await prefetched.interpretation;
    if (interpretation?.results.some((result) => 'failure' in result || 'shortage' in result) !== true) return interpretation;
    interpretation[Symbol.dispose]();
    return undefined;
  }
}

function dispose(prefetched: Prefetched | undefined): void {
  void prefetched?.interpretation.then((interpretation) => interpretation?.[Symbol.dispose]());
}

function isSame(prefetched: Prefetched, tasks: readonly InterpretTask[]): boolean {
  if (prefetched.tasks.length !== tasks.length) return false;
  const same = new Map<TaskSettings, TaskSettings>();
  return tasks.every(({ settings, frames, changes }, index) => {
    const task = prefetched.tasks[index];
    if (task === undefined || task.frames !== frames || changes.length > 0) return false;
    const known = same.get(settings);
    if (known !== undefined) return known === task.settings;
    same.set(settings, task.settings);
    return isDeepStrictEqual(prefetched.settings.get(task.settings), settings);
  });
}
