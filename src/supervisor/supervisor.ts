import { type ChildProcess, fork } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { messageOf } from '../model/errors.ts';
import type { Observe, SupervisedRole } from '../model/observation.ts';
import { makeBackoff } from '../platform/backoff.ts';
import type { CallsEnd } from '../platform/http/server.ts';
import { releaseMemoryAtRest } from '../platform/memory/at-rest.ts';
import { youngGeneration } from '../platform/memory/young-generation.ts';
import type { MetricFamily, Meter } from '../platform/metrics/meter.ts';
import { sampleProcess } from '../platform/metrics/process-sampler.ts';
import { packCells, SlotTotals, unpackCells } from '../platform/metrics/slot-totals.ts';
import { watchLiveness } from './liveness-watch.ts';
import { isChildMessage, type MetricsMessage, type StopMessage } from './messages.ts';

export interface SupervisorOptions {
  /** The program's file; a child is `node <file> gateway` or `node <file> core`. */
  readonly program: string;
  readonly gatewayWorkers: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Size of the core's thread pool; each store connection that runs a statement occupies one thread. */
  readonly coreThreads?: number;
  readonly observe: Observe;
  /** Metrics of this process. */
  readonly meter: Meter;
  /** Metric families of the gateway workers. */
  readonly gatewayFamilies: readonly MetricFamily[];
  /** Maximum silence before a process is killed, milliseconds. */
  readonly silenceMaxMs: number;
  /** Maximum time of a restarted process to become ready. The first start has none: it may migrate tables. */
  readonly restartMaxMs: number;
  /** Whether a setting says on which port all listen (`GATELOG_PORT`), so that no process is told the one that it has found. */
  readonly hasFixedPort?: boolean;
}

/** Addresses once all are ready. */
export interface Addresses {
  readonly gateway: string;
  readonly api: string;
}

/** A child that is kept running. */
interface Slot {
  readonly role: SupervisedRole;
  /** Its name in metrics: `gateway-0`. */
  readonly name: string;
  /** Metrics summed over all its processes. */
  readonly totals: SlotTotals;
  process: ChildProcess;
  markReady: () => void;
}

const endSignals = ['SIGINT', 'SIGTERM'] as const;
const firstRestartMs = 100;
const maxRestartMs = 5000;
/** Time for a gateway to close after its calls ended, then for the core to store the rest. */
const gatewayStopMs = 1000;
const coreStopMs = 2000;
/** Margin of a stop beyond the time of running calls; later, whatever still runs is killed. */
export const stopMarginMs = gatewayStopMs + coreStopMs;
/**
 * The core reads, writes and syncs many files at once; with Node's default of four threads, queries would wait for inserts. In a gateway
 * worker spool syncs, decompression and name look-ups share them.
 */
const defaultThreads = 16;
/**
 * The core needs much memory for moments: bodies that expand, and responses with them. By default both of its allocators keep freed
 * memory: glibc in an arena per thread, where a few live buffers hold the rest, the engine's for seconds. So large buffers are mapped one
 * by one, and the engine returns memory that was unused for half a second.
 */
const coreAllocators = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(512 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(1024 * 1024),
  JE_MALLOC_CONF: 'dirty_decay_ms:500,muzzy_decay_ms:0',
};

/** Marks a process as supervised, even when the supervisor dies before the process checks for it. */
const supervisedOption = '--supervised';

const execArgv = [...process.execArgv, youngGeneration];

/**
 * Starts the gateway workers and the core, restarts the dead, and stops all in order: gateways first, so that the core stores their last
 * frames.
 */
export class Supervisor {
  private readonly options: SupervisorOptions;
  private readonly slots: Slot[] = [];
  private stopping = false;
  private endSampling: () => void = () => undefined;
  private endReleasing: () => void = () => undefined;
  /** The first address of each role: its successors take the same port, also where any free one was configured. */
  private readonly ports: Partial<Record<SupervisedRole, string>> = {};

  constructor(options: SupervisorOptions) {
    this.options = options;
  }

