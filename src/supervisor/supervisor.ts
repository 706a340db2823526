import { type ChildProcess, fork } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { messageOf } from '../model/errors.ts';
import type { Observe, SupervisedRole } from '../model/observation.ts';
import { makeBackoff } from '../platform/backoff.ts';
import type { CallsEnd } from '../platform/http/server.ts';
import type { Family, Meter } from '../platform/metrics/meter.ts';
import { sampleProcess } from '../platform/metrics/process-sampler.ts';
import { packCells, SlotTotals, unpackCells } from '../platform/metrics/slot-totals.ts';
import { type HealthProbe, watchAnswers } from './answer-watch.ts';
import { isChildMessage, type MetricsMessage, type StopMessage } from './messages.ts';

export interface SupervisorOptions {
  /** The program's file; a child is `node <file> gateway` or `node <file> core`. */
  readonly program: string;
  readonly gatewayWorkers: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Threads of the core's pool; each connection to the embedded store that runs a statement has one. */
  readonly coreThreads?: number;
  readonly observe: Observe;
  /** What this process measures itself. */
  readonly meter: Meter;
  /** What its gateway workers measure. */
  readonly gatewayFamilies: readonly Family[];
  /** A process that says nothing for so long is killed, milliseconds. */
  readonly silenceMaxMs: number;
  /** So is one that was started again and is not ready after this. The first start may have to bring tables up to date. */
  readonly restartMaxMs: number;
}

/** Where the parts listen once all are ready. */
export interface Addresses {
  readonly gateway: string;
  readonly api: string;
}

/** One child that is kept running. */
interface Slot {
  readonly role: SupervisedRole;
  /** What it is called in the numbers: `gateway-0`. */
  readonly name: string;
  /** What all its processes have measured. */
  readonly totals: SlotTotals;
  process: ChildProcess;
  watch: HealthProbe;
}

const endSignals = ['SIGINT', 'SIGTERM'] as const;
const firstRestartMs = 100;
const maxRestartMs = 5000;
/** Time for a gateway to close what is its own once its calls have ended or are cut, then for the core to store what is left. */
const gatewayStopMs = 1000;
const coreStopMs = 2000;
/** Stopping everything takes at most so much longer than calls may go on, milliseconds; what has not ended by then has been killed. */
export const stopMarginMs = gatewayStopMs + coreStopMs;
/**
 * The core reads, writes and syncs many files at once; four threads, Node's usual number, would make queries wait for inserts. In a gateway worker the
 * spool's syncs, compressed replies and the names of providers wait for each other there.
 */
const defaultThreads = 16;
/**
 * What a call leaves behind is collected each 16 MiB (of V8's young generation) from the first call on. TRICKY: left to itself V8 shrinks that to one after
 * some idle seconds and lets it grow only when much survives, which of calls does not: the first seconds of a burst would cost up to half as much again.
 */
const youngGeneration = '--min-semi-space-size=16';

/**
 * The core takes much memory for moments: bodies that expand, and answers with them. Left to themselves both of its allocators keep what has been given back:
 * glibc's in an arena for each thread, where a few buffers that live on hold the rest, the engine's for seconds of use. So large buffers are
 * mapped one by one, and what the engine has not used again for half a second goes back to the system.
 */
const coreAllocators = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(512 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(1024 * 1024),
  JE_MALLOC_CONF: 'dirty_decay_ms:500,muzzy_decay_ms:0',
};

/** Tells a process that it has a supervisor, also when that one is gone before the process has looked for it. */
const supervisedOption = '--supervised';

const execArgv = [...process.execArgv, youngGeneration];

/**
 * Starts the gateway workers and the core, starts again what dies, and stops all in order: gateways first, so that the core stores what they
 * wrote last.
 */
export class Supervisor {
  private readonly options: SupervisorOptions;
  private readonly slots: Slot[] = [];
  private stopping = false;
  private endSampling: () => void = () => undefined;
  /** Where a role listened first: its successors take the same port, also where any free one was asked for. */
  private readonly ports: Partial<Record<SupervisedRole, string>> = {};

  constructor(options: SupervisorOptions) {
    this.options = options;
  }

  /** Starts everything. @throws when a part says that it cannot start. */
  async start(): Promise<Addresses> {
    // Workers accept on one shared socket themselves; handing every connection over would make this process the bottleneck.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: this.options.program, args: ['gateway', supervisedOption], execArgv });
    const whenUp = this.endWithSignals();
    try {
      const core = this.launch('core', 'core');
      const gateways = Array.from({ length: this.options.gatewayWorkers }, (_, index) => this.launch('gateway', `gateway-${index}`));
      this.endSampling = sampleProcess(this.options.meter, () => this.reportMetrics());
      const [api, gateway = ''] = await Promise.all([core, ...gateways]);
      return { gateway, api };
    } finally {
      whenUp();
    }
  }

