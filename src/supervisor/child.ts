import { messageOf } from '../model/errors.ts';
import type { CallsEnd } from '../platform/http/server.ts';
import { packCells } from '../platform/metrics/slot-totals.ts';
import { type ChildMessage, isNumbersMessage, isStopMessage, type MetricsMessage } from './messages.ts';

/** A running part of the service. */
export interface RunningRole {
  /** Where it listens, for people. */
  readonly address: string;
  /** Lets calls that run go on for a while, finishes what is under way and closes everything. */
  readonly stop: (calls: CallsEnd) => Promise<void>;
}

/** For so long after the calls' time a supervised process that is told to end by a signal waits to be told by its supervisor. */
const signalPatienceMs = 4000;
/** How often a supervised process says that it runs. */
const aliveMs = 1000;
/** Ctrl-C lets calls go on for so long at most, milliseconds: somebody waits for it. */
export const interruptCallsMs = 1500;

/** Ends this process, well (0) or not (1). */
export type ExitStrategy = (code: 0 | 1) => void;

/** The ordinary end. */
const exitProcess: ExitStrategy = (code) => process.exit(code);

/**
 * Ends this process as a kill does, so that nothing of it runs any more.
 * TRICKY: an ordinary exit runs the destructors of the store's engine while threads of its own still work, which can end in a segmentation fault.
 * What has to be durable is so before, and all locks are the kernel's.
 */
export const exitHard: ExitStrategy = () => void process.kill(process.pid, 'SIGKILL');

/** How a role's process ends. */
export interface RoleEnd {
  readonly leave?: ExitStrategy;
  /** When its supervisor has died it leaves at once, so that the next life need not wait for it; otherwise it stops as when it is told to. */
  readonly exitWhenOrphaned?: boolean;
  /** A supervisor has started this process; when left out, one has if there is a channel to it. */
  readonly supervised?: boolean | undefined;
  /** Milliseconds for calls that run when SIGTERM comes. */
  readonly stopCallsMs: number;
}

/**
 * Runs one role in this process until it is told to stop: by its supervisor, by its supervisor's death, or, on its own, by a signal.
 * The process ends with it. One that is told while it starts ends at once: no role needs an end to be whole at its next start.
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
  // TRICKY: a supervisor that dies while a role starts is noticed here or never, and the role would hold the data folder without one.
  process.on('disconnect', orphanLeaves ? () => leave(1) : () => stop(shortMs));
  // Both may reach the whole process group; under a supervisor it alone decides the order of the end. Ctrl-C always does.
  process.on('SIGTERM', () => {
    if (process.connected) setTimeout(stop, stopCallsMs + signalPatienceMs, 0).unref();
    else stop(stopping ? 0 : stopCallsMs);
  });
  process.on('SIGINT', () => {
    if (!supervised) stop(stopping ? 0 : shortMs);
  });
  process.on('uncaughtException', (error) => fail(error.stack ?? messageOf(error)));
  // TRICKY: of a supervisor that died while this process loaded its program nobody was told, as nobody listened yet.
  if (supervised && !process.connected) {
    leave(1);
    return;
  }
  if (supervised) tellAlive();
  try {
    role = await start();
  } catch (error) {
    await tellFailure(messageOf(error));
    leave(1);
    return;
  }
  if (supervised) send({ type: 'ready', address: role.address });
  else process.stderr.write(`listening on ${role.address}\n`);
}

/** Tells the supervisor, as long as both live, that the event loop of this process comes round. */
function tellAlive(): void {
  const timer = setInterval(() => {
    if (process.connected) send({ type: 'alive' });
  }, aliveMs);
  timer.unref();
}

/** Tells the supervisor, when there is one, what this process has measured. */
export function reportMetrics(cells: Float64Array): void {
  if (process.connected) send({ type: 'measured', cells: packCells(cells) });
}

/** Hears the numbers of the other processes from the supervisor. */
export function onMetrics(heard: (message: MetricsMessage) => void): void {
  process.on('message', (message) => {
    if (isNumbersMessage(message)) heard(message);
  });
}

/** Tells the supervisor, or else people, why this process cannot run. */
async function tellFailure(message: string): Promise<void> {
  if (!process.connected) {
    process.stderr.write(`${message}\n`);
    return;
  }
  await new Promise<void>((resolve) => {
    process.send?.({ type: 'failed', message } satisfies ChildMessage, undefined, undefined, () => resolve());
  });
}

function send(message: ChildMessage): void {
  // A supervisor that ends just now hears nothing any more, and this process ends with it.
  process.send?.(message, undefined, undefined, () => undefined);
}