  /** Starts all processes. @throws when one reports that it cannot start. */
  async start(): Promise<Addresses> {
    // Workers accept on one shared socket themselves; handing over every connection would make this process the bottleneck.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: this.options.program, args: ['gateway', supervisedOption], execArgv });
    const removeListeners = this.endWithSignals();
    try {
      const core = this.launch('core', 'core');
      const gateways = Array.from({ length: this.options.gatewayWorkers }, (_, index) => this.launch('gateway', `gateway-${index}`));
      this.endSampling = sampleProcess(this.options.meter, () => this.reportMetrics());
      this.endReleasing = releaseMemoryAtRest();
      const [api, gateway = ''] = await Promise.all([core, ...gateways]);
      return { gateway, api };
    } finally {
      removeListeners();
    }
  }

  /**
   * During the start a signal ends this process. TRICKY: its children must be gone before, because a child that finds its channel closed
   * before our code is loaded prints Node's trace. @returns a function that ends this.
   */
  private endWithSignals(): () => void {
    const end = (signal: NodeJS.Signals): void => {
      for (const { process: child } of this.slots) child.kill('SIGKILL');
      removeListeners();
      process.kill(process.pid, signal);
    };
    const removeListeners = (): void => {
      for (const signal of endSignals) process.off(signal, end);
    };
    for (const signal of endSignals) process.on(signal, end);
    return removeListeners;
  }

  /** Stops everything and leaves running calls their time; kills what does not stop in time. */
  async stop(calls: CallsEnd): Promise<void> {
    this.stopping = true;
    this.endReleasing();
    await Promise.all(this.childrenOf('gateway').map((child) => stopChild(child, gatewayStopMs, calls)));
    // Not earlier: the core, which answers meanwhile, shows how the gateways stop.
    this.endSampling();
    await Promise.all(this.childrenOf('core').map((child) => stopChild(child, coreStopMs)));
  }

  /** The core publishes the metrics of all processes: counts outlive the process that made them, and the core. */
  private reportMetrics(): void {
    const core = this.slots.find(({ role }) => role === 'core')?.process;
    if (core?.connected !== true) return;
    const gateways = this.slots
      .filter(({ role }) => role === 'gateway')
      .map(({ name, totals }) => ({ process: name, cells: packCells(totals.total()) }));
    const own = { process: 'supervisor', cells: packCells(this.options.meter.cells) };
    // A core that is just ending needs no metrics.
    core.send({ type: 'numbers', numbers: [own, ...gateways] } satisfies MetricsMessage, () => undefined);
  }

  private childrenOf(role: SupervisedRole): ChildProcess[] {
    return this.slots.filter((slot) => slot.role === role).map((slot) => slot.process);
  }

  /** Starts a child and keeps it running. @returns its address at its first start. */
  private async launch(role: SupervisedRole, name: string): Promise<string> {
    const process = this.spawn(role);
    const markReady = this.watch(process, role, false);
    const slot: Slot = { role, name, totals: new SlotTotals(this.options.gatewayFamilies), process, markReady };
    this.slots.push(slot);
    takeMetrics(slot);
    const address = await this.whenReady(slot);
    if (this.options.hasFixedPort !== true) this.ports[role] = new URL(address).port;
    this.keepRunning(slot);
    return address;
  }

  /** As {@link readyAddress}; ends the watch's allowance for the start. */
  private async whenReady({ role, process, markReady }: Slot): Promise<string> {
    const address = await readyAddress(process);
    markReady();
    this.options.observe({ kind: 'process_ready', role, pid: process.pid ?? 0, address });
    return address;
  }

  /** @throws when the system cannot start a process. */
  private spawn(role: SupervisedRole): ChildProcess {
    const { program, observe } = this.options;
    const child =
      role === 'gateway' ? this.forkGateway() : fork(program, ['core', supervisedOption], { env: this.coreEnvironment(), execArgv });
    // The end of a process shows its errors; an error without a listener would end this one.
    child.on('error', () => undefined);
    // TRICKY: Node throws without memory, and emits only an event without processes or files.
    if (child.pid === undefined) throw new Error('The system gave no process: it has too many, or too many open files.');
    observe({ kind: 'process_started', role, pid: child.pid ?? 0 });
    return child;
  }

