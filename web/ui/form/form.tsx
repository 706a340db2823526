import { type ReactNode, useState } from 'react';
import { Button } from '../button.tsx';
import { ErrorNotice } from '../notice.tsx';
import { Actions } from '../overlay/dialog.tsx';
import styles from './form.module.css';

export interface FormProps {
  readonly label: string;
  /** On the button; absent: nothing can be sent, as the key may not. */
  readonly submit?: string | undefined;
  /** Enter and the button call it. The form shows what it rejects with. */
  readonly onSubmit: () => Promise<unknown>;
  readonly onCancel?: () => void;
  /** Whether something is wrong or missing. */
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

/** Fields with a button that sends them once; the service's answer to bad input stands above the button. */
export function Form({ label, submit, onSubmit, onCancel, isDisabled = false, children }: FormProps): ReactNode {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async (): Promise<void> => {
    if (isBusy || isDisabled || submit === undefined) return;
    setIsBusy(true);
    setError(null);
    try {
      await onSubmit();
    } catch (failure) {
      setError(failure);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <form
      className={styles['form']}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {children}
      <ErrorNotice error={error} />
      <Actions>
        {onCancel !== undefined && <Button onPress={onCancel}>Cancel</Button>}
        {submit !== undefined && (
          <Button kind="primary" type="submit" isDisabled={isBusy || isDisabled}>
            {submit}
          </Button>
        )}
      </Actions>
    </form>
  );
}

/** Fields beside one another where there is room. */
export function Row({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className={styles['row']}>{children}</div>;
}
