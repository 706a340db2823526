/** A field of a rule or a webhook before and after a change; null: not set. Of `channels`, which have secrets, both are null. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}
