import { useQueryClient } from '@tanstack/react-query';
import { CatchBoundary, Link, Outlet, useNavigate } from '@tanstack/react-router';
import { type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { FiringMark } from '../features/alerts/firing-mark.tsx';
import { keepRequest } from '../features/requests/kept-request.ts';
import { gatelog } from '../lib/client.ts';
import { lazyPart } from '../lib/lazy-part.tsx';
import { setSignedIn } from '../lib/signed-in.ts';
import { useNarrowShell } from '../lib/use-narrow.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ErrorNotice } from '../ui/notice.tsx';
import { paletteKeys } from './pages.ts';
import styles from './shell.module.css';
import { Side } from './side.tsx';
import { usePageSearch } from './use-page-search.ts';
import { useShortcuts } from './use-shortcuts.ts';

// They are used by few, and bring lists with search.
const loadPalette = () => import('./palette.tsx');
const Palette = lazyPart(async () => (await loadPalette()).Palette);
const ShortcutsDialog = lazyPart(async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog);
const MenuDrawer = lazyPart(async () => (await import('./menu-drawer.tsx')).MenuDrawer);

/** Behind what the page itself loads. */
const paletteAfterMs = 1000;

/** What all pages have in common: the way to the others, who is signed in, and a skip link. */
export function Shell(): ReactNode {
  const [dialog, setDialog] = useState<'palette' | 'help' | 'menu'>();
  const onPalette = useCallback(() => setDialog('palette'), []);
  const onHelp = useCallback(() => setDialog('help'), []);
  const onClose = useCallback(() => setDialog(undefined), []);
  const signOut = useSignOut();
  const pageSearch = usePageSearch();
  useShortcuts({ pageSearch, onPalette, onHelp });
  usePaletteSoon();
  const isNarrow = useNarrowShell();
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#content">
        Skip to the content
      </a>
      <aside className={styles['side']}>
        {isNarrow && (
          <Button kind="quiet" onPress={() => setDialog('menu')} aria-label="Menu">
            <Icon name="menu" />
          </Button>
        )}
        <Link to="/" className={styles['name'] ?? ''}>
          Gatelog
        </Link>
        <FiringMark />
        {isNarrow ? (
          <Button kind="quiet" onPress={onPalette} aria-label="Go to">
            <Icon name="search" />
          </Button>
        ) : (
          <Button onPress={onPalette}>
            <Icon name="search" />
            Go to …<kbd aria-hidden="true">{paletteKeys}</kbd>
          </Button>
        )}
        {!isNarrow && <Side pageSearch={pageSearch} onSignOut={signOut} />}
      </aside>
      <main id="content" className={styles['content']} tabIndex={-1}>
        <Outlet />
      </main>
      <CatchBoundary getResetKey={() => dialog} errorComponent={({ error }) => <Missing error={error} onClose={onClose} />}>
        <Suspense>
          {dialog === 'palette' && <Palette pageSearch={pageSearch} onHelp={onHelp} onSignOut={signOut} onClose={onClose} />}
          {dialog === 'help' && <ShortcutsDialog onClose={onClose} />}
          {dialog === 'menu' && isNarrow && <MenuDrawer pageSearch={pageSearch} onSignOut={signOut} onClose={onClose} />}
        </Suspense>
      </CatchBoundary>
    </div>
  );
}

/** In place of a dialog whose code could not be had. */
function Missing({ error, onClose }: { readonly error: unknown; readonly onClose: () => void }): ReactNode {
  return (
    <div className={styles['missing']}>
      <ErrorNotice error={error} />
      <Button onPress={onClose}>Close</Button>
    </div>
  );
}

/** Who presses its keys goes on to type at once: what is typed before it is there would be lost. */
function usePaletteSoon(): void {
  useEffect(() => {
    // Where it cannot be had, the palette itself says so once it is opened.
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), paletteAfterMs);
    return () => clearTimeout(timer);
  }, []);
}

function useSignOut(): () => void {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const signOut = async (): Promise<void> => {
    const { data } = await gatelog.browserSession.signOut();
    keepRequest(undefined);
    setSignedIn(queryClient, null);
    const issuerAddress = data?.issuer_address ?? null;
    if (issuerAddress !== null) return location.assign(issuerAddress);
    await navigate({ to: '/sign-in' });
  };
  return () => void signOut();
}