  /**
   * Until all is up a signal ends this process as any program. TRICKY: its children have to be gone before it, as one that finds its channel closed
   * before it has loaded our code ends with a trace of Node's. @returns what ends that.
   */
  private endWithSignals(): () => void {
    const end = (signal: NodeJS.Signals): void => {
      for (const { process: child } of this.slots) child.kill('SIGKILL');
      stopHearing();
      process.kill(process.pid, signal);
    };
    const stopHearing = (): void => {
      for (const signal of endSignals) process.off(signal, end);
    };
    for (const signal of endSignals) process.on(signal, end);
    return stopHearing;
  }

  /** Stops everything, calls that run as they may; what does not stop in time is killed. */
  async stop(calls: CallsEnd): Promise<void> {
    this.stopping = true;
    this.endSampling();
    await Promise.all(this.childrenOf('gateway').map((child) => stopChild(child, gatewayStopMs, calls)));
    await Promise.all(this.childrenOf('core').map((child) => stopChild(child, coreStopMs)));
  }

  /** The core shows what it is told: numbers outlive the process that has counted them, and the core. */
  private reportMetrics(): void {
    const core = this.slots.find(({ role }) => role === 'core')?.process;
    if (core?.connected !== true) return;
    const gateways = this.slots
      .filter(({ role }) => role === 'gateway')
      .map(({ name, totals }) => ({ process: name, cells: packCells(totals.whole()) }));
    const own = { process: 'supervisor', cells: packCells(this.options.meter.cells) };
    // A core that ends just now needs no numbers.
    core.send({ type: 'numbers', numbers: [own, ...gateways] } satisfies MetricsMessage, () => undefined);
  }

  private childrenOf(role: SupervisedRole): ChildProcess[] {
    return this.slots.filter((slot) => slot.role === role).map((slot) => slot.process);
  }

  /** Starts a child and keeps it running. @returns its address at its first start. */
  private async launch(role: SupervisedRole, name: string): Promise<string> {
    const process = this.spawn(role);
    const watch = this.watchOf(process, role, false);
    const slot: Slot = { role, name, totals: new SlotTotals(this.options.gatewayFamilies), process, watch };
    this.slots.push(slot);
    takeMetrics(slot);
    const address = await this.whenReady(slot);
    this.ports[role] = new URL(address).port;
    this.keepRunning(slot);
    return address;
  }

  /** As {@link readyAddress}, and says so. */
  private async whenReady({ role, process, watch }: Slot): Promise<string> {
    const address = await readyAddress(process);
    watch.isReady();
    this.options.observe({ kind: 'process_ready', role, pid: process.pid ?? 0, address });
    return address;
  }

  /** @throws when the system gives no process. */
  private spawn(role: SupervisedRole): ChildProcess {
    const { program, observe } = this.options;
    const child =
      role === 'gateway' ? this.forkGateway() : fork(program, ['core', supervisedOption], { env: this.coreEnvironment(), execArgv });
    // What goes wrong with a process shows in its end; without a listener it would end this one.
    child.on('error', () => undefined);
    // TRICKY: Node throws where there is no memory, and says by an event alone where there are too many processes or files.
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

  private watchOf(child: ChildProcess, role: SupervisedRole, isRestart: boolean): HealthProbe {
    const { silenceMaxMs, restartMaxMs, observe } = this.options;
    return watchAnswers(child, { silenceMaxMs, startMaxMs: isRestart ? restartMaxMs : Infinity }, (silentMs) => {
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
        slot.watch = this.watchOf(slot.process, slot.role, true);
      } catch (error) {
        // The machine has no process or no memory left just now.
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

/** Takes what the process of a slot measures, for as long as it lives. */
function takeMetrics({ process, totals }: Slot): void {
  const take = (message: unknown): void => {
    if (isChildMessage(message) && message.type === 'measured') totals.report(unpackCells(message.cells));
  };
  process.on('message', take);
  process.once('exit', () => {
    // What still comes of it would count twice.
    process.off('message', take);
    totals.ended();
  });
}

/** The child's address once it is ready. Rejects when it says that it cannot start, or ends before. */
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

/** Nothing of a core waits for calls. */
const noCalls: CallsEnd = { maxMs: 0, cut: new AbortController().signal };

/** @param ownMs time for it to end once its calls have, or are cut. */
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
