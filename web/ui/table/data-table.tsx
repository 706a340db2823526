import { type ReactNode, useRef } from 'react';
import { alignDecimals } from '../../lib/decimals.ts';
import { alignCosts } from '../../lib/format.ts';
import { type PageKeys, usePageKeys } from '../../lib/page-keys.ts';
import styles from './data-table.module.css';

export interface DataColumn<Row> {
  readonly id: string;
  readonly title: string;
  /** In place of the title, such as a button that sorts. */
  readonly head?: ReactNode;
  readonly sorted?: 'ascending' | 'descending';
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** The cost that the text of a cell shows: all of a column get the same number of decimals. */
  readonly costOf?: ((row: Row) => number | null | undefined) | undefined;
  /** What the figure of a cell stands in, such as a link: the space that aligns its decimals stays outside. */
  readonly linkOf?: ((row: Row, figure: string) => ReactNode) | undefined;
  /** The figure is marked as the best of those with which it is compared. */
  readonly isBest?: (row: Row) => boolean;
  /** The text of a cell whose text may be cut. */
  readonly textOf?: (row: Row) => string;
  /** A long text takes lines of its cell before it is cut. */
  readonly isWrapped?: true;
  /** Takes what room the others leave, and is cut there. */
  readonly takesRest?: true;
}

export interface DataTableProps<Row> {
  /** Says what the rows are. */
  readonly label: string;
  /** The first column names its row. */
  readonly columns: readonly DataColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The titles stay in view: a long table scrolls in a window's height. */
  readonly isHeadKept?: boolean;
  /**
   * The table is what its page is about: `j` and `k` go through the links of its first column from the moment it is there, and Enter opens
   * the one that has the focus, else the first.
   */
  readonly isList?: boolean;
}

const noKeys: PageKeys = {};

/** A table of up to some hundred rows, which scrolls sideways where it is wider than its place. */
export function DataTable<Row>({ label, columns, rows, keyOf, isHeadKept = false, isList = false }: DataTableProps<Row>): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const keys = {
    j: () => focusBy(scroller.current, 1),
    k: () => focusBy(scroller.current, -1),
    Enter: () => linksIn(scroller.current)[0]?.click(),
  };
  usePageKeys(isList ? keys : noKeys);
  const cells = columns.map((column) => cellsOf(column, rows));
  return (
    <div className={styles['scroller']} data-head-kept={isHeadKept} role="region" aria-label={label} tabIndex={0} ref={scroller}>
      <table className={styles['table']}>
        <thead>
          <tr>
            {columns.map(({ id, title, head = title, sorted, isNumber }) => (
              <th key={id} scope="col" aria-sort={sorted} className={isNumber === true ? 'number' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row)}>
              {columns.map((column, place) => (
                <Cell key={column.id} column={column} row={row} content={cells[place]?.[index]} isHead={place === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function linksIn(table: HTMLElement | null): readonly HTMLAnchorElement[] {
  return [...(table?.querySelectorAll<HTMLAnchorElement>('tbody th a') ?? [])];
}

/** Moves the focus from the link of one row to that of another. */
function focusBy(table: HTMLElement | null, by: number): void {
  const links = linksIn(table);
  const at = links.findIndex((link) => link === document.activeElement);
  links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
}

/** What stands in a column, the decimals of its figures below one another. */
function cellsOf<Row>({ isNumber, cell, costOf, linkOf }: DataColumn<Row>, rows: readonly Row[]): readonly ReactNode[] {
  const cells = rows.map((row) => cell(row));
  if (isNumber !== true) return cells;
  const texts = cells.map((one) => (typeof one === 'string' ? one : ''));
  const aligned = costOf === undefined ? alignDecimals(texts) : alignCosts(texts, rows.map(costOf));
  return rows.map((row, index) => {
    const { [index]: one } = cells;
    if (typeof one !== 'string') return one;
    const text = aligned[index] ?? one;
    const figure = text.trimEnd();
    if (linkOf === undefined || figure === '') return text;
    return (
      <>
        {linkOf(row, figure)}
        {text.slice(figure.length)}
      </>
    );
  });
}

interface CellProps<Row> {
  readonly column: DataColumn<Row>;
  readonly row: Row;
  readonly content: ReactNode;
  readonly isHead: boolean;
}

function Cell<Row>({ column, row, content: shown, isHead }: CellProps<Row>): ReactNode {
  const { textOf, isNumber, isBest, isWrapped, takesRest } = column;
  const content =
    textOf === undefined ? (
      shown
    ) : (
      <span className={isWrapped === true ? styles['wrapped'] : 'clip'} dir="auto" title={textOf(row)}>
        {shown}
      </span>
    );
  if (isHead) return <th scope="row">{content}</th>;
  if (isBest?.(row) === true) {
    return (
      <td className={`number ${styles['best'] ?? ''}`} title="The best">
        <span className="visually-hidden">best: </span>
        {content}
      </td>
    );
  }
  return <td className={isNumber === true ? 'number' : takesRest === true ? styles['rest'] : undefined}>{content}</td>;
}
