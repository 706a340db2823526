import type { ChangeItem } from '../../src/contract/requests/changes.ts';
import { bodyNumberOf, type CallOutcome, type UpdateOutcome } from './load.ts';
import { costOf } from './load-provider.ts';
import { readHistories, recordsOnceStored, type StoredRecord } from './stored-records.ts';

/** What clients saw against what is stored. */
export interface Verdict {
  readonly responses: number;
  readonly brokenCalls: number;
  readonly records: number;
  /** Records of a success that have all that passed. */
  readonly wholeRecords: number;
  readonly acknowledgedUpdates: number;
  readonly findings: Findings;
  /** Calls without a whole reply that are on record as broken off. */
  readonly brokenOff: number;
}

/** What must not be. */
export interface Findings {
  /** Replies that a client had whole and that are not stored. */
  readonly lost: string[];
  /** Records that are there twice, by their identifier or by their call. */
  readonly doubled: string[];
  /** Replies whose record says something else: its status, its properties, its identifier, its cost. */
  readonly different: string[];
  /** Calls that chose their identifier and got another, with a warning that says so. */
  readonly replacedIds: string[];
  /** Calls whose identifier was told and that are not stored. */
  readonly unseen: string[];
  /** Replies that said that they are not on record, and are, as if nothing were missing. */
  readonly wronglyUnrecorded: string[];
  /** Changes that were acknowledged and cannot be seen. */
  readonly lostUpdates: string[];
  /** Changes that were acknowledged and are in the history not once. */
  readonly wrongHistory: string[];
  /** Changes that were refused although their request existed. */
  readonly refusedUpdates: string[];
}

/** Compares everything. @param calls of all loads, with numbers of their own. */
export async function judge(api: string, calls: readonly CallOutcome[], updates: readonly UpdateOutcome[]): Promise<Verdict> {
  // What the gateway answered before it had accepted the key is not on record, nor what says so itself.
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

/** As it has to be. */
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

/** Findings by what is wrong. */
export function listsOf(findings: Findings): readonly (readonly [string, readonly string[]])[] {
  return Object.entries(findings) as [string, string[]][];
}

/** Findings of all kinds together. */
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

/** A cost is exact to a millionth of a millionth of a dollar. */
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
  // What a cut record lacks may be its tokens.
  if (call.status !== 200 || record.cut) return facts;
  const cost = record.cached ? 0 : costOf(bodyNumberOf(call));
  if (record.cost === null || Math.abs(record.cost - cost) > costTolerance) expect('its cost', record.cost, cost);
  return facts;
}

function historyFault(update: UpdateOutcome, history: readonly ChangeItem[]): string[] {
  const entries = history.filter(({ name, new: value }) => name === update.name && value === update.value).length;
  return entries === 1 ? [] : [`${updateName(update)}: ${entries} entries`];
}
