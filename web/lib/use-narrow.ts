import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 700px)');
const narrowShell = matchMedia('(max-width: 800px)');
const narrowTrace = matchMedia('(max-width: 1000px)');
const narrowRow = matchMedia('(max-width: 600px)');

/** Whether the window is that of a phone. */
export function useNarrow(): boolean {
  return useMatches(narrow);
}

/** Whether the window has no room for a side bar, as the style of the shell has it. */
export function useNarrowShell(): boolean {
  return useMatches(narrowShell);
}

/** Whether the steps of a session and the chosen one stand one over the other, as the styles of the page have it. */
export function useNarrowTrace(): boolean {
  return useMatches(narrowTrace);
}

/** Whether a row of a step has two lines. */
export function useNarrowRow(): boolean {
  return useMatches(narrowRow);
}

function useMatches(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (onChange) => {
      query.addEventListener('change', onChange);
      return () => query.removeEventListener('change', onChange);
    },
    () => query.matches,
  );
}
