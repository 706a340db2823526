import { useSyncExternalStore } from 'react';

/** The width below which parts stand one over the other; the styles of the page have the same. */
const narrow = queryOf('(max-width: 1000px)');
/** The width below which a row has two lines. */
const phone = queryOf('(max-width: 600px)');

export function useNarrow(): boolean {
  return useSyncExternalStore(narrow.subscribe, narrow.matches);
}

export function usePhone(): boolean {
  return useSyncExternalStore(phone.subscribe, phone.matches);
}

function queryOf(text: string) {
  return {
    matches: (): boolean => matchMedia(text).matches,
    subscribe: (onChange: () => void): (() => void) => {
      const query = matchMedia(text);
      query.addEventListener('change', onChange);
      return () => query.removeEventListener('change', onChange);
    },
  };
}
