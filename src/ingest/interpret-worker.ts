import { parentPort } from 'node:worker_threads';
import { type InterpretTask, interpretTask } from './interpreter.ts';

/** What the thread is asked. */
export interface InterpretJob {
  readonly id: number;
  readonly tasks: readonly InterpretTask[];
  readonly storedAt: number;
}

parentPort?.on('message', (job: InterpretJob) => {
  parentPort?.postMessage({ id: job.id, interpreted: job.tasks.map((task) => interpretTask(task, job.storedAt)) });
});
