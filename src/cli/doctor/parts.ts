import { printable } from '../../config/text-table.ts';
import { isJsonObject, parseJson } from '../../model/text.ts';
import { fail, type Finding, ok, warn } from './finding.ts';
import type { Probe } from './probe.ts';

const log = 'Look at the log of "gatelog serve": it says why. Processes that ended are started again by themselves.';

/** What `/readyz` of a listener may name. */
const parts: Readonly<Record<string, { readonly says: string; readonly remedy: string; readonly fails?: true }>> = {
  core: { says: 'the core is away: calls go on and wait in the spool, queries fail', remedy: log, fails: true },
  store: { says: 'the store does not answer: calls go on and wait in the spool, queries fail', remedy: log, fails: true },
  ingest: { says: 'records do not get into the store: calls go on and wait in the spool', remedy: log, fails: true },
  metadata: {
    says: 'keys and settings cannot be read or changed: keys that were used of late still work',
    remedy: log,
    fails: true,
  },
  spool: {
    says: 'the spool takes nothing more: calls go on unrecorded',
    remedy: 'Free space on the disk of GATELOG_DATA_DIR, or raise GATELOG_SPOOL_MAX_BYTES; then look at what fails beside it.',
    fails: true,
  },
  spool_nearly_full: {
    says: 'the spool is nine tenths full; full, calls go on unrecorded',
    remedy: 'Find out why records do not get into the store, or raise GATELOG_SPOOL_MAX_BYTES.',
  },
  store_full: {
    says: 'the disk is nearly full: records wait in the spool, stored ones can be read',
    remedy: 'Free space on the disk of GATELOG_DATA_DIR, or shorten the retention.',
    fails: true,
  },
  store_damaged: {
    says: 'a file of the store is damaged: what needs it fails, all else works',
    remedy: '"gatelog store check" names it; docs/operations/damaged-store.md says what to do.',
    fails: true,
  },
  store_moved: {
    says: 'the records have moved to another store: calls are recorded in the spool, changes are answered 503',
    remedy: 'Start Gatelog with that store: GATELOG_CLICKHOUSE_URL is its address, or absent for the data folder.',
    fails: true,
  },
  store_upgrading: { says: 'an upgrade moves stored bodies; everything works meanwhile', remedy: 'Wait; nothing is to be done.' },
  ingest_behind: {
    says: 'records wait for more than a minute before they can be found',
    remedy: 'Look at the load of the machine; docs/operations/capacity.md has what one takes.',
  },
  stopping: { says: 'it stops at the moment', remedy: 'Start it again with "gatelog serve".', fails: true },
};

/** The parts of a service, as `/readyz` of a listener tells. @param check its name. @param fine what is so when none is named. */
export function checkParts(check: string, answer: Probe, fine: string): readonly Finding[] {
  const json = 'code' in answer ? undefined : parseJson(answer.text);
  if ('code' in answer || !isJsonObject(json) || typeof json['status'] !== 'string') {
    const why = 'code' in answer ? answer.code : `status ${answer.status}`;
    return [fail(check, `It does not say how it is (${why}).`, log)];
  }
  const [failing, degraded] = [namesIn(json['failing']), namesIn(json['degraded'])];
  const found = [...failing, ...degraded.filter((name) => !failing.includes(name))].map((name) =>
    partFinding(check, name, failing.includes(name)),
  );
  if (found.length > 0) return found;
  return [answer.status === 200 ? ok(check, fine) : fail(check, `It takes no work (status ${answer.status}).`, log)];
}

function partFinding(check: string, name: string, isFailing: boolean): Finding {
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  const { says, remedy } = part ?? { says: 'a part that this command does not know does not work', remedy: log };
  const sentence = `${printable(name).slice(0, 60)}: ${says}.`;
  return isFailing || part?.fails === true ? fail(check, sentence, remedy) : warn(check, sentence, remedy);
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.slice(0, 50).map(String) : [];
}
