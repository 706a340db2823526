import { randomInt } from 'node:crypto';
import { portProblem } from '../../src/supervisor/port-check.ts';

/** Below the ephemeral port range. */
const stablePorts = { from: 18_000, count: 12_000 };

/**
 * A free port that stays free while nothing listens on it. TRICKY: an outgoing connection of the load may take a port of the ephemeral
 * range, and then the service could not start again. No seed decides it: two tests at once would take the same.
 */
export async function stablePort(): Promise<number> {
  for (;;) {
    const port = stablePorts.from + randomInt(stablePorts.count);
    if ((await portProblem({ name: 'test', host: '127.0.0.1', port, variable: '' })) === undefined) return port;
  }
}
