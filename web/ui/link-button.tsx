import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';

function Anchor({ className, children, ...props }: ComponentProps<'a'>): ReactNode {
  return (
    <a {...props} className={`${styles['button'] ?? ''} ${styles['link'] ?? ''} ${className ?? ''}`}>
      {children}
    </a>
  );
}

/** A link that looks like a button: it leads to where something is made. */
export const LinkButton = createLink(Anchor);
