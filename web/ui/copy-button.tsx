import { type ReactNode, useEffect, useState } from 'react';
import { copyText } from '../lib/clipboard.ts';
import { Button } from './button.tsx';

export interface CopyButtonProps {
  /** Or what makes it when it is copied. */
  readonly text: string | (() => string);
  /** What is copied: "Copy the key". */
  readonly label: string;
  readonly children?: ReactNode;
}

/** Puts a text into the clipboard and says for a moment what came of it. */
export function CopyButton({ text, label, children = 'Copy' }: CopyButtonProps): ReactNode {
  const [outcome, setOutcome] = useState<string>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), 3000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    setOutcome((await copyText(typeof text === 'string' ? text : text())) ? 'Copied' : 'Not copied: the browser copies on HTTPS only');
  };
  return (
    <Button onPress={() => void copy()} aria-label={outcome ?? label}>
      {outcome ?? children}
    </Button>
  );
}
