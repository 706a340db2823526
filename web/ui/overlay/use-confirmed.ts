import { useState } from 'react';

export interface Confirmed {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly confirm: () => Promise<void>;
}

/** Does what was confirmed, once at a time; `onDone` follows only when it went well. */
export function useConfirmed(onConfirm: () => Promise<unknown>, onDone: () => void): Confirmed {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const confirm = async (): Promise<void> => {
    setIsBusy(true);
    setError(null);
    try {
      await onConfirm();
      onDone();
    } catch (failure) {
      setError(failure);
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, error, confirm };
}
