import type { ReactNode } from 'react';

export interface HighlightedProps {
  readonly text: string;
  /** Marked wherever they stand, in any case. */
  readonly words: readonly string[];
}

export function Highlighted({ text, words }: HighlightedProps): ReactNode {
  const wanted = words.filter((word) => word !== '');
  if (wanted.length === 0) return text;
  const pattern = new RegExp(`(${wanted.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|')})`, 'gi');
  // Split by a group, the odd parts are the words.
  return text.split(pattern).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}
