type Path = '/' | '/requests' | '/sessions' | '/explore' | '/properties' | '/users' | '/alerts' | '/webhooks' | '/keys' | '/provider-keys';
type ManagedPath = '/boards' | '/prices' | '/limits' | '/data' | '/health' | '/settings';

interface PageLink {
  readonly title: string;
  readonly to: Path | ManagedPath;
  readonly letter: string;
}

interface PageGroup {
  readonly title: string;
  readonly pages: readonly PageLink[];
}

/** The pages by what they are about, with the letter that opens each after `g`. */
export const pageGroups: readonly PageGroup[] = [
  {
    title: 'Record',
    pages: [
      { title: 'Overview', to: '/', letter: 'o' },
      { title: 'Requests', to: '/requests', letter: 'r' },
      { title: 'Sessions', to: '/sessions', letter: 's' },
      { title: 'Explore', to: '/explore', letter: 'e' },
      { title: 'Boards', to: '/boards', letter: 'b' },
    ],
  },
  {
    title: 'Tags',
    pages: [
      { title: 'Properties', to: '/properties', letter: 'p' },
      { title: 'Users', to: '/users', letter: 'u' },
    ],
  },
  {
    title: 'Tell',
    pages: [
      { title: 'Alerts', to: '/alerts', letter: 'a' },
      { title: 'Webhooks', to: '/webhooks', letter: 'w' },
    ],
  },
  {
    title: 'Manage',
    pages: [
      { title: 'Keys', to: '/keys', letter: 'k' },
      { title: 'Provider keys', to: '/provider-keys', letter: 'y' },
      { title: 'Prices', to: '/prices', letter: 'c' },
      { title: 'Limits', to: '/limits', letter: 'l' },
      { title: 'Data', to: '/data', letter: 'd' },
      { title: 'Health', to: '/health', letter: 'h' },
      { title: 'Settings', to: '/settings', letter: 't' },
    ],
  },
];

export const allPages: readonly PageLink[] = pageGroups.flatMap(({ pages }) => pages);
