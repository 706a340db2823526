import { type ReactNode, useState } from 'react';
import { Button, type ButtonProps } from '../button.tsx';
import { ConfirmDialog, type ConfirmDialogProps } from './confirm-dialog.tsx';

export interface ConfirmButtonProps extends Pick<ConfirmDialogProps, 'title' | 'consequence' | 'onConfirm'> {
  /** What stands on the button; absent: the title. */
  readonly children?: ReactNode;
  readonly kind?: ButtonProps['kind'];
  readonly isDisabled?: boolean;
}

/** A button whose effect is confirmed first. */
export function ConfirmButton({ title, children = title, kind = 'danger', isDisabled, ...asked }: ConfirmButtonProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button kind={kind} onPress={() => setIsOpen(true)} isDisabled={isDisabled ?? false} aria-label={title}>
        {children}
      </Button>
      <ConfirmDialog title={title} {...asked} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}
