/** The operators of the filter language by family, from which parser, SQL, OpenAPI and error messages derive. */
export const operatorFamilies = {
  text: ['equals', 'not-equals', 'like', 'ilike', 'contains', 'not-contains'],
  number: ['equals', 'not-equals', 'gte', 'lte', 'gt', 'lt'],
  timestamp: ['equals', 'gte', 'lte', 'gt', 'lt'],
  boolean: ['equals'],
} as const;

export type OperatorFamily = keyof typeof operatorFamilies;
export type TextOperator = (typeof operatorFamilies.text)[number];
export type NumberOperator = (typeof operatorFamilies.number)[number];
export type TimestampOperator = (typeof operatorFamilies.timestamp)[number];
export type BooleanOperator = (typeof operatorFamilies.boolean)[number];

/** Shape of a value, for error messages. */
export const familyValueHints: Record<OperatorFamily, string> = {
  text: 'a string',
  number: 'a finite JSON number',
  timestamp: 'an ISO 8601 string such as "2026-01-31T00:00:00Z", or Unix milliseconds as a number',
  boolean: 'true or false',
};
