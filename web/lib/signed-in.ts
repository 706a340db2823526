import { type QueryClient, queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { SignedIn } from '../../src/client/client.ts';
import { gatelog } from './client.ts';

const key = 'gatelog.signed-in';
/** How long a page trusts what was known before it opened; an answer 401 ends it at once. */
const trustMs = 10 * 60_000;

/** Who is signed in; null: nobody. Without the key, which no script can read. */
export const signedInQuery = queryOptions({
  queryKey: ['signed-in'],
  staleTime: Infinity,
  queryFn: async ({ signal }): Promise<SignedIn | null> => readSignedIn(signal),
});

async function readSignedIn(signal: AbortSignal): Promise<SignedIn | null> {
  const { data } = await gatelog.browserSession.get({ signal });
  remember(data);
  return data;
}

const firingRefetchMs = 30_000;

/**
 * How many alert rules fire. The answer about who is signed in says it, so that a page asks for nothing more when it opens; while the
 * page is open it asks again.
 */
export function useFiring(): number {
  const { firing_alerts: known } = useSignedIn();
  const { data } = useQuery({
    queryKey: ['alerts', 'firing'],
    initialData: known,
    staleTime: Infinity,
    refetchInterval: firingRefetchMs,
    queryFn: async ({ signal }) => (await readSignedIn(signal))?.firing_alerts ?? 0,
  });
  return data;
}

/** Of a page that only opens for who is signed in. */
export function useSignedIn(): SignedIn {
  const { data } = useSuspenseQuery(signedInQuery);
  if (data === null) throw new Error('Nobody is signed in.');
  return data;
}

/** The person, or the key, that is signed in. */
export function callerName({ person, key_name: keyName }: SignedIn): string {
  return keyName ?? person?.name ?? person?.mail ?? 'A person without a name';
}

/** Whether a person has signed in with an account of the issuer, who has keys of their own. */
export function isPersonsOwn({ person, key_id: keyId }: SignedIn): boolean {
  return person !== null && keyId === null;
}

/** Whether the key of this page may write, or change what only `admin` may. */
export function useMay(permission: 'write' | 'admin'): boolean {
  const { key_permissions: permissions } = useSignedIn();
  return permissions === 'admin' || (permission === 'write' && permissions === 'rw');
}

/** After somebody has signed in or out: nothing of the one before stays. */
export function setSignedIn(queryClient: QueryClient, signedIn: SignedIn | null): void {
  queryClient.clear();
  remember(signedIn);
  queryClient.setQueryData(signedInQuery.queryKey, signedIn);
}

/** Another tab of this browser may choose another organisation, and what this one shows is of the first. */
export function reloadWithAnother(queryClient: QueryClient): void {
  window.addEventListener('storage', (event) => {
    const shown = queryClient.getQueryData(signedInQuery.queryKey);
    const chosen = event.key === key ? remembered() : undefined;
    const isOther = shown !== null && shown !== undefined && chosen !== undefined && chosen.organization_id !== shown.organization_id;
    if (isOther) location.reload();
  });
}

/** Takes over what a page of this browser knew shortly before, so that the next one need not ask again. */
export function restoreSignedIn(queryClient: QueryClient): void {
  const known = remembered();
  if (known !== undefined) queryClient.setQueryData(signedInQuery.queryKey, known);
}

/** Whether somebody is, or was until the session ended. Who signs out is forgotten. */
export function isRemembered(): boolean {
  return localStorage.getItem(key) !== null;
}

interface Remembered {
  readonly at: number;
  readonly signedIn: SignedIn;
}

function remember(signedIn: SignedIn | null): void {
  if (signedIn === null) localStorage.removeItem(key);
  else localStorage.setItem(key, JSON.stringify({ at: Date.now(), signedIn } satisfies Remembered));
}

function remembered(): SignedIn | undefined {
  try {
    const { at, signedIn } = JSON.parse(localStorage.getItem(key) ?? '') as Remembered;
    const ageMs = Date.now() - at;
    return ageMs >= 0 && ageMs < trustMs ? signedIn : undefined;
  } catch {
    return undefined;
  }
}
