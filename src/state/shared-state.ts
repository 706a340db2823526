import type { Config } from '../config/load.ts';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { type LmdbEnvironment, openEnvironment } from './lmdb.ts';
import { CachedResponses } from './cached-responses.ts';
import { CacheLeases } from './cache-leases.ts';
import { FixedWindows } from './fixed-windows.ts';
import { dataPaths } from '../config/data-paths.ts';

export interface SharedState {
  /** @throws while the state cannot be opened. */
  readonly open: () => OpenState;
  readonly close: () => Promise<void>;
}

export interface OpenState {
  readonly windows: FixedWindows;
  readonly responses: CachedResponses;
  readonly leases: CacheLeases;
}

const retryMs = 1000;

/** Opens the state that the workers share. A process starts without it too and retries once a second, when a call needs it. */
export function openSharedState(config: Config, observe: Observe): SharedState {
  let opened: (OpenState & { readonly environment: LmdbEnvironment }) | undefined;
  let failure: unknown;
  let retryAt = Number.NEGATIVE_INFINITY;
  const openNow = (): OpenState => {
    if (opened !== undefined) return opened;
    if (systemClock.monotonic() < retryAt) throw failure;
    try {
      opened = openTables(config, observe);
      return opened;
    } catch (error) {
      failure = error;
      retryAt = systemClock.monotonic() + retryMs;
      throw error;
    }
  };
  try {
    openNow();
  } catch (error) {
    observe({ kind: 'limits_failed', reason: messageOf(error) });
  }
  return { open: openNow, close: async () => opened?.environment.close() };
}

function openTables(config: Config, observe: Observe): OpenState & { readonly environment: LmdbEnvironment } {
  const { stateMaxBytes, cacheMaxBytes, cacheResponseMaxBytes, organizationSharePercent } = config;
  const environment = openEnvironment(dataPaths(config).state, stateMaxBytes, observe);
  const responses = new CachedResponses(environment, { maxBytes: cacheMaxBytes, maxResponseBytes: cacheResponseMaxBytes });
  const leases = new CacheLeases(environment, responses, systemClock.now());
  return { environment, windows: new FixedWindows(environment, stateMaxBytes, organizationSharePercent), responses, leases };
}
