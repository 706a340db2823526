import type { LookupFunction } from 'node:net';
import { GatelogError } from '../../model/errors.ts';

/** Names of hosts that one organisation may have looked up at once in a worker: those of new connections to hosts that its callers named. */
export const maxLookUps = 64;

/** Counts look-ups of names by organisation: one that names ever new hosts, whose name servers take their time, is refused before it holds others up. */
export class NameLookUps {
  private readonly running = new Map<string, number>();

  /** Look-ups that count. @param whose the organisation for which one begins. */
  limited(lookUp: LookupFunction, whose: () => string): LookupFunction {
    return (hostname, options, callback) => {
      const organizationId = whose();
      const count = this.running.get(organizationId) ?? 0;
      if (count >= maxLookUps) {
        callback(tooMany(), []);
        return;
      }
      this.running.set(organizationId, count + 1);
      lookUp(hostname, options, (...found) => {
        const left = (this.running.get(organizationId) ?? 1) - 1;
        if (left === 0) this.running.delete(organizationId);
        else this.running.set(organizationId, left);
        callback(...found);
      });
    };
  }
}

function tooMany(): GatelogError {
  return new GatelogError(
    'too_many_calls',
    `Your organisation has ${maxLookUps} names of hosts looked up right now, as many as it may at once. Try again in a moment.`,
  );
}
