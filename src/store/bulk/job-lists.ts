import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { type Rows, systemRows } from '../../sql/tables.ts';
import { dropPartitions } from '../parts/remove-rows.ts';
import type { Connections } from '../engine/connections.ts';
import { runWrite } from '../engine/disk-space.ts';
import { storeFailure } from '../engine/failure.ts';
import { boundNow, readRows, runCommand } from '../engine/statements.ts';
import { largeReadSettings, type RunOptions } from '../read/run-statement.ts';
import { type JobKey, listedCount, listStatement } from './list.ts';

/** Rows of `requests`. */
export type MatchingRows = Rows;

/** The lists of requests that jobs cover. All functions throw GatelogError when the store fails. */
export interface JobLists {
  /**
   * Lists the requests that match now; durable on return, and repeatable: an earlier list of the job is replaced. @returns their number.
   * @throws GatelogError `query_too_large` or `query_timeout` when the filter costs more than a query may.
   */
  readonly list: (job: JobKey, matching: MatchingRows) => Promise<number>;
  readonly drop: (number: number) => Promise<void>;
  readonly numbers: () => Promise<readonly number[]>;
}

const noSignal = new AbortController().signal;

const partitions = compileForAll(
  select({
    distinct: true,
    columns: sql`partition_id AS number`,
    from: systemRows('parts', sql`active AND table = ${literal('job_requests')}`),
  }),
);

/** The list is made in the lane of large reads, because its filter may be as costly as any query. */
export function makeJobLists(connections: Connections, options: RunOptions): JobLists {
  const drop = (number: number): Promise<void> => dropPartitions({ connections, signal: noSignal }, 'job_requests', [String(number)]);
  return {
    list: async (job, matching) => {
      await drop(job.number);
      const statement = listStatement(job, matching);
      try {
        await runWrite(connections, 'large', async (client) => {
          const bound = { ...statement, ...boundNow(statement, connections) };
          await runCommand({ client, embedded: connections.embedded }, bound, largeReadSettings(options, statement));
        });
      } catch (error) {
        throw storeFailure(error);
      }
      const [row] = await readRows<{ readonly total: number | string }>(connections, 'update', listedCount(job));
      return Number(row?.total ?? 0);
    },
    drop,
    numbers: async () => {
      const rows = await readRows<{ readonly number: string }>(connections, 'removal', partitions);
      return rows.map(({ number }) => Number(number));
    },
  };
}
