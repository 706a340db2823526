import { type ReactNode, useId, useState } from 'react';
import { searchFieldNames } from '../../../src/query/language/fields.ts';
import { conditionsIn, type FilterNode } from '../../../src/query/filter/ast.ts';
import { printSearch } from '../../../src/query/language/print.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../button.tsx';
import { TextField } from '../form/text-field.tsx';
import { Notice } from '../notice.tsx';
import { Select } from '../select.tsx';
import {
  conditionOf,
  emptyGroup,
  emptyRow,
  familyOf,
  filterOf,
  type GroupNode,
  groupOf,
  operatorsOf,
  type RowNode,
  type TreeNode,
} from './tree.ts';
import styles from './filter-builder.module.css';

const joiners = [
  { value: 'and', label: 'all of these' },
  { value: 'or', label: 'any of these' },
] as const;

const booleans = [
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
] as const;

const maxSent = 50;

export interface FilterBuilderProps {
  readonly filter: FilterNode;
  /** The search that says the filter. Rows that are not complete are not in it yet. */
  readonly onChange: (search: string) => void;
}

/** Rows that a browser lays out without a wait. */
const maxRows = 200;

/** A filter as rows and groups. It follows when the filter changes elsewhere. */
export function FilterBuilder(props: FilterBuilderProps): ReactNode {
  const rows = conditionsIn(props.filter).length;
  if (rows <= maxRows) return <Rows {...props} />;
  return (
    <Notice>
      The builder shows up to {formatCount(maxRows)} conditions, and this search has {formatCount(rows)}. Change it in the search above.
    </Notice>
  );
}

function Rows({ filter, onChange }: FilterBuilderProps): ReactNode {
  const outside = printSearch(filter);
  const [group, setGroup] = useState(() => groupOf(filter));
  const [seen, setSeen] = useState(outside);
  /** Searches that this builder has sent, which come back one after the other while somebody types. */
  const [sent, setSent] = useState<readonly string[]>([]);
  if (outside !== seen) {
    setSeen(outside);
    if (!sent.includes(outside)) {
      setGroup(groupOf(filter));
      setSent([]);
    }
  }
  const fieldNames = useId();
  const change = (changed: GroupNode): void => {
    setGroup(changed);
    const search = printSearch(filterOf(changed));
    if (search === printSearch(filterOf(group))) return;
    setSent([...sent.slice(-maxSent), search]);
    onChange(search);
  };
  return (
    <div className={styles['builder']}>
      <datalist id={fieldNames}>
        {[...searchFieldNames.filter((name) => !name.endsWith('.')), 'text'].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
      <Group group={group} fieldNames={fieldNames} onChange={change} />
    </div>
  );
}

interface GroupProps {
  readonly group: GroupNode;
  /** Of a list of the names of fields. */
  readonly fieldNames: string;
  readonly onChange: (group: GroupNode) => void;
  readonly onRemove?: () => void;
}

function Group({ group, fieldNames, onChange, onRemove }: GroupProps): ReactNode {
  const { joiner, items } = group;
  const replace = (index: number, item: TreeNode): void => onChange({ ...group, items: items.with(index, item) });
  const remove = (index: number): void => onChange({ ...group, items: items.toSpliced(index, 1) });
  return (
    <fieldset className={styles['group']}>
      <legend className="visually-hidden">Group of conditions</legend>
      <div className={styles['bar']}>
        <div className={styles['joiner']}>
          <Select
            label="How they are joined"
            value={joiner}
            options={joiners}
            onChange={(value) => onChange({ ...group, joiner: value })}
          />
        </div>
        <Button kind="quiet" onPress={() => onChange({ ...group, items: [...items, emptyRow()] })}>
          + condition
        </Button>
        <Button kind="quiet" onPress={() => onChange({ ...group, items: [...items, emptyGroup(joiner === 'and' ? 'or' : 'and')] })}>
          + group
        </Button>
        {onRemove !== undefined && (
          <div className={styles['remove']}>
            <Button kind="quiet" onPress={onRemove} aria-label="Remove the group">
              ✕
            </Button>
          </div>
        )}
      </div>
      {items.map((item, index) =>
        item.kind === 'group' ? (
          <Group
            key={item.id}
            group={item}
            fieldNames={fieldNames}
            onChange={(changed) => replace(index, changed)}
            onRemove={() => remove(index)}
          />
        ) : (
          <Row
            key={item.id}
            row={item}
            fieldNames={fieldNames}
            onChange={(changed) => replace(index, changed)}
            onRemove={() => remove(index)}
          />
        ),
      )}
    </fieldset>
  );
}

interface RowProps {
  readonly row: RowNode;
  readonly fieldNames: string;
  readonly onChange: (row: RowNode) => void;
  readonly onRemove: () => void;
}

function Row({ row, fieldNames, onChange, onRemove }: RowProps): ReactNode {
  const operators = operatorsOf(row.field);
  const operatorOptions = Object.entries(operators).map(([value, label]) => ({ value, label }));
  const setField = (field: string): void => {
    const [first = 'equals'] = Object.keys(operatorsOf(field));
    onChange({ ...row, field, operator: Object.hasOwn(operatorsOf(field), row.operator) ? row.operator : first });
  };
  const isWrong = row.value !== '' && conditionOf(row) === undefined;
  return (
    <div className={styles['row']}>
      <TextField label="Field or property" isLabelShown={false} value={row.field} onChange={setField} list={fieldNames} isCode />
      <div className={styles['operator']}>
        <Select label="Operator" value={row.operator} options={operatorOptions} onChange={(operator) => onChange({ ...row, operator })} />
      </div>
      <div className={styles['value']}>
        {familyOf(row.field) === 'boolean' ? (
          <Select
            label="Value"
            value={row.value === 'false' ? 'false' : 'true'}
            options={booleans}
            onChange={(value) => onChange({ ...row, value })}
          />
        ) : (
          <TextField
            label="Value"
            isLabelShown={false}
            value={row.value}
            onChange={(value) => onChange({ ...row, value })}
            fault={isWrong ? wrongText(row) : undefined}
          />
        )}
      </div>
      <Button kind="quiet" onPress={onRemove} aria-label="Remove the condition">
        ✕
      </Button>
    </div>
  );
}

function wrongText({ field }: RowNode): string {
  const kinds = {
    number: 'a number',
    timestamp: 'a time such as 2026-01-31T12:00Z',
    boolean: 'true or false',
    text: 'another value',
  } as const;
  return `${field} takes ${kinds[familyOf(field)]}.`;
}
