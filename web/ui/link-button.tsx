import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';

interface AnchorProps extends ComponentProps<'a'> {
  /** Quiet: without a border, as in the rows of a table. */
  readonly kind?: 'normal' | 'quiet';
}

function Anchor({ kind = 'normal', className, children, ...props }: AnchorProps): ReactNode {
  return (
    <a {...props} className={`${styles['button'] ?? ''} ${styles['link'] ?? ''} ${styles[kind] ?? ''} ${className ?? ''}`}>
      {children}
    </a>
  );
}

/** A link that looks like a button: it leads to where something is made. */
export const LinkButton = createLink(Anchor);
