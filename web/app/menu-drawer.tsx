import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../ui/button.tsx';
import styles from './menu-drawer.module.css';
import { Side } from './side.tsx';
import type { PageSearch } from './use-page-search.ts';

export interface MenuDrawerProps {
  readonly pageSearch: PageSearch;
  readonly onSignOut: () => void;
  readonly onClose: () => void;
}

/** On a phone: the side bar above the page. A touch beside it, Escape and every link close it. */
export function MenuDrawer({ pageSearch, onSignOut, onClose }: MenuDrawerProps): ReactNode {
  const onOpenChange = (isOpen: boolean): void => {
    if (!isOpen) onClose();
  };
  return (
    <ModalOverlay className={styles['overlay'] ?? ''} isOpen isDismissable onOpenChange={onOpenChange}>
      <Modal className={styles['drawer'] ?? ''}>
        <Dialog className={styles['menu'] ?? ''}>
          <header className={styles['head']}>
            <Heading slot="title" level={2}>
              Menu
            </Heading>
            <Button kind="quiet" onPress={onClose} aria-label="Close">
              ✕
            </Button>
          </header>
          <Side pageSearch={pageSearch} onSignOut={onSignOut} onLeave={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
