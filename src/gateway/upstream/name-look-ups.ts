import type { LookupFunction } from 'node:net';
import { GatelogError } from '../../model/errors.ts';

/** Maximum number of concurrent name lookups of one organisation in a worker, for hosts that its callers named. */
export const maxLookUps = 64;

/** Limits name lookups by organisation: one that names ever new hosts with slow name servers is rejected before it delays others. */
export class NameLookUps {
  private readonly running = new Map<string, number>();

  /** Wraps a lookup with the limit. @param whose the organisation of the lookup that begins. */
  limited(lookUp: LookupFunction, organizationOf: () => string): LookupFunction {
    return (hostname, options, callback) => {
      const organizationId = organizationOf();
      const count = this.running.get(organizationId) ?? 0;
      if (count >= maxLookUps) {
        callback(tooMany(), []);
        return;
      }
      this.running.set(organizationId, count + 1);
      lookUp(hostname, options, (...found) => {
        const remaining = (this.running.get(organizationId) ?? 1) - 1;
        if (remaining === 0) this.running.delete(organizationId);
        else this.running.set(organizationId, remaining);
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
