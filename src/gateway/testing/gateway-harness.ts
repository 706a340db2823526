import { mkdtempSync, rmSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hashKey } from '../../auth/api-key.ts';
import { AuthFailureLimiter } from '../../auth/auth-failure-limiter.ts';
import { makeCredentialHash } from '../../auth/sealing.ts';
import { assembleExchange, type PayloadFrame } from '../../ingest/interpret/assemble.ts';
import { makeAllowList } from '../../egress/allow-list.ts';
import { makeTargetGuard } from '../../egress/target-guard.ts';
import { takeInto } from '../../intake/testing/take-into.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Exchange } from '../../model/record/exchange.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { zeroMoney } from '../../model/pricing/money.ts';
import type { Observation, Observe } from '../../model/observation.ts';
import type { Principal } from '../../model/principal.ts';
import { systemClock } from '../../platform/clock.ts';
import type { ListenerAddresses } from '../../platform/http/front-page.ts';
import { Meter } from '../../platform/metrics/meter.ts';
import { readPayloads } from '../../spool/payload-reader.ts';
import { SeriesReader } from '../../spool/reader.ts';
import type { FrameLocation } from '../../spool/spool.ts';
import type { WriteCallback } from '../../spool/write-batch.ts';
import { openSpoolWriter, type SpoolWriter } from '../../spool/writer.ts';
import { createGatewayServer } from '../server.ts';
import { unpackShape } from '../bodies/shape.ts';
import { CallsInFlight } from '../http/concurrency.ts';
import { runTask } from '../bodies/thread/jobs.ts';
import type { ForwardLimits, ForwardPorts } from '../call/ports.ts';
import { CredentialHashes } from '../credentials/credential-hashes.ts';
import { CredentialCache } from '../credentials/credentials.ts';
import { responseOfEcho } from '../builtin/echo.ts';
import { HeldBodies } from '../bodies/memory.ts';
import { EventLoopScheduler } from '../limits/event-loop-scheduler.ts';
import { gatewayFamilies, GatewayMeter } from '../observation/metrics.ts';
import { makeProviderTable, type ProviderOverride } from '../routing/provider-table.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { makeUpstream } from '../upstream/upstream.ts';
import { closeServer, listen, ourKey, soon, until } from './raw-http.ts';

