import { type ReactNode, useRef, useState } from 'react';
import { usePageKeys } from '../../../lib/page-keys.ts';
import styles from './trace-view.module.css';

interface FindFieldProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Finds steps while one writes; `/` goes to it, Escape clears it. */
export function FindField({ value, onChange }: FindFieldProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  // The address may change without this field: back, forward, a link.
  if (sent !== value) {
    setSent(value);
    setText(value);
  }
  const write = (written: string): void => {
    setText(written);
    setSent(written);
    onChange(written);
  };
  usePageKeys({ '/': () => input.current?.focus() });
  return (
    <input
      ref={input}
      type="search"
      className={styles['find']}
      aria-label="Find steps"
      aria-keyshortcuts="/"
      placeholder="Find in the first words of steps   /"
      value={text}
      onChange={(event) => write(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        if (text === '') input.current?.blur();
        else write('');
      }}
      spellCheck={false}
      autoComplete="off"
    />
  );
}
