import { messageOf } from '../model/errors.ts';
import { packCells } from '../platform/metrics/slot-totals.ts';
import { type ChildMessage, isNumbersMessage, isStopMessage, type NumbersMessage } from './messages.ts';

/** A running part of the service. */
export interface RunningRole {
  /** Where it listens, for people. */
  readonly address: string;
  /** Finishes what is under way and closes everything. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs one role in this process until it is told to stop: by its supervisor, by its supervisor's death, or, on its own, by a signal.
 * The process ends with it.
 */
export async function runRole(start: () => Promise<RunningRole>): Promise<void> {
  let role: RunningRole;
  try {
    role = await start();
  } catch (error) {
    await fail(messageOf(error));
    return;
  }
  const supervised = process.connected;
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    role.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${messageOf(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('message', (message) => {
    if (isStopMessage(message)) stop();
  });
  process.on('disconnect', stop);
  process.on('SIGTERM', stop);
  // Ctrl-C reaches the whole process group; under a supervisor it alone decides the order of the end.
  process.on('SIGINT', () => {
    if (!supervised) stop();
  });
  if (supervised) send({ type: 'ready', address: role.address });
  else process.stderr.write(`listening on ${role.address}\n`);
}

/** Tells the supervisor, when there is one, what this process has measured. */
export function tellMeasured(cells: Float64Array): void {
  if (process.connected) send({ type: 'measured', cells: packCells(cells) });
}

/** Hears the numbers of the other processes from the supervisor. */
export function hearNumbers(heard: (message: NumbersMessage) => void): void {
  process.on('message', (message) => {
    if (isNumbersMessage(message)) heard(message);
  });
}

/** Tells why this process cannot run, and ends it. */
async function fail(message: string): Promise<void> {
  if (!process.connected) {
    process.stderr.write(`${message}\n`);
    process.exit(1);
  }
  await new Promise<void>((resolve) => {
    process.send?.({ type: 'failed', message } satisfies ChildMessage, undefined, undefined, () => resolve());
  });
  process.exit(1);
}

function send(message: ChildMessage): void {
  // A supervisor that ends just now hears nothing any more, and this process ends with it.
  process.send?.(message, undefined, undefined, () => undefined);
}
