import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Autocomplete, Header, Input, ListBox, ListBoxItem, ListBoxSection, SearchField, useFilter } from 'react-aria-components';
import { basePath } from '../lib/base-path.ts';
import { scoreMetricsQuery } from '../lib/metrics/score-metrics.ts';
import { promptVersions } from '../lib/prompt-versions.ts';
import { searchFor } from '../lib/search-text.ts';
import { useSettled } from '../lib/use-settled.ts';
import { ErrorNotice } from '../ui/notice.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { type Found, type FoundKind, foundQuery, isSearched } from './palette-search.ts';
import { allPages } from './pages.ts';
import type { PageSearch } from './use-page-search.ts';
import styles from './palette.module.css';

interface Command {
  readonly id: string;
  readonly title: string;
  /** At the end of its line: keys, or what tells it from others. */
  readonly keys?: string;
  readonly about?: string;
  readonly run: () => void;
}

interface Group {
  readonly title: string;
  readonly commands: readonly Command[];
}

export interface PaletteProps {
  readonly pageSearch: PageSearch;
  readonly onHelp: () => void;
  readonly onSignOut: () => void;
  readonly onClose: () => void;
}

/** How long a reader has to stop typing for a text to be looked for in the records. */
const pauseMs = 250;

/** All that can be opened or done from anywhere, found by its name. */
export function Palette({ pageSearch, onHelp, onSignOut, onClose }: PaletteProps): ReactNode {
  const [text, setText] = useState('');
  const { contains } = useFilter({ sensitivity: 'base' });
  const commands = useCommands({ pageSearch, onHelp, onSignOut });
  const found = useFound(text.trim());
  const matching = commands.filter(({ title }) => contains(title, text.trim()));
  const groups: readonly Group[] = [{ title: 'Pages and actions', commands: matching }, ...found.groups].filter(
    (group) => group.commands.length > 0,
  );
  const run = (id: unknown): void => {
    onClose();
    groups
      .flatMap((group) => group.commands)
      .find((command) => command.id === id)
      ?.run();
  };
  return (
    <Dialog title="Go to" isOpen onClose={onClose}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField aria-label="Search pages, actions and records" autoFocus className={styles['search'] ?? ''}>
          <Input placeholder="Page, action, session, request, user, prompt or alert" />
        </SearchField>
        <div className={styles['list']} role="region" aria-label="Found" tabIndex={0}>
          <ListBox aria-label="Results" onAction={run} className={styles['results'] ?? ''}>
            {groups.map((group) => (
              <ListBoxSection key={group.title} id={group.title} className={styles['section'] ?? ''}>
                <Header className={styles['title'] ?? ''}>{group.title}</Header>
                {group.commands.map((command) => (
                  <Item key={command.id} command={command} />
                ))}
              </ListBoxSection>
            ))}
          </ListBox>
        </div>
      </Autocomplete>
      <ErrorNotice error={found.error} />
      <p role="status" className="muted">
        {found.isSearching ? 'Searching …' : groups.length === 0 ? `Nothing matches “${text.trim()}”.` : ''}
      </p>
    </Dialog>
  );
}

function Item({ command: { id, title, keys, about } }: { readonly command: Command }): ReactNode {
  return (
    <ListBoxItem id={id} textValue={title} className={styles['item'] ?? ''}>
      <span className="clip" dir="auto">
        {title}
      </span>
      {keys !== undefined && <kbd>{keys}</kbd>}
      {about !== undefined && (
        <span className="clip muted" dir="auto">
          {about}
        </span>
      )}
    </ListBoxItem>
  );
}

function useCommands({ pageSearch, onHelp, onSignOut }: Pick<PaletteProps, 'pageSearch' | 'onHelp' | 'onSignOut'>): readonly Command[] {
  const navigate = useNavigate();
  const comparePrompts = useComparePrompts();
  return [
    ...allPages.map((page) => ({
      id: page.to,
      title: `Open ${page.title}`,
      keys: `g ${page.letter}`,
      run: () => void navigate({ to: page.to, search: pageSearch(page) }),
    })),
    { id: 'alert', title: 'New alert rule', run: () => void navigate({ to: '/alerts/new' }) },
    { id: 'budget', title: 'New budget', run: () => void navigate({ to: '/limits', search: { add: true } }) },
    {
      id: 'prompts',
      title: 'Compare versions of a prompt',
      run: () => comparePrompts(),
    },
    { id: 'webhook', title: 'New webhook', run: () => void navigate({ to: '/webhooks/new' }) },
    { id: 'start', title: 'Send the first call', run: () => void navigate({ to: '/start' }) },
    { id: 'docs', title: 'Read the documentation', run: () => location.assign(`${basePath}/docs/guides`) },
    { id: 'help', title: 'Show the shortcuts', keys: '?', run: onHelp },
    { id: 'sign-out', title: 'Sign out', run: onSignOut },
  ];
}

/** Shows the versions of a prompt beside one another; undefined: those of all. */
function useComparePrompts(): (prompt?: string) => void {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const compare = async (prompt?: string): Promise<void> => {
    // Explore tells of a failure itself, and shows the other figures.
    const scores = await queries.query(scoreMetricsQuery).catch(() => []);
    await navigate({ to: '/explore', search: promptVersions(scores, prompt) });
  };
  return (prompt) => void compare(prompt);
}

const kinds: readonly (readonly [FoundKind, string])[] = [
  ['request', 'Requests'],
  ['session', 'Sessions'],
  ['user', 'Users'],
  ['prompt', 'Prompts'],
  ['alert', 'Alerts'],
];

interface FoundGroups {
  readonly groups: readonly Group[];
  readonly isSearching: boolean;
  readonly error: unknown;
}

function useFound(text: string): FoundGroups {
  const paused = useSettled(text, pauseMs);
  const { data = [], error, isFetching } = useQuery(foundQuery(paused));
  const open = useOpen();
  const comparePrompts = useComparePrompts();
  if (!isSearched(text)) return { groups: [], isSearching: false, error: null };
  const groups = kinds.map(([kind, title]) => ({
    title,
    commands: data
      .filter((found) => found.kind === kind)
      .flatMap((found): Command[] => [
        { id: `${kind} ${found.id}`, title: found.title, about: found.about, run: () => open(found) },
        ...(kind === 'prompt'
          ? [{ id: `versions ${found.id}`, title: `Compare the versions of ${found.title}`, run: () => comparePrompts(found.id) }]
          : []),
      ]),
  }));
  return { groups, isSearching: isFetching || paused !== text, error };
}

function useOpen(): (found: Found) => void {
  const navigate = useNavigate();
  return ({ kind, id }) => {
    if (kind === 'session') void navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
    else if (kind === 'user') void navigate({ to: '/users/$userId', params: { userId: id } });
    else if (kind === 'alert') void navigate({ to: '/alerts/$alertId', params: { alertId: id } });
    else if (kind === 'prompt') void navigate({ to: '/requests', search: { q: searchFor('prompt', id), range: 'all' } });
    else void navigate({ to: '/requests', search: { request: id, range: 'all' } });
  };
}
