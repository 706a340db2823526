import { useSyncExternalStore } from 'react';

/** The width below which parts stand one over the other; the styles of the page have the same. */
const narrow = '(max-width: 1000px)';

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(narrow).matches);
}

function subscribe(onChange: () => void): () => void {
  const query = matchMedia(narrow);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}
