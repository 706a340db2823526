import type { ReactNode } from 'react';
import { CheckboxButton, CheckboxField } from 'react-aria-components';
import styles from './field.module.css';

export interface CheckboxProps {
  readonly children: ReactNode;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
}

export function Checkbox({ children, ...props }: CheckboxProps): ReactNode {
  return (
    <CheckboxField {...props}>
      <CheckboxButton className={styles['checkbox'] ?? ''}>
        <span className={styles['box']} aria-hidden="true" />
        {children}
      </CheckboxButton>
    </CheckboxField>
  );
}
