import { systemClock } from '../../platform/clock.ts';
import { CallsOnce, type OncePorts } from '../once/calls-once.ts';

/** What makes one record of each call over a store. */
export function callsOnceIn(store: Omit<OncePorts, 'onJoined' | 'clock' | 'observe'>, given: Partial<OncePorts> = {}): CallsOnce {
  return new CallsOnce({ ...store, onJoined: () => undefined, clock: systemClock, observe: () => undefined, ...given });
}
