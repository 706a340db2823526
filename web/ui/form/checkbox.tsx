import type { ReactNode } from 'react';
import { CheckboxButton, CheckboxField, FieldError } from 'react-aria-components';
import styles from './field.module.css';

export interface CheckboxProps {
  readonly children: ReactNode;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
  /** What is wrong with it as it is, or with it beside the other fields; undefined: nothing. */
  readonly fault?: string | undefined;
}

export function Checkbox({ children, fault, ...props }: CheckboxProps): ReactNode {
  return (
    <CheckboxField {...props} isInvalid={fault !== undefined}>
      <CheckboxButton className={styles['checkbox'] ?? ''}>
        <span className={styles['box']} aria-hidden="true" />
        {children}
      </CheckboxButton>
      <FieldError className={styles['fault'] ?? ''}>{fault}</FieldError>
    </CheckboxField>
  );
}
