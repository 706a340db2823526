import { requestFields, sessionFields, userFields } from '../../model/vocabulary/fields.ts';

/** Short names of fields, as metrics have them, and what filters call them. */
export const shortFields: Readonly<Record<string, string>> = {
  time: 'request_created_at',
  user: 'user_id',
  session: 'session_session_id',
  session_id: 'session_session_id',
  session_name: 'session_session_name',
  path: 'request.path',
};

/** What `--where` takes before its sign, for people and completions; names of properties, scores and inputs follow their dot. */
export const fieldNames: readonly string[] = [
  ...Object.keys(shortFields),
  ...Object.entries({ ...requestFields, ...sessionFields }).flatMap(([name, { shape }]) => (shape === 'scalar' ? [name] : [])),
  'properties.',
  'scores.',
  'inputs.',
];

/** The same for users, whose totals can be compared too. */
export const userFieldNames: readonly string[] = [...fieldNames, ...Object.keys(userFields)];
