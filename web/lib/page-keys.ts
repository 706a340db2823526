import { useEffect, useRef } from 'react';

/** How long a `g` waits for the letter of a page, which is then no key of this one. */
const waitMs = 1500;

/** Keys that most controls use themselves. */
const ownKeys: ReadonlySet<string> = new Set(['Enter', 'Escape']);

/** What keys do wherever the focus is, by their names. */
export type PageKeys = Readonly<Partial<Record<string, () => void>>>;

/** Keys of a page as soon as it is there. A field, a control that uses the key itself, and what lies over the page keep theirs. */
export function usePageKeys(keys: PageKeys): void {
  const latest = useRef(keys);
  const waitsUntil = useRef(0);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isForPages = event.timeStamp < waitsUntil.current;
      waitsUntil.current = event.key === 'g' ? event.timeStamp + waitMs : 0;
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (act === undefined || isForPages || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isWriting(event.target) || (ownKeys.has(event.key) && !isPage(event.target)) || isCovered()) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Nothing that could be pressed has the focus. */
function isPage(target: EventTarget | null): boolean {
  return target === document.body || (target instanceof HTMLElement && target.tagName === 'MAIN');
}

function isCovered(): boolean {
  return document.querySelector('[role=dialog], [role=menu], [role=listbox]:not([hidden])') !== null;
}
