import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { scorePrefix } from '../../../../src/model/vocabulary/metrics.ts';
import { scoreMetricsQuery } from '../../../lib/metrics/score-metrics.ts';
import { propertyNamesQuery } from '../../../lib/property-names.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/form/checkbox.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Actions, Dialog } from '../../../ui/overlay/dialog.tsx';
import { columnOf, ownColumnIds } from '../list/columns.tsx';
import styles from './tools.module.css';

export interface ColumnsDialogProps {
  readonly columns: readonly string[];
  readonly pinned: number;
  /** @param columns Undefined: nobody has chosen. */
  readonly onChange: (columns: readonly string[] | undefined, pinned: number) => void;
  readonly onClose: () => void;
}

/** Which columns there are, in which order, and which stay in view. */
export function ColumnsDialog({ columns, pinned, onChange, onClose }: ColumnsDialogProps): ReactNode {
  const [wanted, setWanted] = useState('');
  const { data: names } = useQuery(propertyNamesQuery);
  const { data: scoreMetrics } = useQuery(scoreMetricsQuery);
  const scores = (scoreMetrics ?? []).map((metric) => metric.slice(scorePrefix.length));
  const all = [...(names ?? []).map((name) => `properties.${name}`), ...scores.map((name) => `scores.${name}`), ...ownColumnIds];
  const others = all.filter((id) => !columns.includes(id));
  const found = others.filter((id) => (columnOf(id)?.title ?? '').toLowerCase().includes(wanted.toLowerCase()));
  return (
    <Dialog title="Columns" isOpen onClose={onClose}>
      <Shown {...{ columns, pinned, onChange }} />
      <TextField label="Add a column" value={wanted} onChange={setWanted} placeholder="Name of a column or a property" />
      <ul className={styles['found']} aria-label="Columns to add">
        {found.map((id) => (
          <li key={id}>
            <Button kind="normal" onPress={() => onChange([...columns, id], pinned)}>
              + {columnOf(id)?.title}
            </Button>
          </li>
        ))}
      </ul>
      <Actions>
        <Button onPress={() => onChange(undefined, 0)}>Reset to default</Button>
        <Button kind="primary" onPress={onClose}>
          Done
        </Button>
      </Actions>
    </Dialog>
  );
}

/** The columns in their order, with what can be done with each. */
function Shown({ columns, pinned, onChange }: Omit<ColumnsDialogProps, 'onClose'>): ReactNode {
  const move = (index: number, by: number): void => {
    const moved = columns[index];
    if (moved !== undefined) onChange(columns.toSpliced(index, 1).toSpliced(index + by, 0, moved), pinned);
  };
  return (
    <ol className={styles['columns']} aria-label="Columns that are shown">
      {columns.map((id, index) => {
        const title = columnOf(id)?.title ?? id;
        return (
          <li key={id}>
            <span className="clip" dir="auto" title={title}>
              {title}
            </span>
            <Checkbox isSelected={index < pinned} onChange={(isPinned) => onChange(columns, isPinned ? index + 1 : index)}>
              Pin <span className="visually-hidden">{title}</span>
            </Checkbox>
            <Button kind="quiet" onPress={() => move(index, -1)} isDisabled={index === 0} aria-label={`Move ${title} to the left`}>
              ↑
            </Button>
            <Button
              kind="quiet"
              onPress={() => move(index, 1)}
              isDisabled={index === columns.length - 1}
              aria-label={`Move ${title} to the right`}
            >
              ↓
            </Button>
            <Button
              kind="quiet"
              onPress={() => onChange(columns.toSpliced(index, 1), Math.min(pinned, columns.length - 1))}
              isDisabled={columns.length === 1}
              aria-label={`Remove ${title}`}
            >
              ✕
            </Button>
          </li>
        );
      })}
    </ol>
  );
}
