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
  /** What is wrong or missing, as a sentence beside the button, which is off then. */
  readonly missing?: string | undefined;
  /** What is sent: once it changes, the answer to it is no longer shown. */
  readonly value?: unknown;
  readonly children: ReactNode;
}

interface Failed {
  readonly failure: unknown;
  readonly value: unknown;
}

/** Fields with a button that sends them once; the service's answer to bad input stands above the button. */
export function Form({ label, submit, onSubmit, onCancel, missing, value, children }: FormProps): ReactNode {
  const [isBusy, setIsBusy] = useState(false);
  const [failed, setFailed] = useState<Failed>();
  const send = async (): Promise<void> => {
    if (isBusy || missing !== undefined || submit === undefined) return;
    setIsBusy(true);
    setFailed(undefined);
    try {
      await onSubmit();
    } catch (failure) {
      setFailed({ failure, value });
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
      <ErrorNotice error={failed === undefined || failed.value !== value ? null : failed.failure} />
      <Actions>
        {submit !== undefined && missing !== undefined && <p className={styles['missing']}>{missing}</p>}
        {onCancel !== undefined && <Button onPress={onCancel}>Cancel</Button>}
        {submit !== undefined && (
          <Button kind="primary" type="submit" isPending={isBusy} isDisabled={missing !== undefined}>
            {submit}
          </Button>
        )}
      </Actions>
    </form>
  );
}

/** Beside the button of a form, while a field says what is wrong with it. */
export const correctFields = 'Correct the marked fields.';

/** What stands beside the button of a form while a field says what is wrong with it; undefined: none does. */
export function correctionOf(...faults: readonly (string | undefined)[]): string | undefined {
  return faults.some((fault) => fault !== undefined) ? correctFields : undefined;
}

/** Fields beside one another where there is room. */
export function Row({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className={styles['row']}>{children}</div>;
}
