import { z } from 'zod';
import { healthSchema } from './responses.ts';

const count = (description: string) => z.int().meta({ description, minimum: 0 });
const known = (description: string) => count(description).nullable();
const ms = (description: string) => z.number().meta({ description, minimum: 0 });

const column = (description: string) =>
  z.array(z.number().nullable()).meta({ description: `${description} Null: it is not known, or there was none.` });

const historySchema = z
  .object({
    step_ms: z.int().meta({ description: 'Time between two points.' }),
    at: z.array(z.string().meta({ format: 'date-time' })).meta({ description: 'When each point was made, oldest first; at most 360.' }),
    requests_per_second: column('Calls that ended since the point before.'),
    visible_delay_p95_ms: column('95th percentile of the time from the end of a call until it can be queried, since the point before.'),
    gateway_latency_p95_ms: column('95th percentile of what the gateway spent on a call before it went out, since the point before.'),
    spool_bytes: column('Bytes of the spool.'),
    memory_bytes: column('Memory of all processes.'),
  })
  .meta({ id: 'HealthHistory', description: 'Figures of the last hour, from the memory of the core: they start over with it.' });
export type HealthHistory = z.infer<typeof historySchema>;

const figuresSchema = z.object({
  measured_at: z
    .string()
    .meta({ format: 'date-time', description: 'When the figures were read; those of other processes are a second old.' }),
  spool: z.object({
    bytes: count('Bytes of all files of the spool.'),
    max_bytes: count('Bytes at which calls go on unrecorded (`GATELOG_SPOOL_MAX_BYTES`).'),
    exchanges_open: count('Exchanges that the store does not have, ended or not.'),
    exchanges_waiting: count('Exchanges that have ended and that the store does not have yet.'),
    oldest_waiting_ms: ms('How long ago the oldest of them has ended, the delay of the record; 0 while none waits.'),
  }),
  ingest: z.object({
    draining: z.boolean().meta({ description: 'Whether batches are being stored.' }),
    failed_batches: count('Failed attempts to store a batch.'),
  }),
  unrecorded_calls: z
    .object({ spool_full: count('The spool was full.'), write_failed: count('A write failed; the record may be there.') })
    .nullable()
    .meta({ description: 'Calls that are not, or may not be, on record; null: no gateway reports to the core.' }),
  dead_letters: z.object({
    kept: count('Dead letters that there are now.'),
    bytes: count('Their bytes.'),
    max_bytes: count('Bytes at which the oldest go (`GATELOG_DEAD_LETTER_MAX_BYTES`).'),
    added: count('Exchanges that could not be stored and became one.'),
    removed: count('Those that were removed by age or for room.'),
  }),
  prices: z.object({
    list: z.string().meta({ description: 'The public price list: its package and version.', example: '@pydantic/genai-prices 0.1.8' }),
    list_published: z.string().meta({ format: 'date', description: 'Its day (UTC).' }),
    list_age_days: count('Its age in days.'),
    calls_today: count('Calls with tokens, seconds of a recording or a cost that were stored since midnight (UTC).'),
    unpriced_today: count('Those of them whose cost is not known; `gatelog report unpriced` names their models.'),
  }),
  store: z.object({
    damaged_parts: count('Parts with a damaged file that fail what reads them.'),
    lost_parts: count('Parts that could not be loaded and are in no answer.'),
    bodies_to_move: count('Requests whose bodies an upgrade has still to move.'),
    statements_waiting: count('Statements that wait for a connection.'),
  }),
  disk: z
    .object({
      free_bytes: count('Free bytes of the disk with the store.'),
      size_bytes: count('All bytes of that disk.'),
      remote: z.string().nullable().meta({
        description: 'The file system, where it is one of another machine or served by a program, such as `nfs`; null: a local one.',
      }),
      spare_bytes: count('Below this nothing is stored (`GATELOG_STORE_SPARE_BYTES`).'),
    })
    .nullable()
    .meta({ description: 'Null: the store is a server of its own.' }),
  clock_jumps: count('How often the clock of the machine went ahead, so that removals by age were put off.'),
  deliveries: z.object({
    pending: known('Messages of webhooks and alerts that wait for an attempt; null: their database cannot be read.'),
    overdue_ms: ms('How long the oldest due one waits; 0 while none does, null as above.').nullable(),
    behind_ms: ms('Delay of the slowest webhook behind the stored requests.'),
  }),
  restarts: z
    .object({ gateway: count('Of gateway workers.'), core: count('Of the core.') })
    .nullable()
    .meta({ description: 'Processes that ended without having been told to; null: no supervisor tells the core.' }),
});

/** What the figures of all processes say of the service. */
export type HealthFigures = z.infer<typeof figuresSchema>;

/** With how they were in the last hour. */
export interface HealthFiguresInTime extends HealthFigures {
  readonly history: HealthHistory;
}

export const serviceHealthAnswerSchema = z
  .object({
    data: z
      .object({
        ...healthSchema.shape,
        ...figuresSchema.shape,
        history: historySchema,
      })
      .meta({
        id: 'ServiceHealth',
        description:
          'State of the service as a whole. Counts of what happened begin with the core; those of calls and restarts with the service.',
      }),
    error: z.null(),
  })
  .meta({ id: 'ServiceHealthAnswer' });
