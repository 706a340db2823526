import type { ReactNode } from 'react';
import styles from './icon.module.css';

/** Lines on a field of 16 by 16. */
const shapes = {
  overview: 'M2 7.5 8 2.5l6 5M3.5 6.5v7h9v-7M6.5 13.5v-4h3v4',
  requests: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  sessions: 'M4 2.5v8a2 2 0 0 0 2 2h3M4 5.5h5M9 3.5h4.5v4H9zM9 10.5h4.5v4H9z',
  explore: 'M2.5 2.5v11h11M5.5 11V8.5M8.5 11V5M11.5 11V7',
  boards: 'M2.5 2.5h4.5v5H2.5zM9 2.5h4.5v3H9zM9 7.5h4.5v6H9zM2.5 9.5h4.5v4H2.5z',
  properties: 'M2.5 2.5H8l5.5 5.5L8 13.5 2.5 8zM5.2 5.2h.1',
  users: 'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM2.8 13.5a5.2 5.2 0 0 1 10.4 0',
  people:
    'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.5 13a4.5 4.5 0 0 1 9 0M10.5 3.2a2.3 2.3 0 0 1 0 4.2M12 9.3a4.5 4.5 0 0 1 2.5 3.7',
  audit: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2',
  alerts: 'M4 10.5V7a4 4 0 0 1 8 0v3.5l1.5 1.5h-11zM6.5 14h3',
  webhooks: 'M5.5 6.8a2.6 2.6 0 1 1 4.6-1.2l2 3.4M8 4.8l-2.3 5M5.6 9.4a2.6 2.6 0 1 0 .6 3.1H10M10 10.2a2.4 2.4 0 1 1 .4 3.6',
  limits: 'M2.5 12.5a5.9 5.9 0 1 1 11 0M8 11l2.8-4M8 11.1h.1',
  keys: 'M8.7 7.3a3.1 3.1 0 1 0-2.9 2.2 3.1 3.1 0 0 0 2.9-2.2zM8.4 8.2l5.1 5.1M11.6 11.4l1.4-1.4',
  providerKeys: 'M8 1.8l5 2v4c0 3-2 5.4-5 6.4-3-1-5-3.4-5-6.4v-4zM6 8l1.5 1.5L10.2 6.6',
  prices: 'M8 1.8v12.4M11 4.6C10.4 3.6 9.3 3.2 8 3.2c-1.8 0-3 .9-3 2.2 0 3.2 6.2 1.6 6.2 5 0 1.4-1.3 2.4-3.2 2.4-1.6 0-2.8-.6-3.4-1.8',
  data: 'M3 4c0-2 10-2 10 0v8c0 2-10 2-10 0zM3 4c0 2 10 2 10 0M3 8c0 2 10 2 10 0',
  health: 'M1.5 8.5h3l2-5.5 3 10 2-4.5h3',
  settings:
    'M2.5 4.5h5M11 4.5h2.5M2.5 11.5H5M8.5 11.5h5M9.2 6.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM6.8 13.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4z',
  docs: 'M4 1.8h5.5L12.5 5v9.2H4zM9.3 2v3.2h3M6.2 8h4M6.2 10.8h4',
  start: 'M2.5 3.5h11v9h-11zM5 6.5l2 1.5-2 1.5M8.5 10h2.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.4 3.4',
  back: 'M10 3L5 8l5 5',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  signOut: 'M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6',
} as const;

export type IconName = keyof typeof shapes;

/** A picture beside words that say the same; screen readers pass over it. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className={styles['icon']}>
      <path d={shapes[name]} />
    </svg>
  );
}
