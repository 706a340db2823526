import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type FailedPage, PageError } from '../ui/page-error.tsx';

const page: FailedPage = { what: 'Page', back: { to: '/', title: 'Overview' } };

/** In place of a page that could not be loaded, inside the shell. The next try loads it again. */
export function RouteError({ error }: { readonly error: unknown }): ReactNode {
  const router = useRouter();
  return <PageError error={error} page={page} reset={() => void router.invalidate()} />;
}

/** In place of everything: not even who is signed in is known. */
export function RootError({ error }: { readonly error: unknown }): ReactNode {
  return (
    <main>
      <RouteError error={error} />
    </main>
  );
}
