import type { AcceptedChange } from '../../model/change.ts';
import type { FrameLocation } from '../../spool/spool.ts';
import type { InterpretTask, JoinedTasks, TaskSettings } from './record-builder.ts';

/**
 * Tasks as they cross to the interpreter's thread. TRICKY: a structured clone of thousands of small objects takes longer than reading
 * their frames from the disk. So everything in which tasks differ is packed into a few arrays of numbers, which are transferred.
 */
export interface PackedTasks {
  readonly settings: readonly TaskSettings[];
  /** The index in `settings` of each task's settings. */
  readonly settingsOf: Uint32Array;
  readonly frameCounts: Uint32Array;
  /** Segment, offset, length, kind, stream and stamp of each frame. */
  readonly frames: Float64Array;
  /** By the index of the task. */
  readonly changes: ReadonlyMap<number, readonly AcceptedChange[]>;
  readonly joined: ReadonlyMap<number, JoinedTasks>;
}

const numbersPerFrame = 6;
/** Of the numbers of a frame. */
const lengthAt = 2;

export function packTasks(tasks: readonly InterpretTask[]): PackedTasks {
  const indexes = new Map<TaskSettings, number>();
  const frameCounts = Uint32Array.from(tasks, ({ frames }) => frames.length);
  const settingsOf = new Uint32Array(tasks.length);
  const frames = new Float64Array(frameCounts.reduce((sum, count) => sum + count, 0) * numbersPerFrame);
  const changes = new Map<number, readonly AcceptedChange[]>();
  const joined = new Map<number, JoinedTasks>();
  let at = 0;
  for (const [index, task] of tasks.entries()) {
    const settingsIndex = indexes.get(task.settings) ?? indexes.size;
    indexes.set(task.settings, settingsIndex);
    settingsOf[index] = settingsIndex;
    if (task.changes.length > 0) changes.set(index, task.changes);
    if (task.joined !== undefined) joined.set(index, task.joined);
    for (const frame of task.frames) {
      frames[at] = frame.segment;
      frames[at + 1] = frame.offset;
      frames[at + 2] = frame.length;
      frames[at + 3] = frame.kind;
      frames[at + 4] = frame.stream;
      frames[at + 5] = frame.stamp;
      at += numbersPerFrame;
    }
  }
  return { settings: [...indexes.keys()], settingsOf, frameCounts, frames, changes, joined };
}

/** Bytes of all frames. */
export function bytesOfTasks({ frames }: PackedTasks): number {
  let bytes = 0;
  for (let at = lengthAt; at < frames.length; at += numbersPerFrame) bytes += frames[at] ?? 0;
  return bytes;
}

/** The memory of packed tasks that is transferred instead of copied. */
export function memoryOfTasks({ settingsOf, frameCounts, frames }: PackedTasks): ArrayBuffer[] {
  return [settingsOf, frameCounts, frames].flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? buffer : []));
}

const noChanges: readonly AcceptedChange[] = [];

export function* unpackTasks(packed: PackedTasks): Generator<InterpretTask, void> {
  let at = 0;
  for (const [index, count] of packed.frameCounts.entries()) {
    const settings = packed.settings[packed.settingsOf[index] ?? 0];
    if (settings === undefined) throw new Error(`task ${index} has no settings`);
    const frames = Array.from({ length: count }, (_, frame) => frameAt(packed.frames, at + frame * numbersPerFrame));
    at += count * numbersPerFrame;
    yield { settings, frames, changes: packed.changes.get(index) ?? noChanges, joined: packed.joined.get(index) };
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
