import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 700px)');

/** Whether the window is that of a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}

function subscribe(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
}
