import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readUser } from '../../pricing/estimate/estimate-cost.ts';
import type { Observation } from '../../model/observation.ts';
import { systemClock } from '../../platform/clock.ts';
import { CachedResponses } from '../../state/cached-responses.ts';
import { CacheLeases } from '../../state/cache-leases.ts';
import { type LmdbEnvironment, openEnvironment } from '../../state/lmdb.ts';
import { openAiAt, type Rig, type RigOptions, startRig } from './gateway-harness.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { bodyOf, type Provider, startProvider } from './raw-http.ts';

export interface CacheRig {
  /** Of the shared state. */
  readonly folder: string;
  readonly rig: Rig;
  readonly provider: Provider;
  readonly cache: SingleFlight;
  /** How many calls have asked the cache for a reply or a turn; those that have neither wait from then on. */
  readonly asked: () => number;
  /** Observations of the cache. */
  readonly observed: readonly Observation[];
  readonly responses: CachedResponses;
  /** Bodies that reached the provider. */
  readonly seen: readonly string[];
  /** Replaces what the provider does from now on; at first it answers each call with another number. */
  readonly behave: (answer: Answer) => void;
  /** Lets time pass for the cache's ages, milliseconds. */
  readonly pass: (ms: number) => void;
  /** While true the shared state throws. */
  readonly breakState: (broken: boolean) => void;
  readonly close: () => Promise<void>;
}

export type Answer = (body: string, response: ServerResponse, request: IncomingMessage) => void;

const mebi = 1024 * 1024;

export interface CacheRigOptions extends RigOptions {
  readonly waitMs?: number;
  readonly cacheBytes?: number;
  readonly responseBytes?: number;
  /** The gateway is another worker of this one: it has the same state and the same provider. */
  readonly beside?: CacheRig;
}

/** A gateway with a real cache, in front of a provider that the test can tell what to do. */
export async function startCacheRig(options: CacheRigOptions = {}): Promise<CacheRig> {
  const { beside } = options;
  const folder = beside?.folder ?? mkdtempSync(path.join(tmpdir(), 'gatelog-cache-'));
  const environment: LmdbEnvironment = openEnvironment(folder, 16 * mebi, () => undefined);
  const responses = new CachedResponses(environment, {
    maxBytes: options.cacheBytes ?? 64 * mebi,
    maxResponseBytes: options.responseBytes ?? mebi,
  });
  const leases = new CacheLeases(environment, responses, systemClock.now());
  const provider = beside ?? (await startTold());
  let passedMs = 0;
  let broken = false;
  const observed: Observation[] = [];
  const clock = { ...systemClock, now: () => systemClock.now() + passedMs };
  const cache = new CountingCache({
    state: () => {
      if (broken) throw new Error('the shared state is away');
      return { responses, leases };
    },
    clock,
    observe: (observation) => observed.push(observation),
    waitMs: options.waitMs ?? 10_000,
  });
  const callLimits = { ...unlimited, readUser, ...options.ports?.callLimits };
  const rig = await startRig({
    providers: openAiAt(provider.provider.port),
    ...options,
    limits: { cachedResponseMaxBytes: options.responseBytes ?? mebi, ...options.limits },
    ports: { ...options.ports, callLimits, cache, clock },
  });
  const { close } = rig;
  return {
    folder,
    rig,
    cache,
    asked: () => cache.asked,
    observed,
    responses,
    provider: provider.provider,
    seen: provider.seen,
    behave: provider.behave,
    pass: (ms) => {
      passedMs += ms;
    },
    breakState: (now) => {
      broken = now;
    },
    close: async () => {
      await close();
      cache.close();
      await environment.close();
      if (beside !== undefined) return;
      await provider.provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Who waits is not seen from outside. */
class CountingCache extends SingleFlight {
  asked = 0;

  override acquire(...query: Parameters<SingleFlight['acquire']>): () => void {
    this.asked += 1;
    return super.acquire(...query);
  }
}

async function startTold(): Promise<Pick<CacheRig, 'provider' | 'seen' | 'behave'>> {
  const seen: string[] = [];
  let answer: Answer = (body, response) => {
    const text = JSON.stringify({ number: seen.length, body });
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': `req-${seen.length}` }).end(text);
  };
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then((body) => {
      seen.push(body.toString());
      answer(body.toString(), response, request);
    });
  });
  const behave = (next: Answer): void => {
    answer = next;
  };
  return { provider, seen, behave };
}

const unlimited = {
  windows: {
    claim: () => {
      throw new Error('this rig has no windows');
    },
  },
  storedPolicies: () => [],
  estimateCost: () => {
    throw new Error('this rig has no budgets');
  },
};
