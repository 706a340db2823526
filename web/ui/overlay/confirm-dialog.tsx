import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { ErrorNotice } from '../notice.tsx';
import { Actions, Dialog } from './dialog.tsx';
import { useConfirmed } from './use-confirmed.ts';

export interface ConfirmDialogProps {
  /** Of the dialog and of the button that confirms: "Delete the webhook". */
  readonly title: string;
  /** What will happen, and what cannot be undone. */
  readonly consequence: ReactNode;
  /** The dialog stays open with the error when it rejects. */
  readonly onConfirm: () => Promise<unknown>;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Says what will happen, and asks. */
export function ConfirmDialog({ title, consequence, onConfirm, isOpen, onClose }: ConfirmDialogProps): ReactNode {
  const { isBusy, error, confirm } = useConfirmed(onConfirm, onClose);
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <div>{consequence}</div>
      <ErrorNotice error={error} />
      <Actions>
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="danger" onPress={() => void confirm()} isPending={isBusy}>
          {title}
        </Button>
      </Actions>
    </Dialog>
  );
}
