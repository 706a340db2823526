/** One numbered step of the ClickHouse schema. Statements are idempotent, so that a step that was cut in the middle can run again. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[];
}
