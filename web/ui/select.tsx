import type { ReactNode } from 'react';
import { Button, Label, ListBox, ListBoxItem, Popover, Select as AriaSelect, SelectValue } from 'react-aria-components';
import styles from './select.module.css';

export interface SelectProps<Value extends string> {
  readonly label: string;
  /** Undefined: nobody has chosen yet. */
  readonly value: Value | undefined;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
  readonly isLabelShown?: boolean;
}

/** One of few values. */
export function Select<Value extends string>({ label, value, options, onChange, isLabelShown = false }: SelectProps<Value>): ReactNode {
  const change = (key: unknown): void => {
    const chosen = options.find((option) => option.value === key);
    if (chosen !== undefined) onChange(chosen.value);
  };
  return (
    <AriaSelect className={styles['select'] ?? ''} value={value ?? null} placeholder="Choose …" onChange={change}>
      <Label className={isLabelShown ? (styles['label'] ?? '') : 'visually-hidden'}>{label}</Label>
      <Button className={styles['button'] ?? ''}>
        <SelectValue className="clip" />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className={styles['popover'] ?? ''}>
        <ListBox items={options}>
          {(option) => (
            <ListBoxItem id={option.value} textValue={option.label} className={styles['item'] ?? ''}>
              {option.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
