/** A numbered step of the ClickHouse schema. Statements are idempotent, so an interrupted step can run again. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[];
  /** Statements that also run where a query finds no rows; where it does, other work does the same for them. */
  readonly onEmpty?: { readonly rows: string; readonly statements: readonly string[] };
}
