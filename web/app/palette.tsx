import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField, useFilter } from 'react-aria-components';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { allPages } from './pages.ts';
import styles from './palette.module.css';

interface Command {
  readonly id: string;
  readonly title: string;
  readonly keys: string;
  readonly run: () => void;
}

export interface PaletteProps {
  readonly onHelp: () => void;
  readonly onSignOut: () => void;
  readonly onClose: () => void;
}

/** All that can be opened or done from anywhere, found by its name. */
export function Palette({ onHelp, onSignOut, onClose }: PaletteProps): ReactNode {
  const navigate = useNavigate();
  const { contains } = useFilter({ sensitivity: 'base' });
  const commands: readonly Command[] = [
    ...allPages.map(({ title, to, letter }) => ({ id: to, title: `Open ${title}`, keys: `g ${letter}`, run: () => void navigate({ to }) })),
    { id: 'alert', title: 'New alert rule', keys: '', run: () => void navigate({ to: '/alerts/new' }) },
    { id: 'webhook', title: 'New webhook', keys: '', run: () => void navigate({ to: '/webhooks/new' }) },
    { id: 'start', title: 'Send the first call', keys: '', run: () => void navigate({ to: '/start' }) },
    { id: 'docs', title: 'Read the documentation', keys: '', run: () => location.assign('/docs') },
    { id: 'help', title: 'Show the shortcuts', keys: '?', run: onHelp },
    { id: 'sign-out', title: 'Sign out', keys: '', run: onSignOut },
  ];
  const run = (id: unknown): void => {
    onClose();
    commands.find((command) => command.id === id)?.run();
  };
  return (
    <Dialog title="Go to" isOpen onClose={onClose}>
      <Autocomplete filter={contains}>
        <SearchField aria-label="Search commands" autoFocus className={styles['search'] ?? ''}>
          <Input placeholder="Page or action" />
        </SearchField>
        <ListBox aria-label="Commands" items={commands} onAction={run} className={styles['list'] ?? ''}>
          {({ id, title, keys }) => (
            <ListBoxItem id={id} textValue={title} className={styles['item'] ?? ''}>
              {title}
              {keys !== '' && <kbd>{keys}</kbd>}
            </ListBoxItem>
          )}
        </ListBox>
      </Autocomplete>
    </Dialog>
  );
}