  private forkGateway(): ChildProcess {
    const port = this.ports.gateway;
    const { environment } = this.options;
    const threads = environment['UV_THREADPOOL_SIZE'] ?? String(defaultThreads);
    const worker: Worker = cluster.fork({
      ...environment,
      UV_THREADPOOL_SIZE: threads,
      ...(port === undefined ? {} : { GATELOG_GATEWAY_PORT: port }),
    });
    worker.on('error', () => undefined);
    return worker.process;
  }

  private coreEnvironment(): Record<string, string | undefined> {
    const { environment } = this.options;
    const port = this.ports.core === undefined ? {} : { GATELOG_API_PORT: this.ports.core };
    return {
      ...coreAllocators,
      UV_THREADPOOL_SIZE: String(this.options.coreThreads ?? defaultThreads),
      ...environment,
      ...port,
    };
  }

  private watch(child: ChildProcess, role: SupervisedRole, isRestart: boolean): () => void {
    const { silenceMaxMs, restartMaxMs, observe } = this.options;
    return watchLiveness(child, { silenceMaxMs, startMaxMs: isRestart ? restartMaxMs : Infinity }, (silentMs) => {
      if (this.stopping) return;
      observe({ kind: 'process_killed', role, pid: child.pid ?? 0, silentMs });
      child.kill('SIGKILL');
    });
  }

  private keepRunning(slot: Slot): void {
    const backoff = makeBackoff(firstRestartMs, maxRestartMs);
    const watch = (): void => {
      slot.process.once('exit', (code, signal) => {
        if (this.stopping) return;
        this.options.observe({ kind: 'process_exited', role: slot.role, pid: slot.process.pid ?? 0, code, signal });
        setTimeout(restart, backoff.nextDelayMs());
      });
    };
    const notStarted = (error: unknown): void => {
      if (!this.stopping) this.options.observe({ kind: 'process_not_started', role: slot.role, reason: messageOf(error) });
    };
    const restart = (): void => {
      if (this.stopping) return;
      try {
        slot.process = this.spawn(slot.role);
        slot.markReady = this.watch(slot.process, slot.role, true);
      } catch (error) {
        // The machine has no process or memory left at the moment.
        notStarted(error);
        setTimeout(restart, backoff.nextDelayMs());
        return;
      }
      takeMetrics(slot);
      watch();
      this.whenReady(slot).then(() => backoff.reset(), notStarted);
    };
    watch();
  }
}

/** Sums the metrics of a slot's process for as long as it lives. */
function takeMetrics({ process, totals }: Slot): void {
  const take = (message: unknown): void => {
    if (isChildMessage(message) && message.type === 'measured') totals.report(unpackCells(message.cells));
  };
  process.on('message', take);
  process.once('exit', () => {
    // Later messages would count twice.
    process.off('message', take);
    totals.ended();
  });
}

/** The child's address once it is ready. Rejects when it reports a failure or ends before. */
function readyAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (!isChildMessage(message)) return;
      if (message.type === 'ready') resolve(message.address);
      else if (message.type === 'failed') reject(new Error(message.message));
    });
    child.once('exit', (code, signal) =>
      reject(new Error(`A part of the service ended while it was starting (${signal ?? `exit code ${String(code)}`}).`)),
    );
  });
}

/** Cores have no calls to wait for. */
const noCalls: CallsEnd = { maxMs: 0, cut: new AbortController().signal };

/** @param ownMs time to end once its calls have ended or are cut. */
async function stopChild(child: ChildProcess, ownMs: number, { maxMs, cut }: CallsEnd = noCalls): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    const kill = (): void => void child.kill('SIGKILL');
    let timer = setTimeout(kill, maxMs + ownMs);
    const hurry = (): void => {
      clearTimeout(timer);
      timer = setTimeout(kill, ownMs);
      sendStop(child, 0);
    };
    child.once('exit', () => {
      clearTimeout(timer);
      cut.removeEventListener('abort', hurry);
      resolve();
    });
    sendStop(child, maxMs);
    if (cut.aborted) hurry();
    else cut.addEventListener('abort', hurry);
  });
}

function sendStop(child: ChildProcess, callsMs: number): void {
  if (!child.connected) {
    child.kill('SIGTERM');
    return;
  }
  child.send({ type: 'stop', callsMs } satisfies StopMessage, (error) => void (error === null || child.kill('SIGTERM')));
}