/** Resolves every name to this machine. */
export const toThisMachine: LookupFunction = (_hostname, { all }, callback) => {
  if (all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

export const organizationId = '01890000-0000-7000-8000-000000000001' as OrganizationId;

export const principal: Principal = { organizationId, keyId: 'key-1', keyHash: 'a'.repeat(64), permissions: 'rw' };

/** A real spool whose word that something is written the test can hold back. */
export interface HeldSpool {
  readonly writer: SpoolWriter;
  readonly hold: () => void;
  readonly release: () => void;
  /** Passes on the oldest word that is held, as the writer's or as a failure. */
  readonly releaseOne: (written: boolean) => void;
  /** Callbacks that wait for the release. */
  readonly waiting: () => number;
}

function holdable(writer: SpoolWriter): HeldSpool {
  let holding = false;
  let kept: { settled: WriteCallback; written: boolean }[] = [];
  const whenWritten = (stream: number, settled: WriteCallback): void => {
    // Later words never overtake earlier ones, as in the writer itself.
    writer.whenWritten(stream, (written) => {
      if (holding || kept.length > 0) kept.push({ settled, written });
      else settled(written);
    });
  };
  return {
    writer: { ...writer, whenWritten },
    hold: () => {
      holding = true;
    },
    release: () => {
      holding = false;
      const words = kept;
      kept = [];
      for (const { settled, written } of words) settled(written);
    },
    releaseOne: (written) => kept.shift()?.settled(written),
    waiting: () => kept.length,
  };
}

/** A gateway on a real port, with a real spool in a temporary folder and real connections to providers. */
export interface Rig {
  readonly port: number;
  readonly spool: HeldSpool;
  readonly ports: ForwardPorts;
  readonly observed: readonly Observation[];
  /** Waits until so many exchanges have ended in the spool and gives all of them, in the order of their beginning. */
  readonly exchanges: (ended: number) => Promise<readonly Exchange[]>;
  /** The exchanges in the spool now, ended or not. */
  readonly spooled: () => readonly Exchange[];
  readonly close: () => Promise<void>;
}

export interface RigOptions {
  readonly providers?: Readonly<Record<string, ProviderOverride>>;
  /** Addresses that callers may name. */
  readonly allowed?: readonly string[];
  /** How names that callers chose are resolved. */
  readonly resolve?: LookupFunction;
  readonly limits?: Partial<ForwardLimits>;
  readonly ports?: Partial<ForwardPorts>;
  readonly headerMaxBytes?: number;
  readonly requestTimeoutMs?: number;
  readonly maxConnections?: number;
  readonly maxCalls?: number;
  readonly addresses?: ListenerAddresses;
  readonly organizationSharePercent?: number;
  /** Origins of pages that may call. */
  readonly corsOrigins?: readonly string[];
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-gateway-'));
  const failures: Error[] = [];
  const writer = openWriter(folder, (error) => failures.push(error));
  const spool = holdable(writer);
  const observed: Observation[] = [];
  const headerMaxBytes = options.headerMaxBytes ?? 640 * 1024;
  const ports = portsOf({ spool, observed, headerMaxBytes }, options);
  const { server } = createGatewayServer(ports, async () => ({ ready: true, degraded: [] }), {
    headerMaxBytes,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    keepAliveTimeoutMs: 75_000,
    maxConnections: options.maxConnections ?? 1000,
    corsOrigins: options.corsOrigins ?? [],
    addresses: options.addresses ?? { gateway: undefined, api: undefined },
  });
  const port = await listen(server);
  const spooled = (): readonly Exchange[] => readExchanges(path.join(folder, series));
  return {
    port,
    spool,
    ports,
    observed,
    spooled,
    exchanges: async (ended) => {
      await until(() => spooled().filter(({ end }) => end !== undefined).length >= ended);
      return spooled();
    },
    close: async () => {
      spool.release();
      await closeServer(server);
      await ports.upstream.close();
      await writer.close();
      rmSync(folder, { recursive: true, force: true });
      if (failures[0] !== undefined) throw failures[0];
    },
  };
}

const series = 'series-1';

function openWriter(folder: string, onFailure: (error: Error) => void): SpoolWriter {
  return openSpoolWriter({
    folder,
    series,
    segmentMaxBytes: 1024 * 1024 * 1024,
    segmentMaxMs: 3_600_000,
    sync: 'interval',
    syncIntervalMs: 1000,
    onFailure,
    monotonic: systemClock.monotonic,
  });
}

/** No spans are taken. */
function takersInto(writer: SpoolWriter): Pick<ForwardPorts, 'takeLog' | 'takeSpans'> {
  const refused = { status: 503, contentType: 'application/json', body: Buffer.from('{}') };
  return { takeLog: takeInto(() => writer), takeSpans: async () => refused };
}

function portsOf(rig: { spool: HeldSpool; observed: Observation[]; headerMaxBytes: number }, options: RigOptions): ForwardPorts {
  const mebi = 1024 * 1024;
  const { headerMaxBytes } = rig;
  const allowed = makeAllowList(options.allowed ?? []);
  const { resolve } = options;
  const targets = makeTargetGuard(allowed, resolve === undefined ? undefined : { listed: resolve, unlisted: resolve });
  return {
    credentials: new CredentialCache(),
    verifyKey: (keyHash) => (keyHash === hashKey(ourKey) ? principal : undefined),
    explainRejection: () => new GatelogError('invalid_key', 'This key is not accepted.'),
    failedKeys: new AuthFailureLimiter({ maxPerMinute: 0, monotonic: systemClock.monotonic }),
    requestIdClaims: { claim: () => true, release: () => undefined },
    providers: makeProviderTable(options.providers ?? {}, { bedrockRegion: 'us-east-1', allowsLocal: allowed.allows, targets }),
    targets,
    knownModels: () => [],
    makerOf: () => undefined,
    giveFeedback: async () => undefined,
    ...takersInto(rig.spool.writer),
    providerKeys: noProviderKeys,
    upstream: makeUpstream({
      connectTimeoutMs: 5000,
      headersTimeoutMs: 10_000,
      bodyTimeoutMs: 10_000,
      connections: 16,
      organizationSharePercent: 100,
      shareWaitMs: 10_000,
      idleTimeoutMs: 30_000,
      headerMaxBytes,
      monotonic: () => performance.now(),
    }),
    callsInFlight: new CallsInFlight(options.maxCalls ?? 20_000, options.organizationSharePercent ?? 100),
    spool: { of: () => rig.spool.writer },
    hasSpoolSpace: () => true,
    takesSpoolParts: () => true,
    countryHeader: undefined,
    agentSessions: true,
    limits: {
      routeMaxBytes: 64 * 1024,
      requestMaxBytes: 64 * mebi,
      recordMaxBytes: 64 * mebi,
      maxAttempts: 20,
      retryWithinMs: 60_000,
      cachedResponseMaxBytes: mebi,
      clientStallMs: 30_000,
      logMaxBytes: 16 * mebi,
      spansMaxBytes: 16 * mebi,
      ...options.limits,
    },
    ...unset,
    largeBodies: readInTurn,
    heldBodies: new HeldBodies({ maxBytes: 256 * mebi, sharePercent: 100, waitMs: 10_000 }),
    scheduler: new EventLoopScheduler(systemClock.monotonic),
    meter: new GatewayMeter(new Meter(gatewayFamilies)),
    cache: noCache((observation) => rig.observed.push(observation)),
    clock: systemClock,
    random: Math.random,
    observe: (observation) => rig.observed.push(observation),
    ...options.ports,
  };
}

const noProviderKeys: ForwardPorts['providerKeys'] = { find: () => undefined, providersOf: () => new Set() };
/** A cache whose shared state is away. */
function noCache(observe: Observe): SingleFlight {
  return new SingleFlight({ state: noState, clock: systemClock, observe, waitMs: 0 });
}

function noState(): never {
  throw new Error('this rig has no shared state');
}

/** No limits are stored, and a limit that a caller sends cannot be asked. */
const noLimits: ForwardPorts['callLimits'] = {
  windows: {
    claim: () => {
      throw new Error('this rig has no windows');
    },
  },
  storedPolicies: () => [],
  estimateCost: () => zeroMoney,
  readUser: () => '',
};

const credentialHashes = new CredentialHashes(makeCredentialHash(Buffer.alloc(32)));
/** What this deployment does not set. */
const unset = { callLimits: noLimits, publicUrl: undefined, credentialHashes } as const;

/** Reads large bodies as the threads do, in a later turn. */
export const readInTurn: ForwardPorts['largeBodies'] = {
  facts: async (_asker, body, ways) => {
    await soon();
    const answer = runTask(body, { of: 'facts', forms: ways });
    if ('facts' in answer) return answer.facts;
    throw 'refusal' in answer ? new GatelogError(answer.refusal.code, answer.refusal.message) : new TypeError('no facts');
  },
  shape: async (_asker, body) => {
    await soon();
    const answer = runTask(body, { of: 'shape' });
    if (!('shape' in answer)) throw new TypeError('no shape');
    return unpackShape(answer.shape);
  },
  echo: async (_asker, request) => {
    await soon();
    return responseOfEcho(request);
  },
};

function readExchanges(folder: string): Exchange[] {
  const streams = new Map<number, FrameLocation[]>();
  const reader = new SeriesReader(folder, {
    onFrame: (frame) => {
      const frames = streams.get(frame.stream) ?? [];
      frames.push(frame);
      streams.set(frame.stream, frames);
    },
    onDamage: ({ reason }) => {
      throw new Error(reason);
    },
  });
  reader.read(Number.MAX_SAFE_INTEGER);
  reader.close();
  return [...streams.values()].map((frames) => {
    const payloads = readPayloads(folder, frames);
    return assembleExchange(frames.map((frame, index): PayloadFrame => ({ frame, payload: payloads[index] ?? Buffer.alloc(0) })));
  });
}

/** The providers' table with OpenAI at a port of this machine. */
export function openAiAt(port: number, basePath = '/v1'): Readonly<Record<string, ProviderOverride>> {
  return { openai: { baseUrl: `http://127.0.0.1:${port}${basePath}` } };
}
