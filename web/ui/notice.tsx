import type { ReactNode } from 'react';
import { ApiError } from '../../src/client/client.ts';
import styles from './notice.module.css';

export interface NoticeProps {
  readonly kind?: 'info' | 'warning' | 'danger' | 'success';
  readonly children: ReactNode;
}

/** A sentence that a reader must not miss. */
export function Notice({ kind = 'info', children }: NoticeProps): ReactNode {
  return (
    <div className={`${styles['notice'] ?? ''} ${styles[kind] ?? ''}`} role={kind === 'danger' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** Why the service refused or failed; nothing where nothing failed. */
export function ErrorNotice({ error }: { readonly error: unknown }): ReactNode {
  if (error === null || error === undefined) return null;
  const remedy = error instanceof ApiError && error.status === 403 ? ' Sign in with an account or a key that may do this.' : '';
  return (
    <Notice kind="danger">
      {error instanceof Error ? error.message : 'This failed for a reason that is not known.'}
      {remedy}
    </Notice>
  );
}
