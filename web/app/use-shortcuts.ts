import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { allPages } from './pages.ts';
import type { PageSearch } from './use-page-search.ts';

/** How long a `g` waits for its letter. */
const waitMs = 1500;

export interface Shortcuts {
  readonly pageSearch: PageSearch;
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}

/** `g` and a letter opens a page, `?` shows the shortcuts, `ctrl k` the palette. A field that is written in keeps its keys. */
export function useShortcuts({ pageSearch, onPalette, onHelp }: Shortcuts): void {
  const navigate = useNavigate();
  const waitsUntil = useRef(0);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      const page = event.timeStamp < waitsUntil.current ? allPages.find(({ letter }) => letter === event.key) : undefined;
      waitsUntil.current = event.key === 'g' ? event.timeStamp + waitMs : 0;
      if (page !== undefined) {
        event.preventDefault();
        void navigate({ to: page.to, search: pageSearch(page) });
      } else if (event.key === '?') {
        event.preventDefault();
        onHelp();
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate, pageSearch, onPalette, onHelp]);
}

/**
 * Whether something else takes the key: a field, a list that chooses by letters, or whatever is open above the page. TRICKY: a list with a
 * search passes each key on to its option, which then is the target, while the field has the focus.
 */
function isTaken(target: EventTarget | null): boolean {
  const { activeElement } = document;
  if (isWriting(target) || isWriting(activeElement)) return true;
  return document.querySelector('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]:not([hidden])') !== null;
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
