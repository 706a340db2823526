import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 700px)');
const narrowShell = matchMedia('(max-width: 800px)');

/** Whether the window is that of a phone. */
export function useNarrow(): boolean {
  return useMatches(narrow);
}

/** Whether the window has no room for a side bar, as the style of the shell has it. */
export function useNarrowShell(): boolean {
  return useMatches(narrowShell);
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
