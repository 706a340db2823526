import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../button.tsx';
import styles from './dialog.module.css';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** A wide dialog takes what the window gives. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A task above the page. Escape and the button close it, and the focus returns to where it was. */
export function Dialog({ title, isOpen, onClose, isWide = false, children }: DialogProps): ReactNode {
  return (
    <ModalOverlay
      className={styles['overlay'] ?? ''}
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className={`${styles['modal'] ?? ''} ${isWide ? (styles['wide'] ?? '') : ''}`}>
        <AriaDialog className={styles['dialog'] ?? ''}>
          <header className={styles['head']}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <Button kind="quiet" onPress={onClose} aria-label="Close">
              ✕
            </Button>
          </header>
          <div className={styles['content']}>{children}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The buttons at the end of a dialog or form. */
export function Actions({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className={styles['actions']}>{children}</div>;
}
