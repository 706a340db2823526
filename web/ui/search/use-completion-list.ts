import { type KeyboardEvent, type RefObject, useState } from 'react';
import { type Completion, completed, onlyValue, writingAt } from './completion.ts';
import { useCompletions } from './use-completions.ts';

export interface CompletionList {
  /** Empty: the list is closed. */
  readonly completions: readonly Completion[];
  /** Index of the entry that Enter or Tab takes; -1: none. */
  readonly active: number;
  /** @param caret Where somebody writes. */
  readonly open: (caret: number | null) => void;
  readonly close: () => void;
  readonly choose: (completion: Completion) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void;
}

export interface CompletionActions {
  readonly onText: (text: string) => void;
  /** Searches for a text with the only value that is offered in it. */
  readonly onAccept: (text: string) => void;
}

/** The list below a search: the arrows go through it, Enter or Tab takes an entry, Enter also the only value, Escape closes it. */
export function useCompletionList(
  input: RefObject<HTMLInputElement | null>,
  text: string,
  { onText, onAccept }: CompletionActions,
): CompletionList {
  const [caret, setCaret] = useState<number>();
  const [active, setActive] = useState(-1);
  const writing = caret === undefined ? undefined : writingAt(text, caret);
  const completions = useCompletions(writing);
  const open = (at: number | null): void => {
    setCaret(at ?? undefined);
    setActive(-1);
  };
  const choose = (completion: Completion): void => {
    if (writing === undefined) return;
    const next = completed(text, writing, completion);
    onText(next.text);
    open(completion.isOpen ? next.caret : null);
    requestAnimationFrame(() => input.current?.setSelectionRange(next.caret, next.caret));
  };
  const chosen = completions[active];
  /** @returns whether there was one value alone. */
  const acceptOnly = (): boolean => {
    const only = writing === undefined ? undefined : onlyValue(writing, completions);
    if (writing === undefined || only === undefined) return false;
    onAccept(completed(text, writing, only).text.trim());
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (caret === undefined) open(event.currentTarget.selectionStart);
      else setActive(Math.min(completions.length - 1, Math.max(-1, active + (key === 'ArrowDown' ? 1 : -1))));
    } else if ((key === 'Enter' || (key === 'Tab' && !event.shiftKey)) && chosen !== undefined) {
      choose(chosen);
    } else if (key === 'Enter' && acceptOnly()) {
      open(null);
    } else if (key === 'Escape' && caret !== undefined) {
      open(null);
    } else {
      if (key === 'Enter') open(null);
      return;
    }
    event.preventDefault();
  };
  return { completions, active: chosen === undefined ? -1 : active, open, close: () => open(null), choose, onKeyDown };
}
