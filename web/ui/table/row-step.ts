import type { KeyboardEvent } from 'react';

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 20, PageUp: -20 };

/** By how many rows a key goes on in a list; undefined: it is another key. */
export function rowStep({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): number | undefined {
  return ctrlKey || metaKey || altKey ? undefined : steps[key];
}
