import type { ReactNode } from 'react';
import { withMinus } from '../../../lib/format.ts';
import { Badge } from '../../../ui/badge.tsx';
import styles from './compare.module.css';

export interface ComparedRow {
  readonly name: string;
  readonly left: string | null;
  readonly right: string | null;
  readonly change?: number | null;
}

export interface ComparedTableProps {
  readonly label: string;
  readonly rows: readonly ComparedRow[];
  /** Whether the rows have figures of which the right one is more or less. */
  readonly hasChange?: boolean;
}

/** Values of two requests beside one another; those that differ are marked, in words too. */
export function ComparedTable({ label, rows, hasChange = false }: ComparedTableProps): ReactNode {
  if (rows.length === 0) return <p className="muted">None on either side.</p>;
  return (
    <div className={styles['scroller']} role="region" aria-label={`${label} side by side`} tabIndex={0}>
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Left</th>
            <th scope="col">Right</th>
            <th scope="col">{hasChange ? 'Change' : 'Differs'}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.name} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row: { name, left, right, change } }: { readonly row: ComparedRow }): ReactNode {
  const differs = left !== right;
  return (
    <tr data-differs={differs}>
      <th scope="row">
        <Value text={name} />
      </th>
      <td>
        <Value text={left} />
      </td>
      <td>
        <Value text={right} />
      </td>
      <td>{!differs ? null : typeof change === 'number' ? shareOf(change) : <Badge kind="warning">differs</Badge>}</td>
    </tr>
  );
}

function Value({ text }: { readonly text: string | null }): ReactNode {
  if (text === null) return <span className="muted">not set</span>;
  return (
    <span className="clip" dir="auto" title={text}>
      {text}
    </span>
  );
}

const share = new Intl.NumberFormat(undefined, { style: 'percent', signDisplay: 'exceptZero', maximumSignificantDigits: 3 });

function shareOf(change: number): string {
  return withMinus(share.format(change));
}
