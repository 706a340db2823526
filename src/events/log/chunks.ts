/** Rows of a statement, far below the limit on its parameters. */
const rowsOfStatement = 500;

/** Rows in parts of which each fits into one statement. */
export function chunks<Row>(rows: readonly Row[]): readonly Row[][] {
  return Array.from({ length: Math.ceil(rows.length / rowsOfStatement) }, (_, index) =>
    rows.slice(index * rowsOfStatement, (index + 1) * rowsOfStatement),
  );
}
