import type { Config } from '../config/load.ts';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { type Environment, openEnvironment } from '../state/environment.ts';
import { Windows } from '../state/windows.ts';
import { placesOf } from './shared.ts';

/** What the workers of this machine share. */
export interface SharedState {
  /** @throws while the state cannot be opened. */
  readonly windows: () => Windows;
  readonly close: () => Promise<void>;
}

const retryMs = 1000;

/** Opens the shared state. A process starts without it too: what cannot be opened now is tried again when it is asked for, once a second. */
export function openSharedState(config: Config, observe: Observe): SharedState {
  let opened: { readonly environment: Environment; readonly windows: Windows } | undefined;
  let failure: unknown;
  let retryAt = Number.NEGATIVE_INFINITY;
  const windows = (): Windows => {
    if (opened !== undefined) return opened.windows;
    if (systemClock.monotonic() < retryAt) throw failure;
    try {
      const environment = openEnvironment(placesOf(config).state, config.stateMaxBytes, observe);
      opened = { environment, windows: new Windows(environment, config.stateMaxBytes) };
      return opened.windows;
    } catch (error) {
      failure = error;
      retryAt = systemClock.monotonic() + retryMs;
      throw error;
    }
  };
  try {
    windows();
  } catch (error) {
    observe({ kind: 'limits_failed', reason: messageOf(error) });
  }
  return { windows, close: async () => opened?.environment.close() };
}
