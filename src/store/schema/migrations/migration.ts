/** A numbered step of the ClickHouse schema. Statements are idempotent, so an interrupted step can run again. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[];
}
