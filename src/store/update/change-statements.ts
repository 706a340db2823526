import { type AcceptedChange, applyChange, type ChangeableFacts, type ChangeEntry, feedbackScore } from '../../model/change.ts';
import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { exceedsQuota, propertyBytesOf, type PropertyTotal, totalAfter } from './property-quota.ts';

/** Changes of one stored request, in the order in which they were accepted. */
export interface RequestChanges {
  readonly requestId: RequestId;
  /** Times at which the row may be, Unix milliseconds: with its own one among them it is found by key. */
  readonly createdAts: readonly number[];
  readonly changes: readonly AcceptedChange[];
}

/** What a row of `requests` holds under the names that its changes touch; of a kind of which the statement names none, nothing. */
export interface FactsRow {
  /** The identifier as a decimal number. */
  readonly id: string;
  readonly old_properties?: readonly (string | null)[];
  readonly property_count?: number | string;
  readonly property_bytes?: number | string;
  readonly old_scores?: readonly (number | null)[];
  readonly feedback_rating: boolean | null;
}

/** A statement over rows of `requests` with its parameters. */
export interface RowsStatement {
  readonly text: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const place = 'indexOf({ids:Array(UInt128)}, request_id)';
const propertyNames = `{names:Array(Array(String))}[${place}]`;
const scoreNames = `{score_names:Array(Array(String))}[${place}]`;
const newProperties = `mapFromArrays(${propertyNames}, {values:Array(Array(String))}[${place}])`;
const newScores = `mapFromArrays(${scoreNames}, {score_values:Array(Array(Float64))}[${place}])`;
/** Stands for the number of a feedback that no change gives: the row keeps its own. */
const givenBefore = 0;

const newFeedback = `{feedback_numbers:Array(UInt64)}[${place}]`;

const rowsOfRequests = `org_id = {tenant:UInt128}
    AND created_at IN (arrayMap(ms -> fromUnixTimestamp64Milli(ms, 'UTC'), {times:Array(Int64)}))
    AND request_id IN {ids:Array(UInt128)}`;

const oldProperties = `arrayMap(name -> if(mapContains(properties, name), toNullable(properties[name]), NULL), ${propertyNames}) AS old_properties`;
const propertyTotal = `length(properties) AS property_count, ${propertyBytesOf('properties')} AS property_bytes`;
const oldScores = `arrayMap(name -> if(mapContains(scores, name), toNullable(scores[name]), NULL), ${scoreNames}) AS old_scores`;

/** Columns that follow a property. */
const followers = [
  ['session_id', sessionProperties.sessionId],
  ['session_name', sessionProperties.sessionName],
  ['session_path', sessionProperties.sessionPath],
] as const;

/** Reads {@link FactsRow}s of these requests. */
export function readStatement(organizationId: OrganizationId, requests: readonly RequestChanges[]): RowsStatement {
  const params = keyParams(organizationId, requests);
  const columns = [
    'toString(request_id) AS id',
    // What the text mentions costs, for the engine writes all identifiers into each mention.
    ...(namesAny(params.names) ? [oldProperties, propertyTotal] : []),
    ...(namesAny(params.score_names) ? [oldScores] : []),
    'feedback_rating',
  ];
  return { text: `SELECT ${columns.join(', ')} FROM requests WHERE ${rowsOfRequests}`, params };
}

/** A request with its changes applied; `changes` are those that it takes. */
export interface ChangedRequest extends RequestChanges {
  /** Changes after which it would have too many properties: they are not applied. */
  readonly refused: readonly AcceptedChange[];
  /** What it then has. */
  readonly total: PropertyTotal;
  readonly facts: ChangeableFacts;
  readonly entries: readonly ChangeEntry[];
}

/** Applies changes to what the row holds; of two changes of one name the second finds what the first has left. */
export function changedRequest(request: RequestChanges, row: FactsRow): ChangedRequest {
  const rating = row.feedback_rating;
  const facts: ChangeableFacts = {
    properties: presentOf(propertyNamesOf(request), row.old_properties ?? []),
    scores: presentOf(scoreNamesOf(request), row.old_scores ?? []),
    feedback: rating === null ? null : { rating, number: givenBefore, createdAt: 0 },
    sessionChanges: [],
  };
  let total: PropertyTotal = { count: Number(row.property_count ?? 0), bytes: Number(row.property_bytes ?? 0) };
  const changes: AcceptedChange[] = [];
  const refused: AcceptedChange[] = [];
  const entries: ChangeEntry[] = [];
  for (const accepted of request.changes) {
    const { change } = accepted;
    const after = change.kind === 'property' ? totalAfter(total, facts.properties, change.values) : total;
    if (exceedsQuota(total, after)) {
      refused.push(accepted);
      continue;
    }
    total = after;
    changes.push(accepted);
    entries.push(...applyChange(facts, accepted));
  }
  return { ...request, changes, refused, total, facts, entries };
}

/**
 * Writes the changes of these requests. Columns of what no change names are not touched, for every patched column costs.
 */
export function updateStatement(organizationId: OrganizationId, requests: readonly ChangedRequest[]): RowsStatement {
  const params = {
    ...keyParams(organizationId, requests),
    values: requests.map((request) => propertyNamesOf(request).map((name) => request.facts.properties.get(name) ?? '')),
    score_values: requests.map((request) => scoreNamesOf(request).map((name) => request.facts.scores.get(name) ?? 0)),
    feedback_numbers: requests.map(({ facts }) => facts.feedback?.number ?? givenBefore),
    feedback_ratings: requests.map(({ facts }) => (facts.feedback?.rating === true ? 1 : 0)),
    feedback_times: requests.map(({ facts }) => facts.feedback?.createdAt ?? 0),
  };
  const assignments = [
    ...followerAssignments(requests),
    ...(namesAny(params.names) ? [`properties = mapUpdate(properties, ${newProperties})`] : []),
    ...(namesAny(params.score_names) ? [`scores = mapUpdate(scores, ${newScores})`] : []),
    ...(requests.some(isRated) ? feedbackAssignments : []),
    `updated_at = now64(3, 'UTC')`,
  ];
  return { text: `UPDATE requests SET ${assignments.join(', ')} WHERE ${rowsOfRequests}`, params };
}

function namesAny(names: readonly (readonly string[])[]): boolean {
  return names.some(({ length }) => length > 0);
}

function followerAssignments(requests: readonly ChangedRequest[]): string[] {
  if (!requests.some((request) => followers.some(([, name]) => propertyNamesOf(request).includes(name)))) return [];
  return followers.map(([column, name]) => `${column} = if(has(${propertyNames}, '${name}'), (${newProperties})['${name}'], ${column})`);
}

const feedbackAssignments = [
  `feedback_number = if(${newFeedback} = ${givenBefore}, feedback_number, ${newFeedback})`,
  `feedback_rating = if(${newFeedback} = ${givenBefore}, feedback_rating, {feedback_ratings:Array(UInt8)}[${place}] = 1)`,
  `feedback_created_at = if(${newFeedback} = ${givenBefore}, feedback_created_at, fromUnixTimestamp64Milli({feedback_times:Array(Int64)}[${place}], 'UTC'))`,
];

function keyParams(organizationId: OrganizationId, requests: readonly RequestChanges[]) {
  return {
    tenant: uuidToNumber(organizationId).toString(),
    ids: requests.map(({ requestId }) => uuidToNumber(requestId)),
    times: [...new Set(requests.flatMap(({ createdAts }) => createdAts))],
    names: requests.map(propertyNamesOf),
    score_names: requests.map(scoreNamesOf),
  };
}

function propertyNamesOf({ changes }: RequestChanges): string[] {
  return [...new Set(changes.flatMap(({ change }) => (change.kind === 'property' ? [...change.values.keys()] : [])))];
}

function scoreNamesOf(request: RequestChanges): string[] {
  const named = request.changes.flatMap(({ change }) => (change.kind === 'score' ? [...change.values.keys()] : []));
  return [...new Set(isRated(request) ? [...named, feedbackScore] : named)];
}

function isRated({ changes }: RequestChanges): boolean {
  return changes.some(({ change }) => change.kind === 'feedback');
}

function presentOf<Value>(names: readonly string[], values: readonly (Value | null)[]): Map<string, Value> {
  const present = new Map<string, Value>();
  for (const [index, name] of names.entries()) {
    const value = values[index];
    if (value !== undefined && value !== null) present.set(name, value);
  }
  return present;
}
