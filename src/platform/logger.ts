import { pino } from 'pino';
import type { Observation, Observe } from '../model/observation.ts';

const warnings: ReadonlySet<Observation['kind']> = new Set([
  'exchange_not_recorded',
  'spool_append_failed',
  'spool_segment_damaged',
  'batch_failed',
  'exchange_dead_lettered',
  'api_failed',
  'call_failed',
  'claim_failed',
  'key_lookup_failed',
  'process_exited',
]);
const details: ReadonlySet<Observation['kind']> = new Set([
  'batch_stored',
  'process_started',
  'process_ready',
  'process_stopping',
  'spool_series_finished',
]);

/**
 * Writes observations as JSON lines to standard error, where they do not mix with what a command prints.
 * @param level one of pino's level names.
 */
export function makeLogger(level: string, role: string): Observe {
  const logger = pino(
    { level, base: { process: `${role}:${process.pid}` }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
  return (observation) => {
    const severity = warnings.has(observation.kind) ? 'warn' : details.has(observation.kind) ? 'debug' : 'info';
    logger[severity](observation, observation.kind);
  };
}
