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
  readonly wholeRecords: number;
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
  readonly doubled: string[];
  /** Responses whose record has another status, property, identifier or cost. */
  readonly different: string[];
  /** Calls that chose their identifier but received another one, with a warning. */
  readonly replacedIds: string[];
  /** Calls that received an identifier but are not stored. */
  readonly unseen: string[];
  /** Responses with `svc-recorded: false` that are nevertheless stored completely. */
  readonly wronglyUnrecorded: string[];
  /** Acknowledged changes that the record does not show. */
  readonly lostUpdates: string[];
  /** Acknowledged changes that are not in the history exactly once. */
  readonly wrongHistory: string[];
  /** Changes that were refused although the request exists. */
  readonly refusedUpdates: string[];
}

/** @param calls of all loads; their numbers are unique. */
export async function judge(api: string, calls: readonly CallOutcome[], updates: readonly UpdateOutcome[]): Promise<Verdict> {
  // Calls that were answered 401, or with `svc-recorded: false`, need no record.
  const known = calls.filter(({ id, status, recorded }) => id !== undefined && status !== 401 && recorded);
  const records = await recordsOnceStored(
    api,
    known.flatMap(({ id }) => id ?? []),
  );
  const stored = new Map(records.map((record) => [record.id, record]));
  const whole = known.filter((call) => call.whole);
  const broken = known.filter((call) => !call.whole);
  const missing = (call: CallOutcome): boolean => !stored.has(call.id ?? '');
  const acknowledged = updates.filter(({ status }) => status === 200);
  const histories = await readHistories(
    api,
    acknowledged.map(({ id }) => id),
  );
  return {
    responses: whole.length,
    brokenCalls: calls.filter((call) => !call.whole).length,
    records: records.length,
    wholeRecords: records.filter(isWhole).length,
    acknowledgedUpdates: acknowledged.length,
    brokenOff: broken.filter(({ id }) => stored.get(id ?? '')?.status === 502).length,
    findings: {
      lost: whole.filter(missing).map(nameOf),
      doubled: doubledOf(records),
      different: whole.flatMap((call) => differencesOf(call, stored.get(call.id ?? ''))),
      replacedIds: whole.filter(isReplaced).map(nameOf),
      unseen: broken.filter(missing).map(nameOf),
      wronglyUnrecorded: calls.filter((call) => !call.recorded && isWhole(stored.get(call.id ?? ''))).map(nameOf),
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
  doubled: [],
  different: [],
  replacedIds: [],
  unseen: [],
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

function isWhole(record: StoredRecord | undefined): boolean {
  return record?.status === 200 && !record.cut;
}

function updateName({ id, name }: UpdateOutcome): string {
  return `${name} of ${id}`;
}

function doubledOf(records: readonly StoredRecord[]): string[] {
  const seen = new Set<string>();
  const doubled: string[] = [];
  for (const { id, properties } of records) {
    for (const key of [`request ${id}`, `call ${properties['Call'] ?? 'without a number'}`]) {
      if (seen.has(key)) doubled.push(key);
      seen.add(key);
    }
  }
  return doubled;
}

function isReplaced({ chosenId, warning }: CallOutcome): boolean {
  return chosenId !== undefined && warning?.includes('a fresh identifier was given') === true;
}

/** US dollars. */
const costTolerance = 1e-12;

function differencesOf(call: CallOutcome, record: StoredRecord | undefined): string[] {
  if (record === undefined) return [];
  const facts: string[] = [];
  const expect = (what: string, is: unknown, wanted: unknown): void => {
    if (is !== wanted) facts.push(`${nameOf(call)}: ${what} is ${String(is)}, not ${String(wanted)}`);
  };
  expect('its status', record.status, call.status);
  expect('its property Call', record.properties['Call'], String(call.number));
  if (call.chosenId !== undefined && !isReplaced(call)) expect('its identifier', record.id, call.chosenId);
  // A cut record may lack its token counts.
  if (call.status !== 200 || record.cut) return facts;
  const cost = record.cached ? 0 : costOf(bodyNumberOf(call));
  if (record.cost === null || Math.abs(record.cost - cost) > costTolerance) expect('its cost', record.cost, cost);
  return facts;
}

function historyFault(update: UpdateOutcome, history: readonly ChangeItem[]): string[] {
  const entries = history.filter(({ name, new: value }) => name === update.name && value === update.value).length;
  return entries === 1 ? [] : [`${updateName(update)}: ${entries} entries`];
}
