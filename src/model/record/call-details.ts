import { type ColumnName, requestColumns } from './columns.ts';
import type { RequestRecord } from './request-record.ts';

/** Columns of texts that one of several spans of a call may tell alone. */
export const detailColumns = [
  'user_id',
  'prompt_id',
  'prompt_version',
  'job_id',
  'node_id',
  'experiment_id',
  'request_model',
  'response_model',
  'response_id',
  'service_tier',
] as const satisfies readonly ColumnName[];

/** What a span tells of its call beside counts, properties and texts that were said. */
export interface CallDetails {
  /** By {@link detailColumns}, in that order; empty: not told. */
  readonly texts: readonly string[];
  /** `unknown`: not told. */
  readonly model: string;
  readonly status: number;
  /** Milliseconds. */
  readonly firstTokenMs: number | null;
}

export const unknownModel = 'unknown';

export function callDetails(record: RequestRecord): CallDetails {
  return {
    texts: detailColumns.map((name) => requestColumns[name].value(record) ?? ''),
    model: record.model,
    status: record.status,
    firstTokenMs: record.timeToFirstTokenMs,
  };
}

/** A field that another span fills, by its column. */
export interface FilledDetail {
  readonly name: string;
  /** Null: was absent. */
  readonly old: string | number | null;
  readonly new: string | number;
}

/** What one tells that the other does not. */
export function filledDetails(details: CallDetails, into: CallDetails): readonly FilledDetail[] {
  const texts = detailColumns.map((name, index) => ({
    name,
    old: null,
    new: into.texts[index] === '' ? (details.texts[index] ?? '') : '',
  }));
  const filled: FilledDetail[] = texts.filter((text) => text.new !== '');
  if (details.model !== unknownModel && into.model === unknownModel) filled.push({ name: 'model', old: null, new: details.model });
  if (details.firstTokenMs !== null && into.firstTokenMs === null) {
    filled.push({ name: 'time_to_first_token', old: null, new: details.firstTokenMs });
  }
  if (tellsStatus(details.status, into.status)) filled.push({ name: 'status', old: into.status, new: details.status });
  return filled;
}

/** A stored status that names a failure stays. `statusOf` chooses between two of them where both come at once. */
function tellsStatus(status: number, than: number): boolean {
  return ranks(status) < ranks(than) && ranks(than) >= ranks(someFailure);
}

/** The status of a call that several tell of: one failed where one of them says so, as which of them says it best. @param statuses at least one. */
export function statusOf(statuses: readonly number[]): number {
  return statuses.reduce((status, other) => (ranks(other) < ranks(status) ? other : status));
}

/** What failed comes first, and before the status that stands for a failure of which no more is known. */
function ranks(status: number): number {
  if (status >= 200 && status < 400) return 2000;
  return status === someFailure ? 1000 : status;
}

/** Of a span that failed and names no status. */
const someFailure = 500;
