import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import styles from './secret.module.css';

/** A text that is shown once, to be copied. */
export function Secret({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <div className={styles['secret']}>
      <span className="muted">{label}</span>
      <code>{text}</code>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  );
}
