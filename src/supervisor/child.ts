import { messageOf } from '../model/errors.ts';
import type { ChildMessage } from './messages.ts';
import { isStopMessage } from './messages.ts';

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
  process.send?.(message);
}
