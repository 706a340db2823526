import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config/load.ts';
import { tlsFilesOf } from '../config/tls-files.ts';
import { serviceLinksIn } from '../config/service-links.ts';
import { loadThreatCheck } from '../ingest/threats/load.ts';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import type { CallsEnd } from '../platform/http/server.ts';
import { readTls } from '../platform/http/tls.ts';
import { makeLogger } from '../platform/logger.ts';
import { Meter } from '../platform/metrics/meter.ts';
import { measured } from '../platform/metrics/observed.ts';
import { isLocked } from '../platform/process-lock.ts';
import { interruptCallsMs } from '../supervisor/child.ts';
import { portProblem } from '../supervisor/port-check.ts';
import { type Addresses, stopMarginMs, Supervisor } from '../supervisor/supervisor.ts';
import { useDataDir } from '../supervisor/data-folder.ts';
import { familiesOf } from '../health/metric-families.ts';
import { isMetadataPrepared } from '../metadata/prepared.ts';
import { startMetadataProcess } from './metadata-process.ts';
import { continueSyncedState, syncState } from '../state/over-boots.ts';
import { setDamagedStateAside } from '../state/set-aside.ts';
import { coreLockOf, rejectUnsupportedSettings, holdLock } from './shared.ts';

/** Threads of the core beside those of queries: the store's other connections, and files that are read, written and synced meanwhile. */
const writersAndFiles = 11;

/** Maximum wait of a start for a core of an earlier run, and for ports without a known owner. */
const earlierLifeMs = 15_000;
const clearingMs = 2000;
const freeCheckMs = 50;
/** A restarted process may take this multiple of its maximum silence to become ready. */
const restartSilences = 20;

export type StopSignal = 'SIGINT' | 'SIGTERM';

export interface RunningService {
  readonly addresses: Addresses;
  /** The first organisation's key, at the very first start only. */
  readonly freshKey: string | undefined;
  /** Milliseconds that a stop gives running calls, by signal, and the margin on top. */
  readonly stopLimits: { readonly callsMs: Readonly<Record<StopSignal, number>>; readonly marginMs: number };
  readonly stop: (calls: CallsEnd) => Promise<void>;
}

export interface FirstStart {
  /** Creates new metadata even where records of earlier metadata exist. */
  readonly newMetadata: boolean;
  /** Shows a new key before it is stored, so that no stored key stays unseen. */
  readonly showKey: (apiKey: string) => void;
}

/**
 * Starts everything on this machine: takes the data folder, creates the first organisation and key, starts the processes. @param program
 * the file that a child process runs. @throws with a sentence for people when the folder is in use, a port is taken, or a part cannot
 * start.
 */
export async function startService(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
  program: string,
  first: FirstStart,
): Promise<RunningService> {
  rejectUnsupportedSettings(config);
  useDataDir(config.dataDir);
  const lock = holdLock(config, path.join(config.dataDir, 'supervisor.lock'), 'supervisor');
  const meter = new Meter(familiesOf.supervisor);
  const observe = measured(meter, makeLogger(config.logLevel, 'supervisor'));
  const tlsFiles = tlsFilesOf(config);
  // Each process reads them again; this one says what is wrong with them.
  if (tlsFiles !== undefined) readTls(tlsFiles);
  const links = serviceLinksIn(environment);
  if (links.length > 0) observe({ kind: 'service_links_ignored', variables: links });
  const metadata = isMetadataPrepared(config.dataDir) ? undefined : startMetadataProcess();
  let supervisor: Supervisor | undefined;
  let hasStarted = false;
  const stop = async (calls: CallsEnd): Promise<void> => {
    await supervisor?.stop(calls);
    // What did not start leaves the state to whom it may belong: a core of an earlier run.
    if (hasStarted) keepState(config, observe);
    lock.release();
  };
  try {
    await untilFree(config);
    continueSyncedState(config);
    await setDamagedStateAside(config, observe);
    const ownEnvironment = config.pricesFile === undefined ? environment : await withPricesFile(config, environment);
    // Later, a check that fails to load would hold up the ingest.
    if (config.threatCheckFile !== undefined) await loadThreatCheck(config.threatCheckFile);
    supervisor = new Supervisor({
      program,
      gatewayWorkers: config.gatewayWorkers,
      environment: ownEnvironment,
      coreThreads: writersAndFiles + config.storeShortConnections + config.storeLongConnections,
      observe,
      meter,
      gatewayFamilies: familiesOf.gateway,
      silenceMaxMs: config.processSilenceMs,
      restartMaxMs: restartSilences * config.processSilenceMs,
      hasFixedPort: config.port !== undefined,
    });
    const { dataDir, bootstrapApiKey: bootstrapKey, region } = config;
    const order = { dataDir, newMetadata: first.newMetadata, bootstrapKey, region };
    const freshKey = await metadata?.prepare(order, { showKey: first.showKey, observe });
    const callsMs = { SIGTERM: config.stopCallsMs, SIGINT: Math.min(config.stopCallsMs, interruptCallsMs) };
    const stopLimits = { callsMs, marginMs: stopMarginMs };
    const addresses = await supervisor.start();
    hasStarted = true;
    return { addresses, freshKey, stopLimits, stop };
  } catch (error) {
    await stop({ maxMs: 0, cut: new AbortController().signal });
    throw error;
  } finally {
    metadata?.end();
  }
}

/** A stop succeeds without it. */
function keepState(config: Config, observe: Observe): void {
  try {
    syncState(config);
  } catch (error) {
    observe({ kind: 'state_not_synced', reason: messageOf(error) });
  }
}

/** What reads prices, and the public list with it, is not loaded by a supervisor without a file. */
async function withPricesFile(config: Config, environment: Readonly<Record<string, string | undefined>>) {
  return (await import('../pricing/held/prices-file.ts')).keepPricesFile(config, environment);
}

/**
 * Waits until the ports are free and no process of an earlier run holds the data folder. After a kill of the supervisor a core or worker
 * may still be ending. @throws with a sentence for people when that takes too long: then another program has the ports.
 */
async function untilFree(config: Config): Promise<void> {
  const isHeld = (): boolean => isLocked(coreLockOf(config));
  const maxMs = isHeld() ? earlierLifeMs : clearingMs;
  for (const deadline = systemClock.monotonic() + maxMs; ; await wait(freeCheckMs)) {
    const problems = await portProblems(config);
    if (problems.length === 0 && !isHeld()) return;
    if (systemClock.monotonic() < deadline) continue;
    if (problems.length > 0) throw new Error(problems.join('\n'));
    // The core's error names the holder of the folder.
    return;
  }
}

async function portProblems({ host, port, gatewayPort, apiPort }: Config): Promise<readonly string[]> {
  if (port !== undefined) {
    const problem = await portProblem({ name: 'gateway and the API', host, port, variable: 'GATELOG_PORT' });
    return problem === undefined ? [] : [problem];
  }
  const problems = await Promise.all([
    portProblem({ name: 'gateway', host, port: gatewayPort, variable: 'GATELOG_GATEWAY_PORT' }),
    portProblem({ name: 'API', host, port: apiPort, variable: 'GATELOG_API_PORT' }),
  ]);
  return [...new Set(problems.filter((problem) => problem !== undefined))];
}
