import { isSampled } from '../../../src/events/webhooks/following/chosen.ts';
import type { UpdateOutcome } from '../load.ts';
import type { StoredRecord } from '../stored-records.ts';
import type { CountingReceiver } from './counting-receiver.ts';
import type { RequestId, Uuid } from '../../../src/model/ids.ts';

/** Contradictions between the store and the receivers; every list must be empty. */
export interface WebhookFindings {
  /** Stored requests that were not announced. */
  readonly missing: readonly string[];
  /** Requests whose completion came under two identifiers. */
  readonly doubled: readonly string[];
  /** Acknowledged changes that no event shows. */
  readonly missingChanges: readonly string[];
  /** Requests that the filter and the sample rate of the second webhook leave out or ask for, and that it got or lacks. */
  readonly wronglyChosen: readonly string[];
  readonly faults: readonly string[];
}

/** The webhook that gets some requests: of one user, half of them. */
export interface SampledWebhook {
  readonly id: string;
  readonly receiver: CountingReceiver;
  readonly userNumber: number;
  readonly sampleRate: number;
}

export interface Announced {
  readonly records: readonly StoredRecord[];
  readonly changes: readonly UpdateOutcome[];
  /** Gets everything. */
  readonly all: CountingReceiver;
  readonly some: SampledWebhook;
}

/** Users take turns: a call belongs to the user of its last digit. */
const users = 10;

export function judgeWebhooks({ records, changes, all, some }: Announced): WebhookFindings {
  const acknowledged = changes.filter(({ status }) => status === 200);
  return {
    missing: records.filter(({ id }) => (all.received.get(id)?.completed.size ?? 0) === 0).map(({ id }) => id),
    doubled: [...all.received].filter(([, { completed }]) => completed.size > 1).map(([id]) => id),
    missingChanges: acknowledged
      .filter(({ id, name, value }) => all.received.get(id)?.properties.get(name) !== value)
      .map(({ id, name }) => `${name} of ${id}`),
    wronglyChosen: records.filter((record) => isChosen(some, record) !== some.receiver.received.has(record.id)).map(({ id }) => id),
    faults: [...all.faults, ...some.receiver.faults],
  };
}

function isChosen({ id, userNumber, sampleRate }: SampledWebhook, record: StoredRecord): boolean {
  const isOfUser = Number(record.properties['Call']) % users === userNumber;
  return isOfUser && isSampled({ id: id as Uuid, sampleRate }, record.id as RequestId);
}

export function countWebhookFindings(findings: WebhookFindings): number {
  const lists: readonly (readonly string[])[] = Object.values(findings);
  return lists.reduce((sum, found) => sum + found.length, 0);
}
