import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../ui/layout/page.tsx';
import { LinkButton } from '../ui/link-button.tsx';
import styles from './shell.module.css';

export function NotFoundPage(): ReactNode {
  const path = useLocation({ select: ({ pathname }) => pathname });
  return (
    <Page title="Page not found">
      <p>
        There is no page at <code className={styles['address']}>{path}</code>. The link may be old, or the address misspelt.
      </p>
      <p>
        <LinkButton to="/">Overview</LinkButton>
      </p>
    </Page>
  );
}
