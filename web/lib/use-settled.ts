import { useEffect, useState } from 'react';

const typingMs = 400;

/** A text once nobody has typed for a moment. @param pauseMs how long that is. */
export function useSettled<Text extends string | undefined>(text: Text, pauseMs: number = typingMs): Text {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, pauseMs]);
  return settled;
}
