import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/tokens.css';
import '../ui/base.css';
import { fixLocale } from '../lib/locale.ts';
import { applyTheme } from '../lib/theme.ts';
import { reloadWithAnother, restoreSignedIn, setSignedIn } from '../lib/signed-in.ts';
import { queryClient, whenExpired } from './query-client.ts';
import { router } from './router.tsx';

fixLocale();
applyTheme();
restoreSignedIn(queryClient);
reloadWithAnother(queryClient);
whenExpired(() => void leave());

/** A page asks for several things at once, and each of them is refused. */
let isLeaving = false;

async function leave(): Promise<void> {
  if (isLeaving) return;
  isLeaving = true;
  const { href, pathname } = router.state.location;
  // The page that is left reads who is signed in until it is gone.
  if (pathname !== '/sign-in') await router.navigate({ to: '/sign-in', search: { next: href, expired: true } });
  setSignedIn(queryClient, null);
  isLeaving = false;
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
