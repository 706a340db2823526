import type { ReactNode } from 'react';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { allPages, paletteKeys } from './pages.ts';
import styles from './palette.module.css';

const shortcuts: readonly (readonly [keys: string, what: string])[] = [
  ['/', 'Go to the search'],
  [paletteKeys, 'Find a page, an action, or a session, request, user, prompt or alert'],
  ['?', 'Show this'],
  ['j, k', 'Next and previous row of a list'],
  ['enter', 'Open the row, or go into the details of what is chosen'],
  ['←, →', 'Fold and open the steps of a path'],
  ['x', 'Select or unselect a request'],
  ['esc', 'Close the details'],
];

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Shortcuts" isOpen onClose={onClose}>
      <dl className={styles['keys']}>
        {[...shortcuts, ...allPages.map(({ title, letter }) => [`g ${letter}`, title] as const)].map(([keys, what]) => (
          <div key={keys} style={{ display: 'contents' }}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
