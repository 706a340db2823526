import type { ReactNode } from 'react';
import styles from './inline-button.module.css';

export interface InlineButtonProps {
  readonly onPress: () => void;
  readonly children: ReactNode;
}

/** A button that stands in its sentence as a link does. */
export function InlineButton({ onPress, children }: InlineButtonProps): ReactNode {
  return (
    <button type="button" className={styles['button']} onClick={onPress}>
      {children}
    </button>
  );
}
