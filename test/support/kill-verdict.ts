import type { ChangeItem } from '../../src/contract/requests/changes.ts';
import { bodyNumberOf, type CallOutcome, type UpdateOutcome } from './load.ts';
import { costOf } from './load-provider.ts';
import { readHistories, recordsOnceStored, type StoredRecord } from './stored-records.ts';

/** Compares what clients received with what is stored. */
export interface Verdict {
  readonly responses: number;
  readonly brokenCalls: number;
  readonly records: number;
  /** Records of successful calls that contain both bodies completely. */
  readonly completeRecords: number;
  readonly acknowledgedUpdates: number;
  readonly findings: Findings;
  /** Calls without a complete response whose record has status 502. */
  readonly brokenOff: number;
}

/** Contradictions between clients and store; every list must be empty. */
export interface Findings {
  /** Complete responses that are not stored. */
  readonly lost: string[];
  /** Records that are stored twice, by identifier or by call number. */
  readonly duplicated: string[];
  /** Responses whose record has another status, property, identifier or cost. */
  readonly different: string[];
  /** Calls that chose their identifier but received another one, as if it had been used before. */
  readonly replacedIds: string[];
  /** Calls that received an identifier but are not stored. */
  readonly notStored: string[];
  /** Responses with `svc-recorded: false` that are nevertheless stored completely. */
  readonly wronglyUnrecorded: string[];
  /** Acknowledged changes that the record does not show. */
  readonly lostUpdates: string[];
  /** Acknowledged changes that are not in the history exactly once. */
  readonly wrongHistory: string[];
  /** Changes that were refused although the request exists. */
  readonly refusedUpdates: string[];
}

/** @param calls of all loads; their numbers are unique. @param isOfCalls whether a record is of one of them; absent: every one is. */
export async function judge(
  api: string,
  calls: readonly CallOutcome[],
  updates: readonly UpdateOutcome[],
  isOfCalls: (record: StoredRecord) => boolean = () => true,
): Promise<Verdict> {
  // Calls that were answered 401, or with `svc-recorded: false`, need no record.
  const recordedCalls = calls.filter(({ id, status, recorded }) => id !== undefined && status !== 401 && recorded);
  const found = await recordsOnceStored(
    api,
    recordedCalls.flatMap(({ id }) => id ?? []),
  );
  const records = found.filter(isOfCalls);
  const stored = new Map(records.map((record) => [record.id, record]));
  const complete = recordedCalls.filter((call) => call.complete);
  const broken = recordedCalls.filter((call) => !call.complete);
  const missing = (call: CallOutcome): boolean => !stored.has(call.id ?? '');
  const acknowledged = updates.filter(({ status }) => status === 200);
  const histories = await readHistories(
    api,
    acknowledged.map(({ id }) => id),
  );
  return {
    responses: complete.length,
    brokenCalls: calls.filter((call) => !call.complete).length,
    records: records.length,
    completeRecords: records.filter(isComplete).length,
    acknowledgedUpdates: acknowledged.length,
    brokenOff: broken.filter(({ id }) => stored.get(id ?? '')?.status === 502).length,
    findings: {
      lost: complete.filter(missing).map(nameOf),
      duplicated: duplicatesOf(records),
      different: complete.flatMap((call) => differencesOf(call, stored.get(call.id ?? ''))),
      replacedIds: complete.filter(isReplaced).map(nameOf),
      notStored: broken.filter(missing).map(nameOf),
      wronglyUnrecorded: calls.filter((call) => !call.recorded && isComplete(stored.get(call.id ?? ''))).map(nameOf),
      lostUpdates: acknowledged.filter(({ id, name, value }) => stored.get(id)?.properties[name] !== value).map(updateName),
      wrongHistory: acknowledged.flatMap((update) => historyFault(update, histories.get(update.id) ?? [])),
      refusedUpdates: updates
        .filter(({ status }) => status >= 400 && status < 500)
        .map((update) => `${updateName(update)}: ${update.status}`),
    },
  };
}

export const noFindings: Findings = {
  lost: [],
  duplicated: [],
  different: [],
  replacedIds: [],
  notStored: [],
  wronglyUnrecorded: [],
  lostUpdates: [],
  wrongHistory: [],
  refusedUpdates: [],
};

export function listsOf(findings: Findings): readonly (readonly [string, readonly string[]])[] {
  return Object.entries(findings) as [string, string[]][];
}

export function countFindings(findings: Findings): number {
  return listsOf(findings).reduce((sum, [, found]) => sum + found.length, 0);
}

function nameOf({ number, kind, id, status }: CallOutcome): string {
  return `call ${number} (${kind}, ${id ?? 'without an identifier'}, ${status})`;
}

function isComplete(record: StoredRecord | undefined): boolean {
  return record?.status === 200 && !record.cut;
}

function updateName({ id, name }: UpdateOutcome): string {
  return `${name} of ${id}`;
}

function duplicatesOf(records: readonly StoredRecord[]): string[] {
  const seen = new Set<string>();
  const duplicates: string[] = [];
  for (const { id, properties } of records) {
    for (const key of [`request ${id}`, `call ${properties['Call'] ?? 'without a number'}`]) {
      if (seen.has(key)) duplicates.push(key);
      seen.add(key);
    }
  }
  return duplicates;
}

/** No identifier is chosen twice, so that this is a fault. */
function isReplaced({ chosenId, warning }: CallOutcome): boolean {
  return chosenId !== undefined && warning?.includes('was used before') === true;
}

/** An identifier that could not be checked, as while the metadata waits for a busy disk, gives way to another one, and the answer says so. */
function isUnchecked({ chosenId, warning }: CallOutcome): boolean {
  return chosenId !== undefined && warning?.includes('could not be checked') === true;
}

/** US dollars. */
const costTolerance = 1e-12;

function differencesOf(call: CallOutcome, record: StoredRecord | undefined): string[] {
  if (record === undefined) return [];
  const differences: string[] = [];
  const expect = (what: string, actual: unknown, expected: unknown): void => {
    if (actual !== expected) differences.push(`${nameOf(call)}: ${what} is ${String(actual)}, not ${String(expected)}`);
  };
  expect('its status', record.status, call.status);
  expect('its property Call', record.properties['Call'], String(call.number));
  if (call.chosenId !== undefined && !isReplaced(call) && !isUnchecked(call)) expect('its identifier', record.id, call.chosenId);
  // A cut record may lack its token counts.
  if (call.status !== 200 || record.cut) return differences;
  const cost = record.cached ? 0 : costOf(bodyNumberOf(call));
  if (record.cost === null || Math.abs(record.cost - cost) > costTolerance) expect('its cost', record.cost, cost);
  return differences;
}

function historyFault(update: UpdateOutcome, history: readonly ChangeItem[]): string[] {
  const entries = history.filter(({ name, new: value }) => name === update.name && value === update.value).length;
  return entries === 1 ? [] : [`${updateName(update)}: ${entries} entries`];
}
