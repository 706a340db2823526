import type { Config } from '../config/load.ts';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { type Environment, openEnvironment } from '../state/lmdb.ts';
import { CachedReplies } from '../state/cached-replies.ts';
import { CacheTurns } from '../state/cache-leases.ts';
import { Windows } from '../state/fixed-windows.ts';
import { placesOf } from './shared.ts';

/** What the workers of this machine share. */
export interface SharedState {
  /** @throws while the state cannot be opened. */
  readonly open: () => OpenState;
  readonly close: () => Promise<void>;
}

/** The state, open. */
export interface OpenState {
  readonly windows: Windows;
  readonly replies: CachedReplies;
  readonly turns: CacheTurns;
}

const retryMs = 1000;

/** Opens the shared state. A process starts without it too: what cannot be opened now is tried again when it is asked for, once a second. */
export function openSharedState(config: Config, observe: Observe): SharedState {
  let opened: (OpenState & { readonly environment: Environment }) | undefined;
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

function openTables(config: Config, observe: Observe): OpenState & { readonly environment: Environment } {
  const { stateMaxBytes, cacheMaxBytes, cacheReplyMaxBytes, organizationSharePercent } = config;
  const environment = openEnvironment(placesOf(config).state, stateMaxBytes, observe);
  const replies = new CachedReplies(environment, { mostBytes: cacheMaxBytes, mostReplyBytes: cacheReplyMaxBytes });
  const turns = new CacheTurns(environment, replies, systemClock.now());
  return { environment, windows: new Windows(environment, stateMaxBytes, organizationSharePercent), replies, turns };
}
