import type { IconName } from '../ui/icon.tsx';

type Path = '/' | '/requests' | '/sessions' | '/explore' | '/properties' | '/users' | '/alerts' | '/webhooks' | '/keys' | '/provider-keys';
type ManagedPath = '/boards' | '/prices' | '/limits' | '/people' | '/audit' | '/data' | '/health' | '/settings';

export interface PageLink {
  readonly title: string;
  readonly to: Path | ManagedPath;
  readonly letter: string;
  readonly icon: IconName;
  /** It shows a range of time that its address names. */
  readonly hasRange?: boolean;
}

interface PageGroup {
  readonly title: string;
  readonly pages: readonly PageLink[];
}

/** The pages by what one comes for, with the letter that opens each after `g`. */
export const pageGroups: readonly PageGroup[] = [
  {
    title: 'Observe',
    pages: [
      { title: 'Overview', to: '/', letter: 'o', icon: 'overview', hasRange: true },
      { title: 'Requests', to: '/requests', letter: 'r', icon: 'requests', hasRange: true },
      { title: 'Sessions', to: '/sessions', letter: 's', icon: 'sessions', hasRange: true },
      { title: 'Explore', to: '/explore', letter: 'e', icon: 'explore', hasRange: true },
      { title: 'Boards', to: '/boards', letter: 'b', icon: 'boards' },
      { title: 'Users', to: '/users', letter: 'u', icon: 'users', hasRange: true },
      { title: 'Properties', to: '/properties', letter: 'p', icon: 'properties', hasRange: true },
    ],
  },
  {
    title: 'Act',
    pages: [
      { title: 'Alerts', to: '/alerts', letter: 'a', icon: 'alerts' },
      { title: 'Webhooks', to: '/webhooks', letter: 'w', icon: 'webhooks' },
      { title: 'Limits', to: '/limits', letter: 'l', icon: 'limits' },
    ],
  },
  {
    title: 'Manage',
    pages: [
      { title: 'People', to: '/people', letter: 'm', icon: 'people' },
      { title: 'Keys', to: '/keys', letter: 'k', icon: 'keys' },
      { title: 'Provider keys', to: '/provider-keys', letter: 'y', icon: 'providerKeys' },
      { title: 'Prices', to: '/prices', letter: 'c', icon: 'prices' },
      { title: 'Audit log', to: '/audit', letter: 'i', icon: 'audit' },
      { title: 'Data', to: '/data', letter: 'd', icon: 'data' },
      { title: 'Health', to: '/health', letter: 'h', icon: 'health' },
      { title: 'Settings', to: '/settings', letter: 't', icon: 'settings' },
    ],
  },
];

export const allPages: readonly PageLink[] = pageGroups.flatMap(({ pages }) => pages);

/** Whether keys are named as on a Mac. */
const isMac = /^(?:Mac|iP)/.test(navigator.platform);

export const paletteKeys = isMac ? '⌘ K' : 'Ctrl K';
