import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { failureOfStatus } from '../../model/record/failure.ts';
import type { AlertRule } from '../../contract/events/alerts.ts';
import { openMigratedMetadata } from '../../metadata/migrate.ts';
import type { AlertMessage } from '../../model/events/alert-message.ts';
import type { StoredChannel } from '../../model/events/channel.ts';
import type { Uuid } from '../../model/ids.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { type EventsDatabase, openEvents } from '../../events/database/database.ts';
import { empty, idAt, openQueryRig, tenant } from '../../query/testing/query-harness.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';
import type { Store } from '../../store/store.ts';
import { AlertDefinitions } from '../definitions.ts';
import { Evaluator, type EvaluatorOptions } from '../evaluator.ts';
import type { Alert } from '../machine/rule.ts';

export const intervalMs = 10_000;
/** A multiple of the interval. */
export const start = Date.UTC(2026, 5, 1, 12);

const pager: StoredChannel = { id: 'pager', type: 'pagerduty', shown: { routingKey: '…1234' }, sealed: 'sealed' };

/** A real store, and databases of metadata and events, with evaluators over them. */
export interface AlertRig {
  readonly store: Store;
  readonly events: EventsDatabase;
  readonly definitions: AlertDefinitions;
  /** Stores records of the tenant. */
  readonly insert: (records: readonly Partial<RequestRecord>[]) => Promise<void>;
  readonly add: (rule: AlertRule, given?: Partial<Alert>) => Promise<Alert>;
  /** An evaluator that knows what the database has. */
  readonly open: (given?: Partial<EvaluatorOptions>) => Promise<Evaluator>;
  /** Messages of deliveries in the database, in their order; `targets` when asked. */
  readonly notified: () => Promise<readonly AlertMessage[]>;
  readonly close: () => Promise<void>;
}

let made = 0;

/** A different identifier at each call. */
function newUuid(): Uuid {
  made += 1;
  return `01970000-0000-7000-8000-${made.toString(16).padStart(12, '0')}` as Uuid;
}

export async function openAlertRig(): Promise<AlertRig> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-alerts-'));
  const rig = await openQueryRig();
  const events = await openEvents(folder, () => start);
  const metadata = await openMigratedMetadata(folder, 'core', () => start);
  const definitions = await AlertDefinitions.open(metadata);
  let batches = 0;
  return {
    store: rig.store,
    events,
    definitions,
    insert: async (records) => {
      batches += 1;
      await rig.insert(
        records.map((record, index) => ({
          ...empty,
          requestId: idAt(record.createdAt ?? start, batches * 100_000 + index),
          status: 200,
          failure: failureOfStatus(record.status ?? 200),
          ...record,
        })),
        `batch-${batches}`,
      );
    },
    add: async (rule, given = {}) => {
      const alert: Alert = {
        id: newUuid(),
        organizationId: tenant,
        rule,
        channels: [pager],
        limitPolicy: null,
        offered: false,
        createdAt: start,
        changedAt: start,
        ...given,
      };
      const refusal = await definitions.add(alert);
      if (refusal !== undefined) throw new Error(refusal);
      return alert;
    },
    open: (given = {}) => openEvaluator(rig.store.run, { definitions, events }, given),
    notified: async () => {
      const rows = await events.queries.selectFrom('deliveries').select(['content']).orderBy('id').execute();
      return rows.map(({ content }) => JSON.parse(content ?? '') as AlertMessage);
    },
    close: async () => {
      await rig.close();
      await events.close();
      await metadata.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openEvaluator(
  run: RunStatement,
  parts: { readonly definitions: AlertDefinitions; readonly events: EventsDatabase },
  given: Partial<EvaluatorOptions>,
): Promise<Evaluator> {
  const evaluator = new Evaluator({
    ...parts,
    run,
    clock: { now: () => start, monotonic: () => 0 },
    intervalMs,
    linkOf: (ruleId) => `https://gatelog.example.com/alerts/${ruleId}`,
    subscribers: () => [],
    outbox: { wake: () => undefined },
    observe: () => undefined,
    groupsMaxBytes: 32 * 1024 * 1024,
    ...given,
  });
  await evaluator.open();
  return evaluator;
}
