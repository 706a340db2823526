import { useEffect, useState } from 'react';

/** Nobody who goes on typing, or to the next page, waits for what is added up. */
const quietMs = 300;

/** Whether nothing has changed for a moment. */
export function useQuiet(isReady: boolean, key: string): boolean {
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    if (!isReady) return undefined;
    const timer = setTimeout(() => setSettled(key), quietMs);
    return () => clearTimeout(timer);
  }, [isReady, key]);
  return isReady && settled === key;
}
