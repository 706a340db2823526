import { GatelogError } from '../../model/errors.ts';

/** The row of a statement that always returns one. @throws GatelogError `internal` when it returns none. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new GatelogError('internal', 'The store gave no row where there is always one.');
  return row;
}
