import { isDeepStrictEqual } from 'node:util';
import type { InterpretedExchange, InterpretTask, TaskSettings } from '../worker/interpreter.ts';

type Interpreted = readonly InterpretedExchange[];

/** What was begun for a batch that has not had its turn yet. */
interface Begun {
  readonly tasks: readonly InterpretTask[];
  /** Copies of what the tasks were interpreted under, by the original. */
  readonly settings: ReadonlyMap<TaskSettings, TaskSettings>;
  /** Undefined where it did not come to an end. */
  readonly interpreted: Promise<Interpreted | undefined>;
}

/**
 * Interpretation of the next batch while the store takes the one before: each of the two keeps no more than a part of the machine busy.
 *
 * Invariant: nothing rests on it. When it is the batch's turn, what was made ahead is taken only where it is what would be made now: of the same
 * exchanges, without changes, under the same settings, and without a failure, which may be due to what has moved in the spool since. Else it is forgotten.
 */
export class Prefetch {
  private readonly release: (interpreted: Interpreted) => void;
  private begun: Begun | undefined;

  /** @param release is told of what is forgotten. */
  constructor(release: (interpreted: Interpreted) => void) {
    this.release = release;
  }

  /** @param tasks those of a batch that will probably be the next, without changes. @param interpret is called at once. */
  begin(tasks: readonly InterpretTask[], interpret: (tasks: readonly InterpretTask[]) => Promise<Interpreted>): void {
    const settings = new Map<TaskSettings, TaskSettings>();
    for (const task of tasks) if (!settings.has(task.settings)) settings.set(task.settings, structuredClone(task.settings));
    this.forget(this.begun);
    // What goes wrong here is met again, and reported, when it is the batch's turn.
    const interpreted = interpret(tasks).catch(() => undefined);
    this.begun = { tasks, settings, interpreted };
  }

  /** What these tasks were interpreted to; undefined where that is to be done now. */
  async take(tasks: readonly InterpretTask[]): Promise<Interpreted | undefined> {
    const { begun } = this;
    this.begun = undefined;
    if (begun === undefined || !isSame(begun, tasks)) {
      this.forget(begun);
      return undefined;
    }
    const interpreted = await begun.interpreted;
    if (interpreted?.some((result) => 'failure' in result || 'shortage' in result) !== true) return interpreted;
    this.release(interpreted);
    return undefined;
  }

  private forget(begun: Begun | undefined): void {
    void begun?.interpreted.then((interpreted) => {
      if (interpreted !== undefined) this.release(interpreted);
    });
  }
}

function isSame(begun: Begun, tasks: readonly InterpretTask[]): boolean {
  if (begun.tasks.length !== tasks.length) return false;
  const same = new Map<TaskSettings, TaskSettings>();
  return tasks.every(({ settings, frames, changes }, index) => {
    const before = begun.tasks[index];
    if (before === undefined || before.frames !== frames || changes.length > 0) return false;
    const known = same.get(settings);
    if (known !== undefined) return known === before.settings;
    same.set(settings, before.settings);
    return isDeepStrictEqual(begun.settings.get(before.settings), settings);
  });
}
