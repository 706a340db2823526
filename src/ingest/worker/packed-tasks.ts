import type { AcceptedChange } from '../../model/change.ts';
import type { FrameLocation } from '../../spool/spool.ts';
import type { InterpretTask, TaskSettings } from './interpreter.ts';

/**
 * Tasks as they cross to the interpreter's thread. TRICKY: what crosses is copied member by member, and thousands of small objects take longer than
 * reading what they are about from the disk. So what tasks differ in stands in few arrays of numbers, which cross as they are.
 */
export interface PackedTasks {
  readonly settings: readonly TaskSettings[];
  /** Of each task its settings, by their place. */
  readonly settingsOf: Uint32Array;
  /** How many frames each task has. */
  readonly frameCounts: Uint32Array;
  /** Of each frame its segment, offset, length, kind, stream and stamp. */
  readonly frames: Float64Array;
  /** Tasks with changes, by their place. */
  readonly changes: ReadonlyMap<number, readonly AcceptedChange[]>;
}

const numbersOfFrame = 6;

/** Packs tasks, in their order. */
export function packTasks(tasks: readonly InterpretTask[]): PackedTasks {
  const places = new Map<TaskSettings, number>();
  const frameCounts = Uint32Array.from(tasks, ({ frames }) => frames.length);
  const settingsOf = new Uint32Array(tasks.length);
  const frames = new Float64Array(frameCounts.reduce((sum, count) => sum + count, 0) * numbersOfFrame);
  const changes = new Map<number, readonly AcceptedChange[]>();
  let at = 0;
  for (const [index, task] of tasks.entries()) {
    const place = places.get(task.settings) ?? places.size;
    places.set(task.settings, place);
    settingsOf[index] = place;
    if (task.changes.length > 0) changes.set(index, task.changes);
    for (const frame of task.frames) {
      frames[at] = frame.segment;
      frames[at + 1] = frame.offset;
      frames[at + 2] = frame.length;
      frames[at + 3] = frame.kind;
      frames[at + 4] = frame.stream;
      frames[at + 5] = frame.stamp;
      at += numbersOfFrame;
    }
  }
  return { settings: [...places.keys()], settingsOf, frameCounts, frames, changes };
}

/** The memory of packed tasks that is handed over instead of being copied. */
export function memoryOfTasks({ settingsOf, frameCounts, frames }: PackedTasks): ArrayBuffer[] {
  return [settingsOf, frameCounts, frames].flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? buffer : []));
}

const noChanges: readonly AcceptedChange[] = [];

/** The tasks that were packed, each made when it is its turn. */
export function* unpackTasks(packed: PackedTasks): Generator<InterpretTask, void> {
  let at = 0;
  for (const [index, count] of packed.frameCounts.entries()) {
    const settings = packed.settings[packed.settingsOf[index] ?? 0];
    if (settings === undefined) throw new Error(`task ${index} has no settings`);
    const frames = Array.from({ length: count }, (_, frame) => frameAt(packed.frames, at + frame * numbersOfFrame));
    at += count * numbersOfFrame;
    yield { settings, frames, changes: packed.changes.get(index) ?? noChanges };
  }
}

function frameAt(numbers: Float64Array, at: number): FrameLocation {
  return {
    segment: numbers[at] ?? 0,
    offset: numbers[at + 1] ?? 0,
    length: numbers[at + 2] ?? 0,
    kind: numbers[at + 3] ?? 0,
    stream: numbers[at + 4] ?? 0,
    stamp: numbers[at + 5] ?? 0,
  };
}
