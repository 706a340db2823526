import { type ReactNode, useState } from 'react';
import { Button, type ButtonProps } from '../button.tsx';
import { ErrorNotice } from '../notice.tsx';
import { Actions, Dialog } from './dialog.tsx';
import { useConfirmed } from './use-confirmed.ts';

export interface ConfirmButtonProps {
  /** Of the button and of the dialog: "Delete the webhook". */
  readonly title: string;
  /** What stands on the button; absent: the title. */
  readonly children?: ReactNode;
  readonly kind?: ButtonProps['kind'];
  /** What will happen, and what cannot be undone. */
  readonly consequence: ReactNode;
  /** The dialog stays open with the error when it rejects. */
  readonly onConfirm: () => Promise<unknown>;
  readonly isDisabled?: boolean;
}

/** A button whose effect is confirmed first. */
export function ConfirmButton({
  title,
  children = title,
  kind = 'danger',
  consequence,
  onConfirm,
  isDisabled,
}: ConfirmButtonProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const { isBusy, error, confirm } = useConfirmed(onConfirm, () => setIsOpen(false));
  return (
    <>
      <Button kind={kind} onPress={() => setIsOpen(true)} isDisabled={isDisabled ?? false} aria-label={title}>
        {children}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <div>{consequence}</div>
        <ErrorNotice error={error} />
        <Actions>
          <Button onPress={() => setIsOpen(false)}>Cancel</Button>
          <Button kind="danger" onPress={() => void confirm()} isPending={isBusy}>
            {title}
          </Button>
        </Actions>
      </Dialog>
    </>
  );
}
