import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Autocomplete, Dialog, DialogTrigger, Input, ListBox, ListBoxItem, Popover, SearchField, useFilter } from 'react-aria-components';
import { type Dimension, dimensionTitle, metricsMetaQuery } from '../lib/metrics/dimensions.ts';
import { propertyNamesQuery } from '../lib/property-names.ts';
import { Button } from './button.tsx';
import { Loading } from './loading.tsx';
import styles from './select.module.css';

export interface DimensionSelectProps {
  /** What the dimension is for: "Split by". */
  readonly label: string;
  readonly isLabelShown?: boolean;
  readonly value: Dimension | undefined;
  readonly onChange: (value: Dimension | undefined) => void;
  /** What stands where there is none; absent: there must be one. */
  readonly none?: string | undefined;
}

/** A dimension of metrics, properties of the organisation among them, which are asked for when it opens. */
export function DimensionSelect({ label, isLabelShown = true, value, onChange, none }: DimensionSelectProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const choose = (chosen: Dimension | undefined): void => {
    onChange(chosen);
    setIsOpen(false);
  };
  const shown = value === undefined ? (none ?? '') : dimensionTitle(value);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setIsOpen}>
      <Button>
        <span className={isLabelShown ? 'muted' : 'visually-hidden'}>{label}</span>
        <span className="clip">{shown}</span>
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className={styles['popover'] ?? ''}>
        <Dialog aria-label={label} className={styles['dialog'] ?? ''}>
          <Options {...{ label, none }} onChange={choose} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

function Options({ label, none, onChange }: Pick<DimensionSelectProps, 'label' | 'none' | 'onChange'>): ReactNode {
  const { data } = useQuery(metricsMetaQuery);
  const { contains } = useFilter({ sensitivity: 'base' });
  const { data: names } = useQuery(propertyNamesQuery);
  if (data === undefined || names === undefined) return <Loading />;
  // Beside them the answer has a pattern for properties, and one for inputs, whose names no endpoint lists.
  const common = data.dimensions.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  const options = [
    ...(none === undefined ? [] : [{ id: noneId, title: none, about: '' }]),
    ...common.filter((id) => first.has(id)).map(option),
    ...names.filter((name) => !ofGatelog.test(name)).map((name) => ({ id: `properties.${name}`, title: name, about: 'property' })),
    ...common.filter((id) => !first.has(id)).map(option),
  ];
  return (
    <Autocomplete filter={contains}>
      <SearchField aria-label={`Search: ${label}`} autoFocus className={styles['search'] ?? ''}>
        <Input placeholder="Search" />
      </SearchField>
      <ListBox
        aria-label={label}
        selectionMode="single"
        items={options}
        onAction={(key) => onChange(key === noneId ? undefined : String(key))}
        className={styles['list'] ?? ''}
      >
        {({ id, title, about }) => (
          <ListBoxItem id={id} textValue={title} className={styles['item'] ?? ''}>
            <span className="clip" dir="auto">
              {title}
            </span>
            {about !== '' && <span className="muted">{about}</span>}
          </ListBoxItem>
        )}
      </ListBox>
    </Autocomplete>
  );
}

function option(id: Dimension): { readonly id: string; readonly title: string; readonly about: string } {
  return { id, title: dimensionTitle(id), about: '' };
}

/** Names of what Gatelog has dimensions of its own for, such as the session. */
const ofGatelog = /^(?:svc|helicone)-/i;

/** What stands before the properties: the others are asked for less often than a team or a feature. */
const first: ReadonlySet<Dimension> = new Set(['model', 'user']);

/** No dimension is named so. */
const noneId = ' ';
