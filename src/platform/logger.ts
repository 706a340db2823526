import { type DestinationStream, pino } from 'pino';
import type { Observation, Observe } from '../model/observation.ts';

const warnings: ReadonlySet<Observation['kind']> = new Set([
  'exchange_not_recorded',
  'spool_append_failed',
  'spool_segment_damaged',
  'batch_failed',
  'pending_changes_kept',
  'usage_not_completed',
  'span_places_dropped',
  'span_texts_dropped',
  'exchange_dead_lettered',
  'redaction_failed',
  'threat_check_failed',
  'api_failed',
  'call_failed',
  'reply_addresses',
  'claim_failed',
  'key_lookup_failed',
  'people_failed',
  'audit_failed',
  'provider_keys_failed',
  'provider_key_unreadable',
  'limits_failed',
  'prices_failed',
  'job_failed',
  'operator_socket_missing',
  'dead_letters_removed',
  'state_discarded',
  'state_not_synced',
  'certificate_not_renewed',
  'store_awaited',
  'records_moved',
  'store_part_damaged',
  'store_part_lost',
  'store_part_set_aside',
  'erasure_failed',
  'retention_failed',
  'bodies_move_failed',
  'words_index_failed',
  'removals_put_off',
  'process_exited',
  'process_killed',
  'process_not_started',
]);
const details: ReadonlySet<Observation['kind']> = new Set([
  'batch_stored',
  'process_started',
  'process_ready',
  'spool_series_finished',
  'memory_kept',
  'telemetry_not_recorded',
]);

export interface LogTarget {
  /** Output is a terminal. */
  readonly isTTY?: boolean;
  readonly write: (line: string) => unknown;
}

/**
 * Writes observations to standard error, apart from the output of commands: as JSON lines, on a terminal as lines for people. @param level
 * one of pino's level names.
 */
export function makeLogger(level: string, role: string, target: LogTarget = process.stderr): Observe {
  const options = { level, base: { process: `${role}:${process.pid}` }, timestamp: pino.stdTimeFunctions.isoTime };
  const readable: DestinationStream = { write: (line) => void target.write(readableLine(line)) };
  // Synchronous: the line is in the pipe even when the process ends next.
  const lines = target === process.stderr ? pino.destination({ dest: 2, sync: true }) : (target as DestinationStream);
  const logger = pino(options, target.isTTY === true ? readable : lines);
  return (observation) => {
    const severity = warnings.has(observation.kind) ? 'warn' : isDetail(observation) ? 'debug' : 'info';
    logger[severity](observation, observation.kind);
  };
}

/** A first start has words of its own for people: that its new databases are prepared is no news beside them. */
function isDetail(observation: Observation): boolean {
  return details.has(observation.kind) || (observation.kind === 'database_prepared' && observation.isNew);
}

/** Fields that a readable line shows otherwise or not at all. */
const omitted: ReadonlySet<string> = new Set(['level', 'time', 'process', 'kind', 'msg']);
const warningLevel = 40;

/** A line of pino's as `06:05:35 core: prepared the store: 4 steps`. */
function readableLine(line: string): string {
  const fields = JSON.parse(line) as Readonly<Record<string, unknown>> & { readonly level: number; readonly time: string };
  const rest = Object.entries(fields).filter(([name]) => !omitted.has(name));
  const sentence = texts[String(fields['kind'])];
  const what =
    sentence !== undefined
      ? sentence(fields)
      : [String(fields['kind']).replaceAll('_', ' '), rest.map(([name, value]) => `${name} ${String(value)}`).join(', ')]
          .filter((part) => part !== '')
          .join(': ');
  const who = String(fields['process']).split(':', 1)[0];
  const text = `${fields.time.slice(11, 19)} ${who}: ${fields.level >= warningLevel ? 'warning: ' : ''}${what}`;
  return `${text.replaceAll(/\p{Cc}/gu, '\u{fffd}')}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

/** Kinds with a sentence of their own. */
const texts: Readonly<Record<string, (fields: Fields) => string>> = {
  database_prepared: preparedText,
  call: callText,
  more_calls: ({ calls, failed }) => `and ${String(calls)} more calls in this second, ${String(failed)} of them failed`,
};

function callText({ method, path, provider, model, status, ms, code }: Fields): string {
  const where = provider === undefined ? [] : ['→', provider];
  const words = [method, path, ...where, model, status === 0 ? 'no response' : status, code, ms, 'ms'];
  return words.filter((word) => typeof word === 'string' || typeof word === 'number').join(' ');
}

function preparedText({ database, steps }: Readonly<Record<string, unknown>>): string {
  const count = Array.isArray(steps) ? steps.length : 0;
  return `prepared the ${String(database)}: ${count} ${count === 1 ? 'step' : 'steps'}`;
}
