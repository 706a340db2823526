import { createContext, useContext, useState } from 'react';

const key = 'gatelog.markdown';

/** Whether texts are shown as markdown. */
export const MarkdownContext = createContext<boolean | undefined>(undefined);

export function useIsMarkdown(): boolean {
  return useContext(MarkdownContext) ?? isWanted();
}

/** The switch, which this browser keeps. */
export function useMarkdownSwitch(): readonly [boolean, (isOn: boolean) => void] {
  const [isOn, setIsOn] = useState(isWanted);
  const change = (next: boolean): void => {
    setIsOn(next);
    localStorage.setItem(key, next ? 'on' : 'off');
  };
  return [isOn, change];
}

function isWanted(): boolean {
  return localStorage.getItem(key) !== 'off';
}
