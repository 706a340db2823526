import { ApiError, createClient, type GatelogClient } from '../../client/client.ts';
import { printable } from '../../config/text-table.ts';
import { shownDuration } from '../base/progress.ts';
import { fail, type Finding, ok, skip, warn } from './finding.ts';
import { keyThatReads, refusedKey } from './key.ts';

const limitMs = 10_000;
const slowMs = 2000;

/** Asks for the latest request: whether the key is good, and whether the API answers. */
export async function checkQuery(place: string, key: string, now: () => number): Promise<readonly Finding[]> {
  const client = createClient({ apiUrl: place, apiKey: key, retries: 0, timeoutMs: limitMs });
  const since = now();
  try {
    const { data } = await client.requests.query({ filter: 'all', limit: 1, includeBodies: false });
    const ms = now() - since;
    return [keyThatReads(key, await permissionsOf(client)), answered(ms, data[0]?.request_created_at, now())];
  } catch (error) {
    const failure = failureOf(error);
    if (refusals.has(failure.status)) return [refusedKey(key, failure), skip('query', 'needs a key that may read')];
    return [fail('query', failure.says, 'Look at the log of "gatelog serve": it says why.')];
  }
}

/** Statuses that are about the key. */
const refusals: ReadonlySet<number> = new Set([401, 403, 429]);

interface Failure {
  readonly status: number;
  readonly code: string;
  readonly says: string;
  readonly permissions: string | undefined;
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError)) throw error;
  const { permissions } = error.details;
  const says = printable(error.message).slice(0, 400);
  return { status: error.status, code: error.code, says, permissions: typeof permissions === 'string' ? permissions : undefined };
}

/** A key that is none of an administrator's is told what it is. @returns undefined when the service does not say. */
async function permissionsOf(client: GatelogClient): Promise<string | undefined> {
  try {
    await client.keys.list();
    return 'admin';
  } catch (error) {
    return failureOf(error).permissions;
  }
}

/** @param latest when the latest request was made. */
function answered(ms: number, latest: string | undefined, now: number): Finding {
  const says =
    latest === undefined
      ? 'nothing is recorded yet'
      : `the latest request was made ${shownDuration(Math.max(0, now - Date.parse(latest)) / 1000)} ago`;
  if (ms < slowMs) return ok('query', `answered in ${ms} ms; ${says}`);
  return warn(
    'query',
    `The answer took ${ms} ms; ${says}.`,
    'Look at the load of the machine; docs/operations/capacity.md has what one takes.',
  );
}
