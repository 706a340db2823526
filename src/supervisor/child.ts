import { messageOf } from '../model/errors.ts';
import type { CallsEnd } from '../platform/http/server.ts';
import { packCells } from '../platform/metrics/slot-totals.ts';
import { type ChildMessage, isMetricsMessage, isStopMessage, type MetricsMessage } from './messages.ts';

export interface RunningRole {
  /** The address where it listens, for people. */
  readonly address: string;
  /** Lets running calls go on for a while, finishes pending work and closes everything. */
  readonly stop: (calls: CallsEnd) => Promise<void>;
}

/** A supervised process that receives a signal waits this long beyond the calls' time for its supervisor's order. */
const signalPatienceMs = 4000;
/** Interval of a supervised process' sign of life. */
const aliveMs = 1000;
/** Ctrl-C leaves calls at most this long, because the user waits. */
export const interruptCallsMs = 1500;

/** Ends this process, with success (0) or failure (1). */
export type ExitStrategy = (code: 0 | 1) => void;

const exitProcess: ExitStrategy = (code) => process.exit(code);

/**
 * Ends this process as a kill does. TRICKY: an ordinary exit runs destructors of the store's engine while its threads still work, which
 * can end in a segmentation fault. Durable data is durable before, and all locks are the kernel's.
 */
export const exitHard: ExitStrategy = (code) => {
  process.kill(process.pid, 'SIGKILL');
  // Process 1 of a container survives that.
  process.exit(code);
};

export interface RoleEnd {
  readonly leave?: ExitStrategy;
  /** Whether it exits at once when its supervisor dies, so that the next start need not wait; otherwise it stops in order. */
  readonly exitWhenOrphaned?: boolean;
  /** Whether a supervisor started this process. Default: whether a channel to one exists. */
  readonly supervised?: boolean | undefined;
  /** Milliseconds for running calls after SIGTERM. */
  readonly stopCallsMs: number;
}

/**
 * Runs one role in this process until its supervisor orders a stop or dies, or, without one, until a signal. The process ends with the
 * role. During its start it ends at once: no role needs an orderly end to start again.
 */
export async function runRole(
  start: () => Promise<RunningRole>,
  { leave = exitProcess, exitWhenOrphaned: orphanLeaves = false, supervised = process.connected, stopCallsMs }: RoleEnd,
): Promise<void> {
  const shortMs = Math.min(stopCallsMs, interruptCallsMs);
  let role: RunningRole | undefined;
  const cut = new AbortController();
  let stopping = false;
  const fail = (reason: string): void => {
    process.stderr.write(`${reason}\n`);
    leave(1);
  };
  const stop = (callsMs: number): void => {
    if (stopping) {
      if (callsMs === 0) cut.abort();
      return;
    }
    stopping = true;
    if (role === undefined) {
      leave(0);
      return;
    }
    role.stop({ maxMs: callsMs, cut: cut.signal }).then(
      () => leave(0),
      (error: unknown) => fail(messageOf(error)),
    );
  };
  process.on('message', (message) => {
    if (isStopMessage(message)) stop(message.callsMs);
  });
  // TRICKY: a supervisor that dies while a role starts must be noticed here, or the role would hold the data folder without one.
  process.on('disconnect', orphanLeaves ? () => leave(1) : () => stop(shortMs));
  // A signal may reach the whole process group; the supervisor alone decides the order of the end.
  process.on('SIGTERM', () => {
    if (process.connected) setTimeout(stop, stopCallsMs + signalPatienceMs, 0).unref();
    else stop(stopping ? 0 : stopCallsMs);
  });
  process.on('SIGINT', () => {
    if (!supervised) stop(stopping ? 0 : shortMs);
  });
  process.on('uncaughtException', (error) => fail(error.stack ?? messageOf(error)));
  // TRICKY: nobody listened yet when a supervisor died while this process loaded its program.
  if (supervised && !process.connected) {
    leave(1);
    return;
  }
  if (supervised) reportAlive();
  try {
    role = await start();
  } catch (error) {
    await reportFailure(messageOf(error));
    leave(1);
    return;
  }
  if (supervised) send({ type: 'ready', address: role.address });
  else process.stderr.write(`listening on ${role.address}\n`);
}

/** Reports periodically to the supervisor that the event loop runs. */
function reportAlive(): void {
  const timer = setInterval(() => {
    if (process.connected) send({ type: 'alive' });
  }, aliveMs);
  timer.unref();
}

/** Reports this process' metrics to the supervisor, when there is one. */
export function reportMetrics(cells: Float64Array): void {
  if (process.connected) send({ type: 'measured', cells: packCells(cells) });
}

/** Receives the metrics of the other processes from the supervisor. */
export function onMetrics(listener: (message: MetricsMessage) => void): void {
  process.on('message', (message) => {
    if (isMetricsMessage(message)) listener(message);
  });
}

/** Reports to the supervisor, or else to people, why this process cannot run. */
async function reportFailure(message: string): Promise<void> {
  if (!process.connected) {
    process.stderr.write(`${message}\n`);
    return;
  }
  await new Promise<void>((resolve) => {
    process.send?.({ type: 'failed', message } satisfies ChildMessage, undefined, undefined, () => resolve());
  });
}

function send(message: ChildMessage): void {
  // A supervisor that is just ending reads no more messages.
  process.send?.(message, undefined, undefined, () => undefined);
}
