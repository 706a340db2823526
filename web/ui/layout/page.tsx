import type { ReactNode } from 'react';
import styles from './page.module.css';

export interface PageProps {
  readonly title: string;
  /** Beside the title: how many there are, since when. Read out when it changes. */
  readonly about?: ReactNode;
  /** Buttons at the end of the head. */
  readonly actions?: ReactNode;
  /** Fields below the head: search, time, order. */
  readonly bar?: ReactNode;
  readonly children: ReactNode;
}

/** A page that scrolls as a whole. */
export function Page({ title, about, actions, bar, children }: PageProps): ReactNode {
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        <h1>{title}</h1>
        <p className="muted" aria-live="polite">
          {about}
        </p>
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </header>
      {bar !== undefined && <div className={styles['bar']}>{bar}</div>}
      {children}
    </div>
  );
}

export interface SectionProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page on a surface of its own. */
export function Section({ title, about, actions, children }: SectionProps): ReactNode {
  return (
    <section className={styles['section']} aria-label={title}>
      <header className={styles['head']}>
        <h2>{title}</h2>
        {about !== undefined && <p className="muted">{about}</p>}
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}
