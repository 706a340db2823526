import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, type RefObject, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { FiringMark } from '../features/alerts/firing-mark.tsx';
import { gatelog } from '../lib/client.ts';
import { setSignedIn, useSignedIn } from '../lib/signed-in.ts';
import { applyTheme, storedTheme, themeLabels, themes } from '../lib/theme.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { pageGroups } from './pages.ts';
import styles from './shell.module.css';
import { useShortcuts } from './use-shortcuts.ts';

// They are used by few, and bring lists with search.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog }));

/** What all pages have in common: the way to the others, who is signed in, and a skip link. */
export function Shell(): ReactNode {
  const [dialog, setDialog] = useState<'palette' | 'help'>();
  const onPalette = useCallback(() => setDialog('palette'), []);
  const onHelp = useCallback(() => setDialog('help'), []);
  const signOut = useSignOut();
  useShortcuts({ onPalette, onHelp });
  const nav = useCurrentInView();
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#content">
        Skip to the content
      </a>
      <aside className={styles['side']}>
        <Link to="/" className={styles['name'] ?? ''}>
          Gatelog
        </Link>
        <FiringMark />
        <nav aria-label="Pages" ref={nav}>
          {pageGroups.map(({ title, pages }) => (
            <section key={title} aria-label={title}>
              <p className={styles['group']}>{title}</p>
              <ul className={styles['pages']}>
                {pages.map((page) => (
                  <li key={page.to}>
                    <Link
                      to={page.to}
                      className={styles['page'] ?? ''}
                      activeProps={{ 'aria-current': 'page' }}
                      activeOptions={{ exact: page.to === '/', includeSearch: false }}
                    >
                      {page.title}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
        <Account onSignOut={signOut} onPalette={onPalette} />
      </aside>
      <main id="content" className={styles['content']} tabIndex={-1}>
        <Outlet />
      </main>
      <Suspense>
        {dialog === 'palette' && <Palette onHelp={onHelp} onSignOut={signOut} onClose={() => setDialog(undefined)} />}
        {dialog === 'help' && <ShortcutsDialog onClose={() => setDialog(undefined)} />}
      </Suspense>
    </div>
  );
}

/** In a narrow window the pages stand in a row, which is wider than it. */
function useCurrentInView(): RefObject<HTMLElement | null> {
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => {
    const links = [...(nav.current?.querySelectorAll('a') ?? [])];
    const current = links.find(({ pathname }) => path === pathname || path.startsWith(`${pathname}/`));
    current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path]);
  return nav;
}

function useSignOut(): () => void {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const signOut = async (): Promise<void> => {
    await gatelog.browserSession.signOut();
    setSignedIn(queryClient, null);
    await navigate({ to: '/sign-in' });
  };
  return () => void signOut();
}

interface AccountProps {
  readonly onSignOut: () => void;
  readonly onPalette: () => void;
}

function Account({ onSignOut, onPalette }: AccountProps): ReactNode {
  const signedIn = useSignedIn();
  const [theme, setTheme] = useState(storedTheme);
  return (
    <footer className={styles['account']}>
      <p className="clip" title={signedIn.organization_name}>
        {signedIn.organization_name}
      </p>
      <p className="clip muted" title={signedIn.key_name}>
        {signedIn.key_name} · {signedIn.key_permissions}
      </p>
      <Select
        label="Theme"
        value={theme}
        options={themes.map((value) => ({ value, label: themeLabels[value] }))}
        onChange={(value) => {
          applyTheme(value);
          setTheme(value);
        }}
      />
      <Button kind="quiet" onPress={onPalette}>
        Go to … <kbd>ctrl k</kbd>
      </Button>
      <Button kind="quiet" onPress={onSignOut}>
        Sign out
      </Button>
    </footer>
  );
}
