import { parentPort } from 'node:worker_threads';
import { type InterpretedExchange, type InterpretTask, interpretTask } from './interpreter.ts';

/** What the thread is asked. */
export interface InterpretJob {
  readonly id: number;
  readonly tasks: readonly InterpretTask[];
  readonly storedAt: number;
}

/** What the thread says: that it is up, or what came of a job. */
export type InterpreterMessage = { readonly ready: true } | { readonly id: number; readonly interpreted: readonly InterpretedExchange[] };

const say = (message: InterpreterMessage): void => parentPort?.postMessage(message);

parentPort?.on('message', ({ id, tasks, storedAt }: InterpretJob) =>
  say({ id, interpreted: tasks.map((task) => interpretTask(task, storedAt)) }),
);
say({ ready: true });
